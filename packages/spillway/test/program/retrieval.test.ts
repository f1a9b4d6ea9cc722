// `spillway artifacts show`: every byte that was stored comes back, by pages, ranges, patterns and
// raw.
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  freshWorkspace,
  handleOf,
  numberedLines,
  parsed,
  type Ran,
  type ShownPage,
  type Workspace,
} from '../program.ts';

const MIXED = Array.from({ length: 1_800 }, (_, i) => `${i}: 😀 naïve 漢字 line\r\n`).join('');

async function showJson({ run }: Workspace, id: string, ...flags: string[]): Promise<ShownPage> {
  return parsed(await run(['artifacts', 'show', id, '--json', ...flags]));
}

/** Follows the cursors from a first page to the end. */
async function allPages(workspace: Workspace, id: string, ...flags: string[]): Promise<ShownPage[]> {
  const pages = [await showJson(workspace, id, ...flags)];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor)
    pages.push(await showJson(workspace, id, '--cursor', cursor));
  return pages;
}

describe.concurrent('an id', () => {
  test('that is malformed is refused before anything is touched', async () => {
    const { root, run } = await freshWorkspace();
    for (const id of [
      'art_../../etc/passwd',
      'art_%2e%2e%2fetc',
      'art_a b!@#',
      '',
      '../store.db',
      'art_1_',
    ]) {
      const { code, stdout, stderr } = await run(['artifacts', 'show', '--', id]);
      expect({ code, stdout }, id).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^spillway: [^\n]*not an artifact id[^\n]*\n$/);
    }
    await expect(access(join(root, '.acode'))).rejects.toThrow('ENOENT');
  });

  test('that is missing is a usage error', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['artifacts', 'show']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]*\bID\b[^\n]*\n$/);
  });

  test('that is well-formed but unknown is told not to be there, with or without a store', async () => {
    const { run, truncate } = await freshWorkspace();
    const unknown = async () => {
      const { code, stdout, stderr } = await run(['artifacts', 'show', 'art_1699234567_a1b2c3d4']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^spillway: There is no artifact art_1699234567_a1b2c3d4 here\. Do not retry[^\n]*\n$/,
      );
    };
    await unknown();
    await truncate('something');
    await unknown();
  });
});

describe.concurrent('of an artifact with 5 lines', () => {
  const LINES = ['one', 'two', 'three', 'four', 'five'].map((word) => `${word} `.repeat(20).concat('\n'));
  let show: (range: string) => Promise<Ran>;

  beforeAll(async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(LINES.join(''), '--limit', '300'));
    show = (range) => run(['artifacts', 'show', id, `--lines=${range}`]);
  });

  test.each([
    ['2-4', LINES.slice(1, 4)],
    ['2-', LINES.slice(1)],
    ['1-100', LINES],
    ['3', LINES.slice(2, 3)],
    ['5-5', LINES.slice(4)],
  ])('lines %s are exactly those, on standard output alone', async (range, expected) => {
    const { code, stdout, stderr } = await show(range);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected.join('') });
    expect(stderr).toMatch(/of 5\b/);
  });

  test.each(['10-', '6-20', '1,000-2,000'])(
    'lines %s are an empty body, the total and exit code 1',
    async (range) => {
      const { code, stdout, stderr } = await show(range);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/\b5 lines\b/);
    },
  );

  test.each(['4-2', '0-3', 'a-b', '-'])('lines %s are an argument error', async (range) => {
    const { code, stdout, stderr } = await show(range);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]*\blines\b[^\n]*\n$/);
  });

  test('the last one counts also without a newline', async () => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(LINES.join('').trimEnd(), '--limit', '300'));
    const { stdout, stderr } = await workspace.run(['artifacts', 'show', id, '--lines', '5']);
    expect(stdout).toBe(LINES[4]?.trimEnd());
    expect(stderr).toMatch(/of 5\b/);
  });
});

describe.concurrent('pages', () => {
  test('of one long line, put together by their cursors, are the original', async () => {
    const workspace = await freshWorkspace();
    const text = `${'{"key":"välue 😀"},'.repeat(2_700)}end`;
    const id = handleOf(await workspace.truncate(text));
    const pages = await allPages(workspace, id);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.map(({ content }) => content).join('')).toBe(text);
    for (const page of pages) {
      expect(page.content.length).toBeLessThanOrEqual(16_000);
      expect(page).toMatchObject({ total_chars: text.length });
      expect(page.next_call === null).toBe(page.next_cursor === null);
    }
  });

  test('each name the next call on standard error; making those calls reads everything and mints no handle', async () => {
    const { ids, shell, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(MIXED));
    let text = '';
    for (let call: string | undefined = `spillway artifacts show ${id}`; call !== undefined; ) {
      const { code, stdout, stderr } = await shell(call);
      expect(code).toBe(0);
      expect(stderr).toContain(MIXED.length.toLocaleString('en-US'));
      text += stdout;
      call = /Next: (.+)\]/.exec(stderr)?.[1];
    }
    expect(text).toBe(MIXED);
    expect(await ids('--all')).toEqual([id]);
  });

  test('of a range end where the range ends', async () => {
    const workspace = await freshWorkspace();
    const text = numberedLines(9_000, 'quite a long line number');
    const id = handleOf(await workspace.truncate(text));
    const pages = await allPages(workspace, id, '--lines', '101-1000');
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map(({ content }) => content).join('')).toBe(
      text.split('\n').slice(100, 1_000).join('\n').concat('\n'),
    );
  });
});

describe.concurrent('what a projection leaves out', () => {
  const MARKER = /\n?\.\.\. \[[^\]\n]*omitted[^\]\n]*\] \.\.\.\n?/;

  test.each([
    ['at 8,000 chars', ['--limit', '8000', '--strategy', 'head_tail'], MIXED],
    ['at 400 chars', ['--limit', '400', '--strategy', 'head_tail'], MIXED],
    ['at 100 lines', ['--set', 'max_lines=100', '--strategy', 'head_tail'], MIXED],
    ['below a card', ['--limit', '5000'], 'x😀'.repeat(20_000)],
    ['cut where it falls', ['--set', 'snap=exact'], 'é'.repeat(10_001)],
  ])('%s comes back by --chars and fills the gaps exactly', async (_, flags, text) => {
    const workspace = await freshWorkspace();
    const cut = await workspace.truncate(text, ...flags);
    const id = handleOf(cut);
    const stored = Buffer.from(text);
    expect(cut.metadata.omitted.length).toBeGreaterThan(0);
    let filled = cut.content.replace(/^(?:\[[^\n]*\n)+/, '');
    for (const { bytes } of cut.metadata.omitted) {
      const before = stored.subarray(0, bytes.start).toString().length;
      const omitted = stored.subarray(bytes.start, bytes.end).toString();
      const range = `${before + 1}-${before + omitted.length}`;
      const raw = await workspace.run(['artifacts', 'show', id, '--chars', range, '--raw']);
      expect(raw.stdout).toBe(omitted);
      filled = filled.replace(MARKER, () => omitted);
    }
    expect(filled).toBe(text);
  });

  test('comes back page by page as well', async () => {
    const workspace = await freshWorkspace();
    const cut = await workspace.truncate(numberedLines(5_000));
    const [gap] = cut.metadata.omitted;
    const range = `${(gap?.bytes.start ?? 0) + 1}-${gap?.bytes.end}`;
    const pages = await allPages(workspace, handleOf(cut), '--chars', range);
    expect(pages.map(({ content }) => content).join('')).toBe(
      numberedLines(5_000).slice(gap?.bytes.start, gap?.bytes.end),
    );
  });

  test('comes back by the very call that the notice names', async () => {
    const { run, shell } = await freshWorkspace();
    const text = numberedLines(3_000);
    const { stdout } = await run(['truncate'], { input: text });
    const call = / More: ([^\]]+)\]/.exec(stdout)?.[1] ?? '';
    const fetched = await shell(`${call} --raw`);
    expect(fetched.code).toBe(0);
    expect(stdout.replace(MARKER, () => fetched.stdout).endsWith(text)).toBe(true);
  });
});

describe.concurrent('--raw', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
  const filler = numberedLines(2_000);

  test.each([
    ['a BOM, NUL and no newline at the end', bytes([0xef, 0xbb, 0xbf], 'a\0b\0', filler, '\0end')],
    ['CRLF and lone CR', bytes('a\r\nb\rc\n\r', filler.replaceAll('\n', '\r\n'), '\r')],
    ['invalid UTF-8', bytes([0xff, 0xfe, 0xc3], filler, [0xe2, 0x82], 'x', [0xf0, 0x9f, 0x98])],
    ['bytes of a lone surrogate', bytes([0xed, 0xa0, 0xbd], filler, [0xed, 0xb8, 0x80])],
    ['emoji', bytes('👩‍👩‍👧‍👦🇨🇭'.repeat(3_000))],
    ['every byte there is', Buffer.from(Array.from({ length: 40_960 }, (_, i) => (i * 167) % 256))],
  ])('returns the exact bytes of content with %s, whatever the projection shows', async (_, content) => {
    const { run, truncate } = await freshWorkspace();
    const cut = await truncate(content);
    expect(cut.content.isWellFormed()).toBe(true);
    expect(cut.content.length).toBeLessThanOrEqual(8_000);
    const raw = await run(['artifacts', 'show', handleOf(cut), '--raw']);
    expect(raw).toMatchObject({ code: 0, stderr: '' });
    expect(raw.bytes.equals(content)).toBe(true);
  });

  test('streams all 11 MB of a result that is over max_artifact_size', async () => {
    const { run, truncate } = await freshWorkspace();
    const content = Buffer.from(numberedLines(560_000, 'a line of text'));
    expect(content.length).toBeGreaterThan(11_000_000);
    const cut = await truncate(content);
    expect(cut.content.length).toBeLessThanOrEqual(8_000);
    expect(cut.metadata).toMatchObject({ exceeds_max: true, original_size: content.length });
    const raw = await run(['artifacts', 'show', handleOf(cut), '--raw']);
    expect(raw.bytes.equals(content)).toBe(true);
    const deep = await run(['artifacts', 'show', handleOf(cut), '--lines', '500000-500001']);
    expect(deep.stdout).toBe('a line of text 500000\na line of text 500001\n');
  });

  test('ends quietly when its reader closes the pipe', async () => {
    const { run, shell, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(200_000)));
    const closed = await run(['artifacts', 'show', id, '--raw'], { closeOutput: true });
    expect(closed).toMatchObject({ code: 0, stderr: '' });
    const headed = await shell(`spillway artifacts show ${id} --raw | head -c 10`);
    expect(headed).toMatchObject({ code: 0, stdout: 'line 1\nlin', stderr: '' });
  });
});

describe.concurrent('--grep', () => {
  test('prints the matching lines with their numbers, and how many there are', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(3_000)));
    const { code, stdout, stderr } = await run(['artifacts', 'show', id, '--grep', '^line 29\\d9$']);
    expect(code).toBe(0);
    expect(stdout).toBe(Array.from({ length: 10 }, (_, i) => `29${i}9:line 29${i}9\n`).join(''));
    expect(stderr).toMatch(/\b10 of 10 matching lines, 3,000 lines in all\b/);
  });

  test('goes on by the calls its pages name until every match was shown', async () => {
    const { shell, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(2_000, "it's line")));
    let shown = '';
    for (let call: string | undefined = `spillway artifacts show ${id} --grep "it's"`; call !== undefined; ) {
      const { code, stdout, stderr } = await shell(call);
      expect(code).toBe(0);
      shown += stdout;
      call = /Next: (.+)\]/.exec(stderr)?.[1];
    }
    expect(shown).toBe(Array.from({ length: 2_000 }, (_, i) => `${i + 1}:it's line ${i + 1}\n`).join(''));
  });

  test('does not say that there is no match when there is one far into a long line', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(`${'x'.repeat(100_000)}NEEDLE\n`));
    const { code, stderr } = await run(['artifacts', 'show', id, '--grep', 'NEEDLE']);
    expect(code).toBe(0);
    expect(stderr).not.toContain('0 of 0 matching lines, 1 lines in all]');
  });

  test('counts what it leaves out of a long line exactly', async () => {
    const { run, truncate } = await freshWorkspace();
    const line = `NEEDLE${'x'.repeat(100_000)}`;
    const id = handleOf(await truncate(`${line}\n`));
    const { stdout } = await run(['artifacts', 'show', id, '--grep', 'NEEDLE']);
    const [, shown = '', omitted = ''] = /^1:(\w+) \.\.\. \[([\d,]+) chars omitted\]/.exec(stdout) ?? [];
    expect(shown.length + Number(omitted.replaceAll(',', ''))).toBe(line.length);
  });

  test('without a match has an empty body and exit code 1', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(3_000)));
    const { code, stdout, stderr } = await run(['artifacts', 'show', id, '--grep', 'nowhere']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/\b0 of 0 matching lines\b/);
  });

  test('searches all parts and names the part of each line', async () => {
    const { run, root } = await freshWorkspace();
    await writeFile(
      join(root, 'say.sh'),
      'seq 1 3000; seq 1 2999 | sed s/^/warm/ >&2; echo "fatal: no disk" >&2; exit 3',
    );
    const ran = await run(['exec', '--json', '--', 'sh', 'say.sh']);
    const { artifact } = JSON.parse(ran.stdout) as { artifact: { id: string } };
    const { code, stdout, stderr } = await run(['artifacts', 'show', artifact.id, '--grep', 'fatal|^2999$']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'stdout:2999:2999\nstderr:3000:fatal: no disk\n' });
    expect(stderr).toContain('2 of 2 matching lines, 6,000 lines in all');
  });

  test('is what --context and other flags that would be ignored ask for', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(3_000)));
    const refused = await Promise.all(
      [
        ['--context', '2'],
        ['--context', '2', '--lines', '1-5'],
        ['--context', '2', '--raw'],
        ['--grep', 'x', '--context', ''],
        ['--cursor', '0.0.5', '--lines', '1-5'],
      ].map((flags) => run(['artifacts', 'show', id, ...flags])),
    );
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^spillway: --(?:context|cursor) [^\n]+\n/);
    }
  });

  test('takes linear time for a pattern that would take a backtracking engine for ever', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(`${'a'.repeat(50_000)}!\n`));
    const { code, stderr } = await run(['artifacts', 'show', id, '--grep', '^(a+)+$']);
    expect(code).toBe(1);
    expect(stderr).toContain('0 of 0');
  });

  test('with a pattern that is not valid is an argument error', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(3_000)));
    const { code, stdout, stderr } = await run(['artifacts', 'show', id, '--grep', '(']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]*pattern[^\n]*\n$/);
  });
});

test.concurrent('two ways to say what is wanted are refused', async () => {
  const { run, truncate } = await freshWorkspace();
  const id = handleOf(await truncate(numberedLines(3_000)));
  for (const flags of [
    ['--lines', '1-2', '--chars', '1-2'],
    ['--lines', '1-2', '--grep', 'x'],
    ['--grep', 'x', '--raw'],
  ]) {
    const { code, stdout, stderr } = await run(['artifacts', 'show', id, ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  }
});
