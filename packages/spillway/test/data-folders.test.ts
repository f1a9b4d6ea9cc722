/**
 * Where outputs of a folder lie, through every face that stores for its user: the program, a hook
 * and a gateway. Each of them finds what any of them told there; another folder finds nothing.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Peer, PROGRAM, textOf, through } from './gateway/peer.ts';
import { numberedLines, passingFolder } from './program.ts';

const LONG = numberedLines(3_000);

/** A folder that no workspace has, below a folder that is none either, and a home elsewhere. */
async function unmarked() {
  const [top, home] = [await passingFolder(), await passingFolder()];
  const [here, sibling] = [join(top, 'here'), join(top, 'sibling')];
  await mkdir(here);
  await mkdir(sibling);
  const env = { HOME: home };
  return { top, home, here, sibling, env };
}

function spillway(cwd: string, home: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home },
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', () => resolve(out));
    child.stdin.end(input);
  });
}

async function gatewayIn(folder: string, env: Readonly<Record<string, string>>): Promise<Peer> {
  const gateway = through(folder, [], [], env);
  await gateway.initialize();
  return gateway;
}

const handleIn = (text: string) => /art_\d+_\w+/.exec(text)?.[0] ?? 'no handle';
const byGateway = async (gateway: Peer) => handleIn(textOf(await gateway.call('emit', { chars: 9_000 })));
const read = async (gateway: Peer, id: string) =>
  textOf(await gateway.call('get_artifact', { artifact_id: id, lines: '1' }));

async function byHook(cwd: string, home: string): Promise<string> {
  const call = {
    hook_event_name: 'PostToolUse',
    session_id: 's',
    cwd,
    tool_name: 'Bash',
    tool_input: { command: 'cat big' },
    tool_response: { stdout: LONG, stderr: '', interrupted: false },
    tool_use_id: 'toolu_1',
  };
  return handleIn(await spillway(cwd, home, ['hook', 'claude-code'], JSON.stringify(call)));
}

describe.concurrent('a folder without a workspace', () => {
  it('gives every face what any of them told, before and after a workspace appears', async () => {
    const { here, sibling, home, env } = await unmarked();
    const gateway = await gatewayIn(here, env);
    const first = await byGateway(gateway);
    expect(await readdir(here)).toEqual([]);
    expect(await spillway(here, home, ['artifacts', 'show', first, '--lines', '1'])).toContain(
      'line 1 of what',
    );
    expect(await readdir(here)).toEqual([]);
    expect(await spillway(here, home, ['artifacts', 'list'])).toContain(first);
    expect(JSON.parse(await spillway(here, home, ['stats', '--json'])).tools[0]).toMatchObject({
      outputs: 1,
    });
    expect(JSON.parse(await spillway(here, home, ['sessions', 'list', '--json'])).sessions).toHaveLength(1);
    const data = join(home, '.local', 'share', 'spillway', 'store.db');
    expect(await spillway(here, home, ['doctor'])).toContain(`${data}, as workspace:${here}`);
    expect(await spillway(here, home, ['store', 'status'])).toBe(
      `Workspace: ${here}\nStore: ${join(here, '.acode', 'artifacts', 'store.db')} (none yet)\nAlso read: ${data} (workspace:${here})\n`,
    );
    // The program makes a workspace of the folder; the gateway that runs sees it.
    const second = handleIn(await spillway(here, home, ['truncate'], LONG));
    const third = await byHook(here, home);
    for (const id of [second, third]) expect(await read(gateway, id)).toContain('line 1');
    await gateway.close();
    await spillway(here, home, ['config', 'set', 'inline_limit', '7000']);
    await mkdir(join(here, '.git'));
    const restarted = await gatewayIn(here, env);
    const fourth = await byGateway(restarted);
    for (const id of [first, second, third, fourth]) {
      expect(await read(restarted, id), id).toContain('line 1');
      expect(await spillway(here, home, ['artifacts', 'show', id, '--lines', '1']), id).toContain('line 1');
    }
    const beside = await gatewayIn(sibling, env);
    for (const id of [first, second, third, fourth]) {
      expect(await read(beside, id)).toContain('There is no artifact');
      expect(await spillway(sibling, home, ['artifacts', 'show', id])).toContain('There is no artifact');
    }
    const { sessions } = JSON.parse(await spillway(here, home, ['sessions', 'list', '--json']));
    expect(sessions.length).toBeGreaterThan(2);
    for (const { id } of sessions)
      expect(await spillway(here, home, ['sessions', 'show', id])).toContain('art_');
    await spillway(here, home, ['artifacts', 'clean', '--purge']);
    expect(await read(restarted, first)).toContain('no longer kept');
    expect(
      JSON.parse(await spillway(here, home, ['artifacts', 'list', '--all', '--json'])).artifacts,
    ).toEqual([]);
  });

  it('keeps its handles when a folder above it becomes a workspace', async () => {
    const { top, here, sibling, home, env } = await unmarked();
    const gateway = await gatewayIn(here, env);
    const id = await byGateway(gateway);
    await gateway.close();
    await mkdir(join(top, '.git'));
    expect(await read(await gatewayIn(here, env), id)).toContain('line 1');
    expect(await spillway(here, home, ['artifacts', 'show', id, '--lines', '1'])).toContain('line 1');
    expect(await spillway(sibling, home, ['artifacts', 'show', id])).toContain('There is no artifact');
  });

  it('is the same folder through a link', async () => {
    const { top, here, sibling, home, env } = await unmarked();
    await symlink(here, join(top, 'link'));
    await mkdir(join(sibling, '.git'));
    await symlink(here, join(sibling, 'link'));
    const id = await byGateway(await gatewayIn(here, env));
    const hooked = await byHook(join(sibling, 'link'), home);
    for (const handle of [id, hooked])
      expect(await spillway(here, home, ['artifacts', 'show', handle, '--lines', '1'])).toContain('line 1');
    expect(await readdir(sibling)).toEqual(['.git', 'link']);
  });
});
