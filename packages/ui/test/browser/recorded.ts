/**
 * A workspace in which real processes have recorded what the tests look at: commands through
 * `spillway exec`, a server behind `spillway mcp`, and an agent with messages and a window.
 */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { Peer, PROGRAM } from '../../../spillway/test/gateway/peer.ts';
import { program } from '../../../spillway/test/gateway/recorded.ts';
import {
  type Executed,
  numberedLines,
  parsed,
  type Workspace,
  workspaceWith,
} from '../../../spillway/test/program.ts';

const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

/** A build that fails: 2,400 lines, colours, 60 warnings, one error in the middle, exit code 2. */
const BUILD = `
for (let i = 1; i <= 1200; i++) {
  console.log('\\x1b[2m[' + i + '/1200]\\x1b[0m compile src/module_' + i + '.c');
  console.log(i % 20 === 0 ? 'src/module_' + i + '.c:8:3: \\x1b[35mwarning:\\x1b[0m unused variable ‘v' + i + '’ [-Wunused]' : '  done in ' + (i % 13) + ' ms');
  if (i === 700) console.log('src/module_700.c:12:5: \\x1b[1;31merror:\\x1b[0m too few arguments to function ‘resize’');
}
console.log('make: *** [Makefile:12: all] Error 1');
process.exitCode = 2;
`;

/**
 * What must stay text: markup, bidi, a link of a terminal, NUL, and a line of 50,000 chars. Then a
 * colour that goes over many lines.
 */
const HOSTILE = `
console.log('<script>window.wasRun = true</script><img src=x onerror="window.wasRun = true">');
console.log('access granted \\u202E detnarg ssecca \\u2066');
console.log('\\x1b]8;;https://example.invalid\\x07click me\\x1b]8;;\\x07 and \\x00 and \\x07');
console.log('long ' + 'x'.repeat(50000));
console.log('\\x1b[36m');
for (let i = 0; i < 2000; i++) console.log('filler ' + i);
console.log('\\x1b[0mplain again');
`;

const AGENT = `
import { openAgent } from 'spillway';
const agent = await openAgent({ session: 'widen-resize', shape: 'openai_chat' });
const call = (id, name, args) => ({ role: 'assistant', content: 'I run ' + name + '.', tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] });
agent.tool(() => 'src/table.c:12: resize\\nsrc/table.c:90: resize\\n', { name: 'search_files' });
agent.tool(() => Array.from({ length: 3000 }, (_, i) => 'int f' + i + '(void) { return ' + i + '; }\\n').join(''), { name: 'read_file' });
await agent.say('Widen resize to size_t, and make sure that it still builds.');
await agent.run((await agent.take(call('c1', 'search_files', { query: 'resize' }))).calls);
await agent.request({ window: 32000 });
await agent.run((await agent.take(call('c2', 'read_file', { path: 'src/table.c' }))).calls);
const { body } = await agent.request({ window: 32000 });
const id = JSON.stringify(body).match(/art_\\d+_\\w+/)[0];
await agent.fetch({ artifact_id: id, lines: '900-950' });
console.log(JSON.stringify({ id }));
await agent.close();
`;

export interface Recorded {
  readonly workspace: Workspace;
  /** Handles of the failed build, of what the agent read, and of the hostile text. */
  readonly build: string;
  readonly read: string;
  readonly hostile: string;
}

export async function recordedWorkspace(): Promise<Recorded> {
  const workspace = await withLibrary({
    'build.mjs': BUILD,
    'hostile.mjs': HOSTILE,
    'agent.mjs': AGENT,
    'notes.txt': numberedLines(2_000, 'note'),
    '.acode/config.yml': '# Ours.\ntools:\n  truncation:\n    inline_limit: 6000 # enough\n',
  });
  const build = await executed(workspace, [], ['node', 'build.mjs']);
  const hostile = await executed(workspace, [], ['node', 'hostile.mjs']);
  await executed(workspace, [], ['node', '--version']);
  await throughServer(workspace);
  const agent = await workspace.shell(`'${process.execPath}' agent.mjs`);
  expect([agent.code, agent.stderr]).toEqual([0, '']);
  const { id: read } = JSON.parse(agent.stdout) as { id: string };
  return { workspace, build, hostile, read };
}

/** Runs a command under `spillway exec`; the handle of its output. */
export async function executed(
  workspace: Workspace,
  flags: readonly string[],
  command: readonly string[],
): Promise<string> {
  const { stdout } = await workspace.run(['exec', '--json', ...flags, '--', ...command]);
  const { artifact } = parsed<Executed>({ code: 0, stdout, stderr: '', bytes: Buffer.from(stdout) });
  return artifact?.id ?? '';
}

/** A workspace with these files, in which scripts can import the library. */
export async function withLibrary(files: Readonly<Record<string, string>>): Promise<Workspace> {
  const workspace = await workspaceWith(files);
  await mkdir(join(workspace.root, 'node_modules'));
  await symlink(join(MODULES, 'spillway'), join(workspace.root, 'node_modules', 'spillway'));
  return workspace;
}

/** A large result of a server behind the gateway. */
async function throughServer({ root }: Workspace): Promise<void> {
  const server = [process.execPath, program('server-filesystem'), root];
  const peer = new Peer(process.execPath, [PROGRAM, 'mcp', '--name', 'files', '--', ...server], root);
  await peer.initialize();
  const { result } = await peer.call('read_text_file', { path: join(root, 'notes.txt') });
  expect(JSON.stringify(result)).toContain('art_');
  await peer.close();
}
