// Captured text on a real terminal: whatever a tool said, nothing acts on the terminal of the
// reader.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, type Workspace } from '../program.ts';
import { onTerminal } from '../terminal.ts';

const CLIPBOARD = '\x1b]52;c;cm0gLXJmIH4=\x07';
const TITLE = '\x1b]0;owned\x1b\\';
const CLEAR = '\x1b[2J\x1b[1;1H';
const C1 = '\u009b2J\u009d0;owned\u009c';
const BIDI = 'if \u202e\u2066// admin\u2069 \u2066\u200f\u061c';
const CHARSET = '\x1b(0\x0e';
const OVERWRITE = 'danger\rsafe  ';
const COLOUR = '\x1b[1;31mred\x1b[0m';
const HOSTILE = `needle ${CLIPBOARD}${TITLE}${CLEAR}${C1}${BIDI}${CHARSET}\x7f\x08 end\n`;

/** The sequences of our own: dimness and the line that is written over. */
const OWN = ['\x1b[2m', '\x1b[22m', '\r\x1b[K'];

/** Control characters that reached the terminal, as code points. */
function controlsIn(recording: string): string[] {
  const others = OWN.reduce((text, own) => text.replaceAll(own, ''), recording).replaceAll('\r\n', '\n');
  const found =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    others.match(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g) ?? [];
  return found.map((char) => char.charCodeAt(0).toString(16));
}

async function seenOf(
  { root }: Workspace,
  args: readonly string[],
  columns = 200,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const session = onTerminal(args, { cwd: root, columns, env });
  await session.ended;
  return session.seen();
}

/** A workspace with one hostile output that was cut, under hostile names. */
async function hostile(): Promise<{ workspace: Workspace; id: string }> {
  const workspace = await freshWorkspace();
  const input = HOSTILE + numberedLines(2_000);
  await workspace.run(['truncate', '--tool', `t${CLEAR}`, '--session', `s${TITLE}${BIDI}`], { input });
  return { workspace, id: (await workspace.ids())[0] ?? '' };
}

describe.concurrent('on a terminal control characters are visible and do nothing', () => {
  test.each([
    ['show', (id: string) => ['artifacts', 'show', id, '--lines', '1-3']],
    ['show --grep', (id: string) => ['artifacts', 'show', id, '--grep', 'needle']],
    ['show --raw', (id: string) => ['artifacts', 'show', id, '--raw']],
    ['show --interleaved', (id: string) => ['artifacts', 'show', id, '--interleaved']],
    ['grep', () => ['artifacts', 'grep', 'needle']],
  ])('in artifacts %s', async (_, args) => {
    const { workspace, id } = await hostile();
    const seen = await seenOf(workspace, args(id));
    expect(controlsIn(seen)).toEqual([]);
    expect(seen).toContain(String.raw`needle \x1b]52;c;cm0gLXJmIH4=\x07\x1b]0;owned\x1b\\x1b[2J`);
    expect(seen).toContain(String.raw`\u009b2J\u009d0;owned\u009cif \u202e\u2066// admin\u2069`);
    expect(seen).toContain(String.raw`\x1b(0\x0e\u007f\x08 end`);
  });

  test.each([
    ['artifacts list', ['artifacts', 'list']],
    ['artifacts list --all', ['artifacts', 'list', '--all']],
    ['sessions list', ['sessions', 'list']],
    ['sessions show', ['sessions', 'show', `s${TITLE}${BIDI}`]],
    ['an error that names a session', ['sessions', 'show', `s${TITLE}${BIDI}x`]],
    ['stats', ['stats']],
    ['stats at 40 columns', ['stats'], 40],
    ['an unknown flag', ['truncate', `--${CLEAR}`]],
    ['an unknown command', [CLEAR]],
    ['a file that is not there', ['truncate', `${C1}${BIDI}`]],
    ['a program that is not there', ['exec', '--', `no${C1}${BIDI}`]],
  ])('in %s', async (_, args, columns = 200) => {
    const { workspace } = await hostile();
    const seen = await seenOf(workspace, args as string[], columns as number);
    expect(seen.length).toBeGreaterThan(10);
    expect(controlsIn(seen)).toEqual([]);
  });

  test('in projections of truncate and exec, shown whole or cut, and in the notice beside JSON', async () => {
    const workspace = await freshWorkspace();
    await writeFile(join(workspace.root, 'whole'), HOSTILE);
    await writeFile(join(workspace.root, 'cut'), HOSTILE + numberedLines(2_000) + HOSTILE);
    await writeFile(join(workspace.root, 'a.json'), JSON.stringify(Array(900).fill(C1 + BIDI)));
    for (const args of [
      ['truncate', 'whole'],
      ['truncate', 'cut', '--set', 'clean=never'],
      ['truncate', 'a.json'],
      ['exec', '--', 'cat', 'whole'],
      ['exec', '--', 'sh', '-c', 'cat cut >&2'],
      ['exec', '--pty', '--', 'cat', 'whole'],
    ]) {
      const seen = await seenOf(workspace, args);
      expect(seen).toMatch(/\\u202e/);
      expect([args, controlsIn(seen)]).toEqual([args, []]);
    }
  });

  test('a line that overwrites itself shows both, line ends and tabs stay, colours are dropped', async () => {
    const workspace = await freshWorkspace();
    await writeFile(join(workspace.root, 'a'), `${OVERWRITE}\r\n\tx\n${COLOUR}\n`);
    const seen = await seenOf(workspace, ['truncate', 'a']);
    expect(seen.replaceAll('\r\n', '\n')).toMatch(/^danger\\x0dsafe {2}\n(?:\t| {8})x\nred\n/);
  });

  test('in the log, which names tools and sessions', async () => {
    const { workspace } = await hostile();
    await writeFile(join(workspace.root, 'a'), 'x');
    const args = ['truncate', 'a', '--tool', `t${C1}`, '--session', `s${BIDI}`];
    const seen = await seenOf(workspace, args, 5_000, { SPILLWAY_LOG: 'info' });
    expect(controlsIn(seen)).toEqual([]);
    const [line = ''] = seen.split('\r\n');
    expect(JSON.parse(line)).toMatchObject({ event: 'captured', tool: `t${C1}`, session: `s${BIDI}` });
  });

  test('JSON stays what it is', async () => {
    const { workspace, id } = await hostile();
    const args = ['artifacts', 'show', id, '--lines', '1-1', '--json'];
    const seen = await seenOf(workspace, args, 5_000);
    expect(controlsIn(seen)).toEqual([]);
    expect(JSON.parse(seen)).toEqual(JSON.parse((await workspace.run(args)).stdout));
  });

  test('characters and colours that two chunks share are read together', async () => {
    const workspace = await freshWorkspace();
    // Chunks of 64 KB end inside the character, or inside the colour.
    for (const [before, what] of [
      [65_535, 'é|'],
      [65_533, '\x1b[31mred|'],
      [65_535, '\r\n|'],
    ] as const) {
      const text = `${'x'.repeat(before)}${what}`;
      await workspace.run(['truncate'], { input: text });
      const [id = ''] = await workspace.ids();
      const seen = await seenOf(workspace, ['artifacts', 'show', id, '--raw']);
      expect(seen.endsWith(`x${what.replace('\x1b[31m', '')}`)).toBe(true);
    }
  });
});

describe.concurrent('in a pipe', () => {
  test('--raw gives the exact bytes, a page and a projection their text as it is', async () => {
    const { workspace, id } = await hostile();
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(
      HOSTILE + numberedLines(2_000),
    );
    expect((await workspace.run(['artifacts', 'show', id, '--lines', '1-1'])).stdout).toBe(HOSTILE);
    expect((await workspace.run(['truncate'], { input: HOSTILE })).stdout).toBe(HOSTILE);
  });
});
