// The live line of work that takes long: on a terminal only, and gone when the work is done.
import { spawnSync } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, type Workspace } from '../program.ts';
import { DIM, onScreen, onTerminal } from '../terminal.ts';

const LINE = `${DIM}… `;

/** A workspace with something to export, search, read back and remove. */
async function stored(): Promise<Workspace> {
  const workspace = await freshWorkspace();
  await workspace.run(['truncate', '--session', 'run-1', '--limit', '600'], { input: numberedLines(3_000) });
  const { stdout } = await workspace.run(['sessions', 'export', 'run-1']);
  await writeFile(join(workspace.root, 'run-1.jsonl'), stdout);
  return workspace;
}

const WORK: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['truncate', ['truncate', 'run-1.jsonl'], /Reading: [\d.]+ KB, \d+ lines?, /],
  ['artifacts export', ['artifacts', 'export', '--all'], /Exporting: \d outputs?, [\d.]+ \w+, /],
  ['artifacts grep', ['artifacts', 'grep', '^line 29.0$'], /Searching: \d outputs?, /],
  ['artifacts clean', ['artifacts', 'clean', '--purge', '--yes'], /Removing 1 stored output, /],
  ['sessions import', ['sessions', 'import', 'run-1.jsonl', '--session', 'run-2'], /Importing: \d+ lines?, /],
  ['sessions delete', ['sessions', 'delete', 'run-1'], /Removing 1 output, /],
  ['doctor --deep', ['doctor', '--deep'], /Reading back: [\d.]+ \w+, /],
];

describe.concurrent('progress', () => {
  test('of a slow input is shown after two seconds, and gone in the end', async () => {
    const { root } = await freshWorkspace();
    const pipe = join(root, 'slow');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const session = onTerminal(['truncate', 'slow'], { cwd: root });
    const writer = await open(pipe, 'w');
    await writer.write(numberedLines(10));
    // The writer waits for the line: it comes although nothing more arrives.
    await session.until(/… Reading: 71 bytes, 10 lines, \d+\.\d s/);
    expect(session.seen()).not.toMatch(/, [01]\.\d s/);
    await writer.close();
    expect(await session.ended).toBe(0);
    expect(onScreen(session.seen())).toBe(numberedLines(10));
  });

  test.each(WORK)('of %s tells how far it is, and leaves nothing behind', async (_, args, text) => {
    const { root } = await stored();
    const session = onTerminal(args, { cwd: root, columns: 200, env: { SPILLWAY_PROGRESS: 'now' } });
    expect(await session.ended).toBe(0);
    expect(session.seen()).toMatch(new RegExp(String.raw`… ${text.source}\d+\.\d s`));
    expect(onScreen(session.seen())).not.toContain(LINE);
  });

  test.each(WORK)('of %s is not shown when it is quick', async (_, args) => {
    const { root } = await stored();
    const session = onTerminal(args, { cwd: root, columns: 200 });
    expect(await session.ended).toBe(0);
    expect(session.seen()).not.toContain(LINE);
  });

  test.each([
    ['with --json', ['--json'], { SPILLWAY_PROGRESS: 'now' }],
    ['when it is turned off', [], { SPILLWAY_PROGRESS: 'off' }],
    ['on a terminal that cannot write over a line', [], { SPILLWAY_PROGRESS: 'now', TERM: 'dumb' }],
  ])('is not shown %s', async (_, flags, env) => {
    const { root } = await stored();
    for (const args of [
      ['artifacts', 'grep', 'line 2', ...flags],
      ['exec', ...flags, '--', 'sleep', '0.6'],
    ]) {
      const session = onTerminal(args, { cwd: root, columns: 200, env });
      expect(await session.ended).toBe(0);
      expect(session.seen()).not.toMatch(/… (?:Searching|0 bytes)/);
    }
  });

  test('is not shown in a pipe', async () => {
    const { run } = await stored();
    const env = { SPILLWAY_PROGRESS: 'now' };
    expect(await run(['artifacts', 'grep', '^line 7$'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['artifacts', 'export', '--all'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  test('at 40 columns stays on its line', async () => {
    const { root } = await stored();
    const session = onTerminal(['artifacts', 'export', '--all'], {
      cwd: root,
      columns: 40,
      env: { SPILLWAY_PROGRESS: 'now', NO_COLOR: '1' },
    });
    expect(await session.ended).toBe(0);
    const live = session.seen().match(/… [^\r]*/g) ?? [];
    expect(live.length).toBeGreaterThan(0);
    for (const line of live) expect(line.length).toBeLessThan(40);
  });
});
