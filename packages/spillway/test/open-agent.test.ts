// `openAgent` with batteries, as processes of its user: one import, a workspace, and a session that
// the next process goes on with.
import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { open, openAgent } from '../src/index.ts';
import { freshWorkspace } from './program.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

const AGENT = `
import { openAgent } from 'spillway';
const agent = await openAgent({ session: 'run-1', shape: process.argv[2] });
agent.tool(() => Array.from({ length: 4_000 }, (_, i) => 'line ' + i + ' of it\\n').join(''), { name: 'read' });
if (process.argv[3] === 'first') {
  await agent.say('Read it.');
  const { calls } = await agent.take(
    process.argv[2] === 'anthropic'
      ? { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] }
      : { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }] },
  );
  await agent.run(calls);
} else await agent.say('And now?');
const { body } = await agent.request({ window: 20_000 });
const [id] = JSON.stringify(body).match(/art_\\d+_\\w+/);
const page = await agent.fetch({ artifact_id: id, pattern: 'line 39\\\\d\\\\d ' });
console.log(JSON.stringify({ messages: body.messages, page, path: (await agent.fetch({ artifact_id: id, lines: '1-2' })) }));
await agent.close();
`;

test.each(['openai_chat', 'anthropic'])(
  'a second process that opens the session sends the same bytes again (%s), and patterns work',
  async (shape) => {
    const { root, shell, artifacts } = await freshWorkspace();
    await mkdir(join(root, 'node_modules'));
    await symlink(join(MODULES, 'spillway'), join(root, 'node_modules', 'spillway'));
    await writeFile(join(root, 'agent.mjs'), AGENT);
    const run = async (when: string) => {
      const { stdout, stderr, code } = await shell(`'${process.execPath}' agent.mjs ${shape} ${when}`);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as { messages: object[]; page: string };
    };
    const first = await run('first');
    const second = await run('second');
    expect(second.messages).toHaveLength(first.messages.length + 1);
    expect(JSON.stringify(second.messages.slice(0, first.messages.length))).toBe(
      JSON.stringify(first.messages),
    );
    for (const { page } of [first, second]) expect(page).toContain('line 3999 of it');
    expect(artifacts.startsWith(root)).toBe(true);
    const { stdout } = await shell('spillway sessions list');
    expect(stdout).toContain('run-1');
  },
);

test.each([
  ['an agent without options', () => openAgent(undefined as never), 'Which session?'],
  ['a store by its path', () => open({ store: '/var/store' as never }), 'A `store` is one that was opened'],
  ['a misspelt option', () => openAgent({ session: 's', workspce: '.' } as never), 'Did you mean workspace?'],
  ['a misspelt shape', () => openAgent({ session: 's', shap: 'google' } as never), 'Did you mean shape?'],
  ['nothing to say', sayNothing, 'Nothing was stored.'],
])('%s is refused in words, not by a crash', async (_, misuse, words) => {
  await expect(misuse()).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(words),
  });
});

async function sayNothing(): Promise<void> {
  const { root } = await freshWorkspace();
  await using agent = await openAgent({ session: 's', workspace: root, env: { HOME: root } });
  await agent.say(undefined as never);
}

test('what a session stores is fetched by it alone, unless a scope is named', async () => {
  const { root, shell } = await freshWorkspace();
  const env = { HOME: root };
  const lead = await openAgent({ session: 'lead', workspace: root, env });
  const bounded = await lead.tool(() => 'line of it\n'.repeat(5_000), { name: 'read' })();
  const artifact_id = /art_\d+_\w+/.exec(bounded)?.[0];
  const other = await openAgent({ session: 'other', workspace: root, env });
  expect(await other.fetch({ artifact_id })).toContain('There is no artifact');
  expect(await lead.inSession('third').fetch({ artifact_id })).toContain('There is no artifact');
  const helper = await openAgent({ session: 'helper', scope: 'workspace:lead', spillway: lead.spillway });
  expect(await helper.fetch({ artifact_id, lines: '1-1' })).toContain('line of it');
  await Promise.all([lead.close(), other.close()]);
  // The owner of the workspace sees where it went.
  expect((await shell('spillway artifacts list')).stdout).toContain(artifact_id);
});

test('a Node without SQLite is refused with the version that is needed', () => {
  const script = `
    Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
    const { open } = await import(${JSON.stringify(new URL('../lib/index.js', import.meta.url).href)});
    console.log(await open().catch(({ code, message }) => code + ': ' + message));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout).toBe(
    'unsupported: Spillway needs Node 22.13 or newer; this is Node 20.20.2. Update Node, and run it again.\n',
  );
});
