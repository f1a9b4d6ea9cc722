// What a person sees: the program on a real terminal, recorded. Progress, the dim line under a cut
// output, narrow windows, NO_COLOR, Ctrl-C, screens.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, untimed } from '../program.ts';
import { CLEARED, DIM, onScreen, onTerminal, PLAIN } from '../terminal.ts';

/** Escape sequences for colours and dimness taken away. */
function withoutColour(line: string): string {
  return line.replaceAll(DIM, '').replaceAll(PLAIN, '');
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
    expect(untimed(onScreen(session.seen()))).toContain(
      '[Cancelled after TIME. Output incomplete.]\nbegun\ncaught\n',
    );
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

  test('artifacts clean asks before it ends handles of sessions that have not ended', async () => {
    const { root, truncate, ids } = await freshWorkspace();
    await truncate(numberedLines(3_000));
    const refused = onTerminal(['artifacts', 'clean'], { cwd: root });
    await refused.until(/Remove them\? \[y\/N\] /);
    expect(refused.seen()).toContain('Of these, 1 belongs to sessions that have not ended');
    refused.type('n\r');
    expect(await refused.ended).toBe(1);
    expect(await ids()).toHaveLength(1);
    const agreed = onTerminal(['artifacts', 'clean'], { cwd: root });
    await agreed.until(/\[y\/N\] /);
    agreed.type('y\r');
    expect(await agreed.ended).toBe(0);
    expect(await ids()).toHaveLength(0);
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

describe.concurrent('--tee', () => {
  const script = 'seq -f "line %.0f" 1 3000; echo oops >&2; exit 3';

  test('shows all of it live on the terminal, then what a model reads, and no progress', async () => {
    const { root } = await freshWorkspace();
    const session = onTerminal(['exec', '--tee', '--limit', '600', '--', 'sh', '-c', `sleep 1; ${script}`], {
      cwd: root,
    });
    expect(await session.ended).toBe(3);
    const [live = '', projection = ''] = session.seen().split(`${DIM}What a model reads of it:${PLAIN}\r\n`);
    expect(live.replaceAll('\r\n', '\n').replace('oops\n', '')).toBe(numberedLines(3_000));
    expect(live).toContain('oops\r\n');
    expect(projection).toMatch(/^\[Exit code 3 after /);
    expect(projection).toContain('omitted from stdout');
  });

  test('shows each line when it is said, not at the end', async () => {
    const { root } = await freshWorkspace();
    const session = onTerminal(['exec', '--tee', '--', 'sh', '-c', 'echo ready; read answer; echo $answer'], {
      cwd: root,
    });
    // The command waits for an answer that is typed only once its line is seen.
    await session.until(/ready/);
    session.type('go on\r');
    expect(await session.ended).toBe(0);
  });

  test('cannot act on the terminal', async () => {
    const { root } = await freshWorkspace();
    const hostile = String.raw`printf '\033]52;c;eA==\007'; printf '\342\200'; sleep 0.2; printf '\256'`;
    const session = onTerminal(['exec', '--tee', '--', 'sh', '-c', hostile], { cwd: root });
    await session.ended;
    expect(session.seen()).toContain(String.raw`\x1b]52;c;eA==\x07\u202e`);
    expect(session.seen()).not.toContain('\x1b]');
  });

  test('in pipes gives the bytes on standard error, and the projection alone on standard output', async () => {
    const { run } = await freshWorkspace();
    const plain = await run(['exec', '--limit', '600', '--', 'sh', '-c', script]);
    const { code, stdout, stderr } = await run(['exec', '--tee', '--limit', '600', '--', 'sh', '-c', script]);
    const nameless = (text: string) => untimed(text).replaceAll(/art_\w+/g, 'art');
    expect(code).toBe(3);
    expect(nameless(stdout)).toBe(nameless(plain.stdout));
    expect(stderr.replace('oops\n', '')).toBe(numberedLines(3_000));
    expect(stderr).toContain('oops\n');
  });

  test('of a person who has gone leaves the command and its record', async () => {
    const { shell, run } = await freshWorkspace();
    const { stdout } = await shell(
      `{ spillway exec --tee --limit 600 -- seq 1 200000 2>&1 1>projection; echo $? >code; } | head -1; cat code`,
    );
    expect(stdout).toBe('1\n0\n');
    expect((await run(['artifacts', 'show', 'last', '--tail', '1'])).stdout).toBe('200000\n');
  });
});

describe.concurrent('a table', () => {
  /** Columns of a line: of the characters that are used here, these take two, marks none. */
  const columnsOf = (line: string) =>
    [...line].reduce((sum, char) => sum + (/[漢字😀]/u.test(char) ? 2 : char === '\u0301' ? 0 : 1), 0);

  test.each([200, 80, 70])('stays in line at %i columns whatever characters a name has', async (columns) => {
    const { root, run } = await freshWorkspace();
    const input = numberedLines(3_000);
    for (const tool of ['漢字'.repeat(12), '漢字😀'.repeat(3), 'e\u0301'.repeat(9), 'plain'])
      await run(['truncate', '--limit', '600', '--tool', tool], { input: tool + input });
    const session = onTerminal(['artifacts', 'list'], { cwd: root, columns });
    expect(await session.ended).toBe(0);
    const lines = session.seen().trimEnd().split('\r\n');
    expect(lines).toHaveLength(10);
    expect(new Set(lines.map(columnsOf)).size).toBe(1);
    expect(columnsOf(lines[0] ?? '')).toBeLessThanOrEqual(columns);
    expect(session.seen()).not.toContain('\ufffd');
  });

  test('has its title cut like a cell where it is wider than its columns', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['config', 'explain', 'x'.repeat(300)]);
    const [top = '', title = ''] = stdout.split('\n');
    expect(title.length).toBe(top.length);
    expect(title).toContain('x… │');
  });
});

test('the help of the program fits a screen of 80 columns and 24 rows', async () => {
  const { root } = await freshWorkspace();
  const session = onTerminal(['--help'], { cwd: root, columns: 80 });
  expect(await session.ended).toBe(0);
  // The prompt takes the last row.
  expect(session.seen().trimEnd().split('\r\n').length).toBeLessThanOrEqual(23);
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
        `^Artifacts\r\nID: ${id}\r\n  Age: now\r\n  Size: 29 KB\r\n  Source: truncate: standard input\r\n$`,
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
    expect(untimed(stdout)).toBe('[Exit code 5 after TIME.]\nyes\r\nout\r\nerr\r\nagain\r\n');
  });

  test('ends with its time, and all of a long output arrives', async () => {
    const { run, ids } = await freshWorkspace();
    expect(
      await run(['exec', '--pty', '--timeout', '1', '--', 'sh', '-c', 'echo x; sleep 60']),
    ).toMatchObject({
      code: 124,
      stdout: '[Timed out after 1 s. Output incomplete.]\nx\r\n',
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
