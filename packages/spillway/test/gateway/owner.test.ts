/**
 * What gateways store belongs to the workspace: any of them reads it, and its owner sees and
 * removes it.
 */
import { spawn } from 'node:child_process';
import { open } from 'spillway';
import { describe, expect, it } from 'vitest';
import { type Answer, type Peer, PROGRAM, textOf, through, workspace } from './peer.ts';

const artifactIn = (answer: Answer) => /art_\d+_\w+/.exec(textOf(answer))?.[0] ?? '';

async function started(root: string, ...flags: string[]): Promise<Peer> {
  const gateway = through(root, flags);
  await gateway.initialize();
  return gateway;
}

/** Runs a command of the owner in the workspace. */
async function owner(root: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root },
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

describe('what a gateway stored', () => {
  it('is read through another gateway of the workspace, under the name that its tool has', async () => {
    const root = await workspace();
    const one = await started(root, '--name', 'one', '--tool-name', 'get_artifact_one');
    const two = await started(root, '--name', 'two', '--tool-name', 'get_artifact_two');
    const cut = await one.call('emit', { chars: 9_000 });
    expect(textOf(cut)).toContain('get_artifact_one(artifact_id="art_');
    const names = (await two.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    expect(names.at(-1)).toBe('get_artifact_two');
    expect(names).not.toContain('get_artifact');
    const id = artifactIn(cut);
    const page = textOf(await two.call('get_artifact_two', { artifact_id: id, lines: '1' }));
    expect(page).toContain('line 1 of what was said');
    // A model that has the link gives it where the id is asked for.
    const byLink = await two.call('get_artifact_two', { artifact_id: `artifact://${id}?lines=1` });
    expect(textOf(byLink)).toBe(page);
  });

  it('is listed with its server, counted, shown and removed by the commands of the owner', async () => {
    const root = await workspace();
    const gateway = await started(root, '--name', 'files');
    const id = artifactIn(await gateway.call('emit', { chars: 9_000 }));
    await gateway.call('emit', { chars: 10 });
    await gateway.close();
    const { artifacts } = JSON.parse(await owner(root, 'artifacts', 'list', '--all', '--json'));
    expect(artifacts).toHaveLength(2);
    expect(artifacts.every((one: { source: { server: string } }) => one.source.server === 'files')).toBe(
      true,
    );
    expect(await owner(root, 'artifacts', 'list')).toMatch(/Server.*[\s\S]*files/);
    expect(await owner(root, 'artifacts', 'list', '--server', 'other')).toBe('');
    expect(await owner(root, 'artifacts', 'show', id, '--lines', '1')).toContain('line 1 of what was said');
    expect(JSON.parse(await owner(root, 'stats', '--json')).tools[0]).toMatchObject({
      tool: 'emit',
      outputs: 2,
    });
    expect(JSON.parse(await owner(root, 'sessions', 'list', '--all', '--json')).sessions).toHaveLength(1);
    await owner(root, 'artifacts', 'clean', '--purge');
    expect(JSON.parse(await owner(root, 'artifacts', 'list', '--all', '--json')).artifacts).toEqual([]);
  });

  it('is kept as long as its session if it passed whole; what was cut stays', async () => {
    const root = await workspace();
    const first = await started(root, '--name', 'files');
    const cut = artifactIn(await first.call('emit', { chars: 9_000 }));
    await first.call('emit', { chars: 10 });
    await first.close();
    const { spillway, store } = await open({ workspace: root, env: { HOME: root } });
    const stored = async () =>
      (await store?.list({ scope: 'workspace', show: 'all', limit: 10 }))?.items ?? [];
    const [passed] = (await stored()).filter(({ id }) => id !== cut);
    await spillway.endSession('workspace', passed?.session ?? '');
    const second = await started(root, '--name', 'files');
    await second.call('emit', { chars: 10 });
    await second.close();
    const left = (await stored()).map(({ id }) => id);
    expect(left).toHaveLength(2);
    expect(left).toContain(cut);
    expect(left).not.toContain(passed?.id);
    await spillway.close();
  });
});
