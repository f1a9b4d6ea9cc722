// What a person sees: the program on a real terminal, recorded. Progress, the dim line under a cut output, narrow windows, NO_COLOR, Ctrl-C, screens.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines } from './program.ts';
import { onTerminal } from './terminal.ts';

const DIM = '\x1b[2m';
const PLAIN = '\x1b[22m';
const CLEARED = '\r\x1b[K';

/** Escape sequences for colours and dimness taken away. */
function withoutColour(line: string): string {
  return line.replaceAll(DIM, '').replaceAll(PLAIN, '');
}

/** What is left on the screen: lines that were written over are gone. */
function onScreen(recording: string): string {
  return recording
    .split('\r\n')
    .map((line) => line.split(CLEARED).at(-1) ?? '')
    .join('\n');
}

describe.concurrent('on a terminal', () => {
  test('a running command shows bytes, lines and time, and the line is gone in the end', async () => {
    const { root } = await freshWorkspace();
    const session = onTerminal(['exec', '--', 'sh', '-c', 'seq 1 500; sleep 1.5; echo end'], { cwd: root });
    expect(await session.ended).toBe(0);
    const live = session
      .seen()
      .split(CLEARED)
      .filter((line) => line.includes('…'));
    expect(live.length).toBeGreaterThan(3);
    expect(live[0]?.startsWith(DIM) && live[0].endsWith(PLAIN)).toBe(true);
    expect(withoutColour(live[0] ?? '')).toMatch(/^… 1\.9 KB, 500 lines, \d\.\d s$/);
    expect(new Set(live).size).toBeGreaterThan(1);
    expect(onScreen(session.seen())).toMatch(/^1\n2\n3\n[^…]*\n500\nend\n$/);
  });

  test('a quick command shows no progress at all', async () => {
    const { root } = await freshWorkspace();
    const session = onTerminal(['exec', '--', 'echo', 'hello'], { cwd: root });
    expect(await session.ended).toBe(0);
    expect(session.seen()).toBe('hello\r\n');
  });

  test('a dim line under a cut output tells sizes, handle and path', async () => {
    const { root, ids } = await freshWorkspace();
    await writeFile(join(root, 'a.log'), numberedLines(3_000));
    const session = onTerminal(['truncate', 'a.log', '--limit', '600'], { cwd: root, columns: 250 });
    expect(await session.ended).toBe(0);
    const [id = ''] = await ids();
    const last = session.seen().trimEnd().split('\r\n').at(-1) ?? '';
    expect(last.startsWith(DIM) && last.endsWith(PLAIN)).toBe(true);
    expect(last.slice(DIM.length, -PLAIN.length)).toMatch(
      new RegExp(
        String.raw`^\d+ of 28,893 chars shown · 29 KB stored as ${id} · /.*\.acode/artifacts/cli/truncate-.*\.txt$`,
      ),
    );
  });

  test('of 40 columns each fact has a line of its own, and progress fits', async () => {
    const { root } = await freshWorkspace();
    const script = 'seq -f "line %.0f" 1 3000; sleep 1';
    const session = onTerminal(['exec', '--limit', '600', '--', 'sh', '-c', script], {
      cwd: root,
      columns: 40,
    });
    expect(await session.ended).toBe(0);
    const live = session
      .seen()
      .split(CLEARED)
      .filter((line) => line.startsWith(`${DIM}…`));
    expect(live.length).toBeGreaterThan(0);
    for (const line of live) expect(withoutColour(line).length).toBeLessThan(40);
    const dims = session
      .seen()
      .split('\r\n')
      .filter((line) => line.startsWith(DIM) && line.endsWith(PLAIN));
    expect(dims.slice(-3).map((line) => withoutColour(line).split(' ')[0])).toEqual([
      expect.stringMatching(/^\d+$/),
      '29',
      expect.stringMatching(/^\//),
    ]);
  });

  test('NO_COLOR takes the dimness away and leaves the words', async () => {
    const { root } = await freshWorkspace();
    await writeFile(join(root, 'a.log'), numberedLines(3_000));
    const session = onTerminal(['truncate', 'a.log', '--limit', '600'], {
      cwd: root,
      columns: 250,
      env: { NO_COLOR: '1' },
    });
    await session.ended;
    expect(session.seen()).toContain('chars shown · 29 KB stored as art_');
    expect(session.seen()).not.toContain('\x1b[');
  });

  test('Ctrl-C reaches the command, and what it had said is shown and kept', async () => {
    const { root, run, ids } = await freshWorkspace();
    const script = 'trap "echo caught; exit 9" INT; echo begun; while :; do sleep 0.1; done';
    const session = onTerminal(['exec', '--', 'sh', '-c', script], { cwd: root });
    await session.until(/6 bytes, 1 line,/);
    session.type('\x03');
    expect(await session.ended).toBe(9);
    expect(onScreen(session.seen())).toContain('[Cancelled. Output incomplete.]\nbegun\ncaught\n');
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe('begun\ncaught\n');
  });

  test('a command that takes no notice of Ctrl-C is ended by the third', async () => {
    const { root } = await freshWorkspace();
    const script = 'trap "" INT TERM; echo begun; while :; do sleep 0.1; done';
    const session = onTerminal(['exec', '--', 'sh', '-c', script], { cwd: root });
    await session.until(/6 bytes, 1 line,/);
    for (const wait of [300, 300, 300]) {
      session.type('\x03');
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    expect(await session.ended).toBe(137);
    expect(session.seen()).toContain('begun');
  });

  test('a program that draws a screen is said to be a recording', async () => {
    const { root } = await freshWorkspace();
    const script = String.raw`printf '\033[?1049h\033[1;1Hhello\033[?1049l'`;
    const session = onTerminal(['exec', '--', 'sh', '-c', script], { cwd: root });
    await session.ended;
    expect(session.seen()).toContain('It draws a screen: what is stored is the recording of it, not a text.');
  });

  test('tables are as wide as the window', async () => {
    const { root, run } = await freshWorkspace();
    await run(['truncate', '--limit', '600', '--session', 'a'], {
      input: numberedLines(3_000, 'a rather long line'),
    });
    const session = onTerminal(['artifacts', 'list'], { cwd: root, columns: 60 });
    await session.ended;
    for (const line of session.seen().split('\r\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe.concurrent('on a terminal of 40 columns', () => {
  test.each([
    ['the help of the program', ['--help']],
    ['the help of a command', ['artifacts', 'export', '--help']],
  ])('%s is wrapped between words', async (_, args) => {
    const { root, run } = await freshWorkspace();
    const session = onTerminal(args, { cwd: root, columns: 40 });
    expect(await session.ended).toBe(0);
    const [text] = session.seen().split('Examples:');
    const lines = text?.split('\r\n') ?? [];
    expect(lines.filter((line) => line.length > 40 && !line.startsWith('Usage:'))).toEqual([]);
    const words = (some: string) => some.split('Examples:')[0]?.split(/\s+/).join(' ').trim();
    expect(words(session.seen())).toBe(words((await run(args)).stdout));
  });

  test('a table that cannot be narrower stands as lines, with its ids whole', async () => {
    const { root, run, ids } = await freshWorkspace();
    await run(['truncate', '--limit', '600'], { input: numberedLines(3_000) });
    const session = onTerminal(['artifacts', 'list'], { cwd: root, columns: 40 });
    await session.ended;
    const [id = ''] = await ids();
    expect(session.seen()).toMatch(
      new RegExp(
        `^Artifacts\r\nID: ${id}\r\n  Age: \\d+ s\r\n  Size: 29 KB\r\n  Source: truncate: line 1\r\n$`,
      ),
    );
  });
});

describe.concurrent('--pty', () => {
  test('gives the command a terminal: one stream in its true order, with its exit code', async () => {
    const { run } = await freshWorkspace();
    const script = 'test -t 1 && echo yes; echo out; echo err >&2; echo again; exit 5';
    const { code, stdout } = await run(['exec', '--pty', '--', 'sh', '-c', script]);
    expect(code).toBe(5);
    expect(stdout).toBe('[Exit code 5.]\nyes\r\nout\r\nerr\r\nagain\r\n');
  });

  test('ends with its time, and all of a long output arrives', async () => {
    const { run, ids } = await freshWorkspace();
    expect(
      await run(['exec', '--pty', '--timeout', '1', '--', 'sh', '-c', 'echo x; sleep 60']),
    ).toMatchObject({
      code: 124,
      stdout: '[Timed out. Output incomplete.]\nx\r\n',
    });
    await run(['exec', '--pty', '--', 'seq', '1', '100000']);
    const [id = ''] = await ids();
    const { stdout } = await run(['artifacts', 'show', id, '--raw']);
    expect(stdout).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\r\n`).join(''));
  });

  test('has the size of the window of the person', async () => {
    const { root } = await freshWorkspace();
    const session = onTerminal(['exec', '--pty', '--', 'stty', 'size'], { cwd: root, columns: 77 });
    await session.ended;
    expect(session.seen()).toContain('30 77');
  });
});
