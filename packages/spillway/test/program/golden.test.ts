// What every command prints, word for word. Ids, times, paths and sizes that differ from run to run
// are named instead.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';

const LOG = numberedLines(3_000);

/** Names for what differs; as long as what they stand for where a table depends on it. */
function named(text: string, { root }: Workspace): string {
  return text
    .replaceAll(/art_\d{10}_[0-9a-z]{16}/g, 'art_0123456789_abcdefghjkmnpqrs')
    .replaceAll(root, 'ROOT')
    .replaceAll(/ after [\d.]+ s(?=\.)/g, ' after TIME')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2024-05-01 10:00')
    .replaceAll(/[\d.]+ [KMGT]B free/g, 'ROOM free')
    .replaceAll(/the file has [\d.]+ [KM]B/g, 'the file has SIZE')
    .replaceAll(/Node \d+\.\d+\.\d+, \w+ \w+/g, 'Node VERSION')
    .replace(/^(✓ Program: spillway) \d+\.\d+\.\d+ /m, '$1 VERSION ');
}

async function withOutputs(): Promise<Workspace & { readonly id: string }> {
  const workspace = await freshWorkspace();
  await writeFile(join(workspace.root, 'build.log'), LOG);
  const cut = await workspace.run(['truncate', 'build.log', '--limit', '400', '--json']);
  await workspace.run(['exec', '--session', 'run-1', '--', 'sh', '-c', 'echo fine; echo broken >&2; exit 2']);
  return { ...workspace, id: handleOf(parsed(cut)) };
}

async function printed(workspace: Workspace, ...args: string[]) {
  const { code, stdout, stderr } = await workspace.run(args);
  return { code, stdout: named(stdout, workspace), stderr: named(stderr, workspace) };
}

describe.concurrent('word for word,', () => {
  test('truncate', async () => {
    const workspace = await withOutputs();
    expect(await printed(workspace, 'truncate', 'build.log', '--limit', '400', '--strategy', 'head')).toEqual(
      {
        code: 0,
        stderr: '',
        stdout: `[Showing 191 of 28,893 chars (3,000 lines). More: spillway artifacts show art_0123456789_abcdefghjkmnpqrs --lines 26-3000]
${numberedLines(25)}
... [Remainder omitted: 2,975 lines / 28,702 chars: 26-3000] ...`,
      },
    );
  });

  test('truncate --explain', async () => {
    const workspace = await withOutputs();
    const lines = numberedLines(1_000).replace('line 500\n', 'line 500\nTypeError: x is not a function\n');
    await writeFile(join(workspace.root, 'failing.log'), lines);
    const { stderr, code } = await printed(
      workspace,
      'truncate',
      'failing.log',
      '--limit',
      '900',
      '--explain',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Kept by smart_summary, because some of its lines may tell of errors:\n {2}line 1 \([\d,]+ chars\): beginning \d\.\d\n/,
    );
    expect(stderr).toMatch(/\n {2}lines? [\d,-]+ \(\d+ chars\): .*exception \d\.\d/);
    expect(stderr).toMatch(/\n {2}line 1,001 \(\d+ chars\): end \d\.\d\n$/);
    const whole = await printed(workspace, 'truncate', 'failing.log', '--explain', '--no-store');
    expect(whole).toMatchObject({ code: 0, stderr: 'Shown whole: it is within the limit.\n' });
    const inJson = await workspace.run(['truncate', 'failing.log', '--limit', '900', '--explain', '--json']);
    expect(inJson.stderr).toBe('');
    expect(JSON.parse(inJson.stdout)).toMatchObject({ reasons: [{ part: 1, blocks: expect.any(Array) }] });
    const plain = await printed(
      workspace,
      'truncate',
      'build.log',
      '--limit',
      '400',
      '--set',
      'preserve_errors=false',
      '--set',
      'preserve_warnings=false',
      '--strategy',
      'head',
      '--explain',
    );
    expect(plain.stderr).toBe('Kept by head, which weighs no lines.\n');
  });

  test('artifacts list', async () => {
    const workspace = await withOutputs();
    expect((await printed(workspace, 'artifacts', 'list', '--all')).stdout).toBe(
      `\
┌──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
│ Artifacts                                                                                                                    │
├─────────────────────────────────┬─────┬──────────┬─────────────┬─────────────────────────────────────────────────────────────┤
│ ID                              │ Age │ Size     │ State       │ Source                                                      │
├─────────────────────────────────┼─────┼──────────┼─────────────┼─────────────────────────────────────────────────────────────┤
│ art_0123456789_abcdefghjkmnpqrs │ now │ 12 bytes │ shown whole │ execute_command: sh -c 'echo fine; echo broken >&2; exit 2' │
│ art_0123456789_abcdefghjkmnpqrs │ now │ 29 KB    │ told        │ truncate: build.log                                         │
└─────────────────────────────────┴─────┴──────────┴─────────────┴─────────────────────────────────────────────────────────────┘
`,
    );
  });

  test('artifacts show', async () => {
    const workspace = await withOutputs();
    expect(await printed(workspace, 'artifacts', 'show', workspace.id, '--lines', '2-3')).toEqual({
      code: 0,
      stdout: 'line 2\nline 3\n',
      stderr: '[art_0123456789_abcdefghjkmnpqrs: lines 2-3 of 3,000, chars 8-21 of 28,893]\n',
    });
  });

  test('artifacts grep, in one, in all, by ids, by count', async () => {
    const workspace = await withOutputs();
    const id = 'art_0123456789_abcdefghjkmnpqrs';
    expect(await printed(workspace, 'artifacts', 'grep', '^line 299[89]$', workspace.id)).toEqual({
      code: 0,
      stdout: '2998:line 2998\n2999:line 2999\n',
      stderr: '',
    });
    expect((await printed(workspace, 'artifacts', 'grep', 'line 42$|broken')).stdout).toBe(
      `${id}:stderr:1:broken\n${id}:42:line 42\n`,
    );
    expect((await printed(workspace, 'artifacts', 'grep', 'line 42$', '--context', '1')).stdout).toBe(
      `${id}:41-line 41\n${id}:42:line 42\n${id}:43-line 43\n`,
    );
    expect((await printed(workspace, 'artifacts', 'grep', '--ids', 'line|fine')).stdout).toBe(
      `${id}\n${id}\n`,
    );
    expect((await printed(workspace, 'artifacts', 'grep', '--count', 'line|fine')).stdout).toBe(
      `${id}:stdout:1\n${id}:3000\n`,
    );
    expect(await printed(workspace, 'artifacts', 'grep', 'nowhere')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No line matches.\n',
    });
    expect(await printed(workspace, 'artifacts', 'grep', '(')).toMatchObject({ code: 2, stdout: '' });
    const { stdout } = await workspace.run(['artifacts', 'grep', 'broken', '--json']);
    expect(JSON.parse(stdout).matches).toEqual([
      { id: expect.stringMatching(/^art_/), part: 'stderr', line: 1, text: 'broken' },
    ]);
  });

  test('artifacts export, byte for byte, for the owner only, and never over what is there', async () => {
    const workspace = await withOutputs();
    expect(await printed(workspace, 'artifacts', 'export', '--all', '--to', 'out')).toEqual({
      code: 0,
      stdout: 'Exported 2 outputs to ROOT/out.\n',
      stderr: '',
    });
    const folder = join(workspace.root, 'out', workspace.id);
    expect((await readdir(folder)).toSorted()).toEqual([
      '1-input.json',
      '2-text.txt',
      'projection.txt',
      'record.json',
    ]);
    expect(await readFile(join(folder, '2-text.txt'), 'utf8')).toBe(LOG);
    expect(await readFile(join(folder, '1-input.json'), 'utf8')).toBe('{"path":"build.log"}');
    expect(await readFile(join(folder, 'projection.txt'), 'utf8')).toContain(' More: ');
    expect(((await stat(join(folder, '2-text.txt'))).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
    expect(await printed(workspace, 'artifacts', 'export', workspace.id, '--to', 'out')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'spillway: ROOT/out/art_0123456789_abcdefghjkmnpqrs is there already: remove it, or name another folder with --to.\n',
    });
  });

  test('artifacts clean', async () => {
    const workspace = await withOutputs();
    expect(await printed(workspace, 'artifacts', 'clean', '--purge')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Removing 2 stored outputs (29 KB).\nOf these, 2 belong to sessions that have not ended: an agent may still fetch them.\n',
    });
  });

  test('sessions list, show, end and delete', async () => {
    const workspace = await withOutputs();
    expect((await printed(workspace, 'sessions', 'list')).stdout).toBe(`\
┌─────────────────────────────────────────────────────┐
│ Sessions                                            │
├──────────────────┬──────────────────┬───────┬───────┤
│ Opened           │ Last seen        │ State │ ID    │
├──────────────────┼──────────────────┼───────┼───────┤
│ 2024-05-01 10:00 │ 2024-05-01 10:00 │ open  │ run-1 │
│ 2024-05-01 10:00 │ 2024-05-01 10:00 │ open  │ cli   │
└──────────────────┴──────────────────┴───────┴───────┘
`);
    expect((await printed(workspace, 'sessions', 'show', 'cli')).stdout).toBe(
      `\
Session cli: opened TIME, last seen TIME.
1 output, 29 KB.
┌───────────────────────────────────────────────────────────────────────┐
│ Outputs                                                               │
├─────────────────────────────────┬───────┬───────┬─────────────────────┤
│ ID                              │ Size  │ Ended │ Source              │
├─────────────────────────────────┼───────┼───────┼─────────────────────┤
│ art_0123456789_abcdefghjkmnpqrs │ 29 KB │ ok    │ truncate: build.log │
└─────────────────────────────────┴───────┴───────┴─────────────────────┘
`,
    );
    const store = sqliteStore({ file: join(workspace.artifacts, 'store.db') });
    const text = (i: number) => ({ id: `m${i}`, role: 'user' as const, at: Date.now(), parts: [] });
    await store.addMessages({ scope: 'workspace', session: 'cli', messages: [text(1), text(2)] });
    await store.close();
    expect((await printed(workspace, 'sessions', 'show', 'cli')).stdout).toContain(
      '2 messages, 1 output, 29 KB.\n',
    );
    expect(await printed(workspace, 'sessions', 'end', 'cli')).toEqual({
      code: 0,
      stdout: 'Ended session cli: 1 handle no longer resolves.\n',
      stderr: '',
    });
    expect((await workspace.run(['artifacts', 'show', workspace.id])).code).toBe(1);
    expect(await printed(workspace, 'sessions', 'delete', 'run-1', '--dry-run')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Would remove session run-1 with 1 stored output (72 bytes).\n',
    });
    expect((await printed(workspace, 'sessions', 'delete', 'run-1', '--json')).stdout).toBe(
      '{"id":"run-1","outputs":1,"bytes_freed":72,"dry_run":false}\n',
    );
    const { sessions } = parsed<{ sessions: { id: string; ended: string | null }[] }>(
      await workspace.run(['sessions', 'list', '--all', '--json']),
    );
    expect(sessions.every(({ ended }) => ended !== null)).toBe(true);
    expect(await printed(workspace, 'sessions', 'show', 'run-2')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'spillway: There is no session of that name here. See `spillway sessions list --all`.\n',
    });
  });

  test('doctor, where all is well', async () => {
    const workspace = await withOutputs();
    expect(await printed(workspace, 'doctor')).toEqual({
      code: 0,
      stderr: '',
      stdout: `\
✓ Program: spillway VERSION on Node VERSION
✓ Home: ROOT
✓ Settings: built-in, no file is there
✓ Workspace: ROOT
✓ Store folder: ROOT/.acode/artifacts, ROOM free
✓ Store: 2 outputs with 29 KB, 2 sessions, 4 events; the file has SIZE
✓ Content: 2 outputs (29 KB) read back, all as they were stored; --deep reads everything
✓ Plain copies: 1 file with 29 KB, at most 105 MB
✓ Package @lydell/node-pty: there, for exec --pty
✓ Package pg: there, for a shared PostgreSQL store
`,
    });
  });

  test('the help of the program and of a command', async () => {
    const workspace = await freshWorkspace();
    const { stdout } = await workspace.run(['--help']);
    expect(stdout.split('\n').slice(0, 6).join('\n')).toBe(`\
spillway: nothing a tool said is lost, and nothing a model reads is wasted.

Usage: spillway COMMAND [ARGUMENTS]

Commands:
  exec       Run a command, store all it says, print what a model should read.`);
    expect((await workspace.run(['sessions', 'delete', '--help'])).stdout).toBe(`\
Remove a session with all it stored; it cannot be brought back.

Usage: spillway sessions delete ID [FLAGS]

Flags:
  --dry-run  Only say what would go.
  --json     Print JSON.
  --help     Show this help.

Examples:
  spillway sessions delete run-42 --dry-run
  spillway sessions delete run-42
`);
  });
});
