// `spillway truncate`: a text goes in whole, a bounded projection comes out.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, parsed, type Truncated } from '../program.ts';

describe.concurrent('a text within the limit', () => {
  test('of exactly 8,000 chars comes out identical and gets no handle', async () => {
    const { truncate } = await freshWorkspace();
    const text = 'x'.repeat(8_000);
    const { content, metadata, artifact } = await truncate(text);
    expect(content).toBe(text);
    expect(metadata).toMatchObject({
      was_truncated: false,
      artifact_id: null,
      omitted: [],
      saved_path: null,
      original_size: 8_000,
      truncated_size: 8_000,
    });
    expect(artifact).toBeNull();
  });

  test.each([
    ['without a newline at its end', 'no newline'],
    ['with one', 'one newline\n'],
    ['with only whitespace', ' \r\n\t\n'],
    ['of one char', '1'],
    ['that looks like a notice', '[Artifact: art_1699234567_a1b2c3d4] nothing (1 KB)\n'],
  ])('%s is printed exactly, with no newline added and nothing on standard error', async (_, text) => {
    const { run } = await freshWorkspace();
    expect(await run(['truncate'], { input: text })).toMatchObject({ code: 0, stdout: text, stderr: '' });
  });

  test('is stored all the same, but only listed with --all', async () => {
    const { run, ids } = await freshWorkspace();
    await run(['truncate'], { input: 'short' });
    expect(await ids()).toEqual([]);
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe('short');
  });

  test('that is empty gives a sentence, and the record stays empty', async () => {
    const { run, ids } = await freshWorkspace();
    const { code, stdout } = await run(['truncate'], { input: '' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\[No output\.[^\n]*\]$/);
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).bytes).toHaveLength(0);
  });
});

describe.concurrent('a text over the limit', () => {
  test('of 8,001 chars is cut, marked and fetched back whole by its handle', async () => {
    const { run, truncate } = await freshWorkspace();
    const text = `${'x'.repeat(8_000)}y`;
    const cut = await truncate(text, '--limit', '8000');
    expect(cut.content.length).toBeLessThanOrEqual(8_000);
    expect(cut.content).toMatch(
      /\n\.\.\. \[[\d,]+ lines \/ [\d,]+ chars omitted: (?:chars )?\d+-\d+\] \.\.\.\n/,
    );
    expect(cut.metadata.was_truncated).toBe(true);
    expect((await run(['artifacts', 'show', handleOf(cut)])).stdout).toBe(text);
    expect((await run(['artifacts', 'show', handleOf(cut), '--raw'])).stdout).toBe(text);
  });

  test('shows both ends, after the notice', async () => {
    const { truncate } = await freshWorkspace();
    const text = `HEAD_START${'x'.repeat(10_000)}TAIL_END`;
    const { content } = await truncate(text, '--limit', '500', '--set', 'head_ratio=0.5');
    expect(content.length).toBeLessThanOrEqual(500);
    expect(content).toMatch(/^(?:\[[^\n]*\]\n)+HEAD_START/);
    expect(content.endsWith('TAIL_END')).toBe(true);
  });

  test('by one line never becomes longer than it was', async () => {
    const { truncate } = await freshWorkspace();
    for (const text of ['x\n'.repeat(2_001), numberedLines(2_001), '\n'.repeat(2_001)]) {
      const { content, metadata } = await truncate(text, '--set', 'max_lines=2000');
      expect(metadata.was_truncated).toBe(true);
      expect(content.length).toBeLessThanOrEqual(text.length);
      expect(content.split('\n').length).toBeLessThanOrEqual(2_001);
    }
  });

  test('that is one line of 558 KB shows the two ends of that line and counts the rest', async () => {
    const { truncate } = await freshWorkspace();
    const text = `FIRST${'-'.repeat(558_000)}LAST\n`;
    const { content, metadata } = await truncate(text);
    expect(content.length).toBeLessThanOrEqual(8_000);
    expect(content).toMatch(/\nFIRST-{1000,}/);
    expect(content).toMatch(/-{1000,}LAST\n$/);
    const [gap] = metadata.omitted;
    const omitted = (gap?.bytes.end ?? 0) - (gap?.bytes.start ?? 0);
    expect(content).toContain(`${omitted.toLocaleString('en-US')} chars omitted`);
  });

  test('tells handle, total and how to get more in its first 300 chars', async () => {
    const { root, run, truncate } = await freshWorkspace();
    const longPath = join(root, `${'very-long-name-'.repeat(12)}.log`);
    await writeFile(longPath, 'x'.repeat(2_000_000));
    const openingOf = async (flags: string[], input: string) => {
      const { content, metadata } = await truncate(input, ...flags);
      const opening = content.slice(0, 300);
      expect(opening).toContain(metadata.artifact_id);
      expect(opening).toContain(metadata.original_size.toLocaleString('en-US'));
      expect(opening).toContain(`spillway artifacts show ${metadata.artifact_id}`);
    };
    await openingOf([], numberedLines(2_000));
    await openingOf(['--limit', '1000'], numberedLines(2_000));
    await openingOf([], numberedLines(200_000));
    await openingOf(
      ['--tool', `mcp__${'some_server__'.repeat(8)}`],
      `${'words and '.repeat(20)}\n`.repeat(5_000),
    );
    await openingOf([longPath], '');
    // Even the tightest budget keeps handle and total.
    const least = await run(['truncate', '--limit', '300'], { input: 'x'.repeat(2_000_000) });
    expect(least.stdout).toMatch(/art_\d+_\w+/);
    expect(least.stdout).toContain('2,000,000');
  });

  test('read from a whole file shows the first line of the file', async () => {
    const { root, truncate } = await freshWorkspace();
    const text = `import first from 'line';\n${'const something = 1;\n'.repeat(1_500)}`.slice(0, 30_000);
    await writeFile(join(root, 'source.ts'), text);
    const { content } = await truncate('', 'source.ts', '--tool', 'read_file');
    expect(content.split('\n')).toContain("import first from 'line';");
  });
});

const STRATEGIES_REFUSAL = /Known: ([a-z_, ]+)\./;

/** The strategies the program knows, as it tells them. */
async function boundedStrategies(): Promise<string[]> {
  const { run } = await freshWorkspace();
  const { stderr } = await run(['truncate', '--strategy', 'no_such']);
  return (STRATEGIES_REFUSAL.exec(stderr)?.[1] ?? '').split(', ').filter((name) => name !== 'none');
}

describe.concurrent('the limit', () => {
  const texts: Record<string, string> = {
    'short lines': numberedLines(3_000),
    'one line': 'abcdefghij'.repeat(3_000),
    'emoji and CRLF': '👩‍👩‍👧‍👦 🇨🇭 e\u0301 漢字\r\n'.repeat(1_500),
    JSON: JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id, name: `name ${id}` }))),
  };

  test('holds with notice and markers for every strategy but none, from 300 up', async () => {
    const { truncate } = await freshWorkspace();
    const strategies = await boundedStrategies();
    expect(strategies).toContain('head_tail');
    for (const strategy of strategies) {
      for (const [name, text] of Object.entries(texts)) {
        await Promise.all(
          [300, 777].map(async (limit) => {
            const { content, notice, metadata } = await truncate(
              text,
              '--strategy',
              strategy,
              '--limit',
              `${limit}`,
            );
            const what = `${strategy}, ${name}, ${limit}`;
            const whole = (notice ?? '') + content;
            expect(whole.length, what).toBeLessThanOrEqual(limit);
            expect(whole.isWellFormed(), what).toBe(true);
            expect(metadata.truncated_size, what).toBe(content.length);
            expect(metadata.notice_size, what).toBe(notice?.length ?? 0);
            expect(whole, what).toContain(metadata.artifact_id);
          }),
        );
      }
    }
  });

  test('is met by a text one char over it', async () => {
    const { truncate } = await freshWorkspace();
    await Promise.all(
      [300, 400, 1_000, 50_000].map(async (limit) => {
        const { content, metadata } = await truncate(
          'word '.repeat(limit).slice(0, limit + 1),
          '--limit',
          `${limit}`,
        );
        expect(content.length).toBeLessThanOrEqual(limit);
        expect(metadata.was_truncated).toBe(true);
      }),
    );
  });

  test('is in UTF-16 units: 8,000 of them in emoji pass, one more does not', async () => {
    const { truncate } = await freshWorkspace();
    const emoji = '😀'.repeat(4_000);
    expect((await truncate(emoji)).content).toBe(emoji);
    expect((await truncate(`${emoji}x`, '--limit', '8000')).metadata).toMatchObject({
      was_truncated: true,
      original_size: 8_001,
    });
  });

  test('does not bound none, which prints everything', async () => {
    const { run } = await freshWorkspace();
    const text = numberedLines(20_000);
    expect((await run(['truncate', '--strategy', 'none'], { input: text })).stdout).toBe(text);
  });
});

describe.concurrent('the input', () => {
  test('gives the same from a file, from - and from standard input', async () => {
    const { root, run } = await freshWorkspace();
    const text = numberedLines(5_000);
    await writeFile(join(root, 'big.log'), text);
    const texts = await Promise.all(
      [['big.log'], ['-'], []].map(async (operand) => {
        const { stdout } = await run(['truncate', ...operand], { input: text });
        return stdout.replaceAll(/art_\d+_\w+/g, 'ID');
      }),
    );
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]);
    const { artifacts } = parsed<{ artifacts: { source: { summary: string } }[] }>(
      await run(['artifacts', 'list', '--json']),
    );
    const titles = artifacts.map(({ source }) => source.summary).sort();
    expect(titles).toEqual(['truncate: big.log', 'truncate: standard input', 'truncate: standard input']);
  });

  test('may be a file whose name begins with a dash, after --', async () => {
    const { root, run } = await freshWorkspace();
    await writeFile(join(root, '--json'), 'odd name');
    expect(await run(['truncate', '--', '--json'])).toMatchObject({ code: 0, stdout: 'odd name' });
  });
});

describe.concurrent('--json', () => {
  test('says of a handle that it was told, as the list does', async () => {
    const { run } = await freshWorkspace();
    const { artifact } = parsed<Truncated>(await run(['truncate', '--json'], { input: 'x'.repeat(10_000) }));
    const { artifacts } = parsed<{ artifacts: unknown[] }>(await run(['artifacts', 'list', '--json']));
    expect(artifact).toMatchObject({ disclosed: true });
    expect(artifacts).toEqual([artifact]);
  });

  test('tells the length of the content as truncated_size, in every format and with every place of the notice', async () => {
    const { truncate, shell, root } = await freshWorkspace();
    const rows = Array.from({ length: 900 }, (_, id) => ({ id, name: `name ${id}` }));
    const xml = `<list>${rows.map(({ id }) => `<item id="${id}">text ${id}</item>`).join('')}</list>`;
    const texts = [
      JSON.stringify(rows),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      `<?xml version="1.0"?>${xml}`,
      `<!DOCTYPE html><html><body>${xml}</body></html>`,
      `id,name\n${rows.map(({ id, name }) => `${id},${name}\n`).join('')}`,
      numberedLines(2_000),
      'short',
    ];
    await writeFile(join(root, 'data.xml'), texts[2] ?? '');
    const exec = async (): Promise<Truncated> =>
      JSON.parse((await shell('spillway exec --json --limit 2000 -- cat data.xml')).stdout);
    const positions = ['embedded', 'before', 'metadata'].map((position) =>
      truncate(texts[2] ?? '', '--set', `notice=${position}`, '--limit', '2000'),
    );
    const all = await Promise.all([
      ...texts.map((text) => truncate(text, '--limit', '2000')),
      ...positions,
      exec(),
    ]);
    for (const { content, notice, metadata } of all) {
      expect(metadata.truncated_size).toBe(content.length);
      expect(metadata.notice_size).toBe(notice?.length ?? 0);
      expect(metadata.estimated_tokens).toBe(Math.ceil(content.length / 4));
      expect(metadata.truncated_size + metadata.notice_size).toBeLessThanOrEqual(2_000);
    }
  });

  test('prints one object with content, metadata and artifact, the content being what is printed without it', async () => {
    const { truncate, run } = await freshWorkspace();
    const text = numberedLines(3_000);
    const { content, metadata, artifact } = await truncate(text);
    expect(metadata).toMatchObject({
      original_size: text.length,
      truncated_size: content.length,
      strategy_used: 'head_tail',
      artifact_id: expect.stringMatching(/^art_\d+_[0-9a-z]{16,}$/),
      was_truncated: true,
      estimated_tokens: Math.ceil(content.length / 4),
      omitted: [expect.objectContaining({ bytes: expect.anything() })],
      saved_path: expect.stringMatching(/\.txt$/),
      exceeds_max: false,
      source_truncated: false,
      lookalikes: 0,
      policy_hash: expect.stringMatching(/^[0-9a-f]+$/),
    });
    expect(artifact).toMatchObject({ id: metadata.artifact_id, size: Buffer.byteLength(text) });
    const plain = await run(['truncate'], { input: text });
    const anyId = /art_\d+_\w+/g;
    expect(plain.stdout.replaceAll(anyId, 'ID')).toBe(content.replaceAll(anyId, 'ID'));
  });

  test('names everything in snake_case', async () => {
    const { truncate } = await freshWorkspace();
    const names: string[] = [];
    JSON.stringify(await truncate(numberedLines(3_000)), (name, value: unknown) => {
      names.push(name);
      return value;
    });
    expect(names.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  test('counts lines of the text that look like our notices', async () => {
    const { truncate } = await freshWorkspace();
    const { content, metadata } = await truncate(
      `... [3 lines / 40 chars omitted] ...\n${numberedLines(3_000)}[Artifact: art_1699234567_a1b2c3d4] x (1 KB)\n`,
    );
    expect(metadata.lookalikes).toBe(2);
    expect(content.slice(0, content.indexOf('\n...'))).toMatch(/came from the tool: 2/);
  });

  test('gives equal policies equal hashes and different ones different hashes', async () => {
    const { truncate } = await freshWorkspace();
    const hash = async (...flags: string[]) => (await truncate('x', ...flags)).metadata.policy_hash;
    expect(await hash('--set', 'inline_limit=4000')).toBe(await hash('--limit', '4000'));
    expect(await hash('--limit', '4000')).not.toBe(await hash());
  });
});

describe.concurrent('--no-store', () => {
  test('keeps nothing, says so and tells no handle', async () => {
    const { run, ids } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['truncate', '--no-store'], { input: numberedLines(3_000) });
    expect(code).toBe(0);
    expect(stdout.slice(0, 300)).toMatch(/not stored/i);
    expect(stdout).not.toMatch(/art_\d|artifacts show/);
    expect(stderr).toBe('');
    expect(await ids('--all')).toEqual([]);
  });
});
