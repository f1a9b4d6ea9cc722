// Colours, progress bars and other terminal output through the program: cleaned, bounded, and never
// a crash.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, parsed, type Truncated } from '../program.ts';

const ESC = '\u001b';
const coloured = (lines: number) =>
  Array.from({ length: lines }, (_, i) => `${ESC}[32m+added line ${i}${ESC}[m\n`).join('');

const COLOURS = new RegExp(`${ESC}\\[\\d*m`, 'g');

/** What is shown, omitted and elided is all there is. */
function sizes({ content, metadata }: Truncated & { metadata: { elided_chars: number } }) {
  const omitted = metadata.omitted.reduce((sum, gap) => sum + (gap as unknown as { chars: number }).chars, 0);
  return { content, omitted, elided: metadata.elided_chars, total: metadata.original_size };
}

describe.concurrent('terminal output', () => {
  test('has no escapes left when it is cut, under every strategy and in a command', async () => {
    const { truncate, run, root } = await freshWorkspace();
    const text = `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,900 @@\n${coloured(900)}`;
    await writeFile(join(root, 'diff.txt'), text);
    const strategies = ['head', 'tail', 'head_tail', 'lines', 'element', 'smart_summary', 'size_limit'];
    const shown = await Promise.all([
      truncate(text),
      ...strategies.map((strategy) => truncate(text, '--strategy', strategy)),
      run(['exec', '--json', '--', 'sh', '-c', 'cat < diff.txt']).then((ran) => parsed<Truncated>(ran)),
    ]);
    for (const { content, metadata } of shown) {
      expect(content).not.toContain(ESC);
      expect(metadata.was_truncated).toBe(true);
      expect(content).toMatch(/Formatting left out: [\d,]+ chars\./);
    }
  });

  test('shows the last frame of a progress bar, and keeps time stamps', async () => {
    const { truncate } = await freshWorkspace();
    const bar = Array.from({ length: 50 }, (_, i) => `Fetching ${i * 2 + 2}%`).join('\r');
    const spinner = Array.from({ length: 50 }, (_, i) => `${ESC}[2K${ESC}[1G- step ${i} of 49`).join('');
    const stamped = Array.from({ length: 900 }, (_, i) => `2026-01-01T10:00:00Z line ${i}\n`).join('');
    const { content } = await truncate(`${bar}\n${spinner}\n${stamped}`);
    expect(content.match(/Fetching/g)).toEqual(['Fetching']);
    expect(content).toContain('Fetching 100%\n- step 49 of 49\n2026-01-01T10:00:00Z line 0\n');
  });

  test('of which only formatting is left out says so, and counts as truncated', async () => {
    const { truncate } = await freshWorkspace();
    const text = coloured(420);
    const cleaned = text.replaceAll(COLOURS, '');
    expect(text.length).toBeGreaterThan(8_000);
    for (const flags of [[], ['--set', 'clean=always', '--limit', '20000']]) {
      const { content, metadata } = await truncate(text, ...flags);
      expect(metadata).toMatchObject({ was_truncated: true, omitted: [] });
      expect(content).not.toMatch(/truncated/i);
      expect(content).toMatch(
        /^\[Formatting left out: [\d,]+ of [\d,]+ chars\. Everything else is shown\. Full output: art_/,
      );
      expect(content.endsWith(cleaned)).toBe(true);
    }
  });

  test('within the limit is identical, unless it is to be clean always; what is shown of a file is exact', async () => {
    const { truncate } = await freshWorkspace();
    const small = `${coloured(20)}get 1%\rget 2%\n`;
    const [same, always, file] = await Promise.all([
      truncate(small),
      truncate(small, '--set', 'clean=always'),
      truncate(coloured(900), '--tool', 'read_file', '--strategy', 'head'),
    ]);
    expect(same).toMatchObject({ content: small, metadata: { artifact_id: null } });
    expect(always.content.endsWith(small.replaceAll(COLOURS, '').replace('get 1%\r', ''))).toBe(true);
    expect(file.content).toContain(`${ESC}[32m+added line 7${ESC}[m\n`);
  });

  test('counts: shown, omitted and elided are the whole', async () => {
    const { truncate } = await freshWorkspace();
    for (const strategy of ['tail', 'smart_summary']) {
      const answer = (await truncate(coloured(2_000), '--strategy', strategy)) as Parameters<typeof sizes>[0];
      const { content, omitted, elided, total } = sizes(answer);
      const kept = content
        .split('\n')
        .filter((line) => line.startsWith('+added'))
        .reduce((sum, line) => sum + line.length + 1, 0);
      expect(kept + omitted + elided).toBe(total);
    }
  });
});

describe.concurrent('a line that is cut inside', () => {
  test('is named in the notice, however small the limit', async () => {
    const { truncate } = await freshWorkspace();
    const text = Array.from({ length: 300 }, (_, i) => `line ${i} ${'word '.repeat(60)}end\n`).join('');
    const all = await Promise.all(
      ['head', 'tail', 'head_tail', 'size_limit'].flatMap((strategy) =>
        ['300', '420'].map((limit) => truncate(text, '--strategy', strategy, '--limit', limit)),
      ),
    );
    for (const { content } of all) expect(content).toMatch(/[Cc]ut inside lines? \d/);
    const whole = await truncate(numberedLines(3_000));
    expect(whole.content).not.toMatch(/[Cc]ut inside/);
  });
});

describe.concurrent('hostile terminal output', () => {
  const erased = `${ESC}[2K${ESC}[1G`.repeat(60_000);

  test('is bounded, with the handle', async () => {
    const { truncate } = await freshWorkspace();
    const stamps = '2026-01-01 10:00:00 \n'.repeat(20_000);
    const answers = await Promise.all([
      truncate(erased, '--limit', '900'),
      truncate(`${ESC}]`.repeat(60_000), '--limit', '900', '--strategy', 'smart_summary'),
      truncate(stamps, '--limit', '900', '--strategy', 'tail'),
    ]);
    for (const { content, metadata } of answers) {
      expect(content.length).toBeLessThanOrEqual(900);
      expect(content).toContain(metadata.artifact_id);
      expect(metadata).not.toHaveProperty('strategy_error');
    }
  });

  test('leaves exec the exit code of its command', async () => {
    const { run, root } = await freshWorkspace();
    await writeFile(join(root, 'noise.txt'), erased);
    const { code, stdout } = await run(['exec', '--', 'sh', '-c', 'cat < noise.txt; exit 7']);
    expect(code).toBe(7);
    expect(stdout).toMatch(/^\[Exit code 7[. ].*Formatting left out: 480,000 of 480,000 chars\./);
  });
});
