/** Plain copies: what they hold, and when there is none. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/test/folders.ts';
import { open } from '../src/open.ts';

async function workspaceFolder() {
  const workspace = await temporaryFolder();
  mkdirSync(join(workspace, '.git'));
  return { workspace, env: { ...process.env, HOME: workspace } };
}

const RUNS = 40;
const run = (name: string, i: number) => `${name} ${i}\n`.repeat(400);
const whole = (name: string) => Array.from({ length: RUNS }, (_, i) => run(name, i)).join('');

describe('the plain copy of an output', () => {
  it('holds one stream after the other, although they took turns', async () => {
    const given = await workspaceFolder();
    const { spillway, workspace } = await open(given);
    await using _ = spillway;
    const capture = await spillway.open({ tool: 'build', session: 's', scope: workspace.scope });
    const out = capture.part({ name: 'stdout' });
    const err = capture.part({ name: 'stderr' });
    for (let i = 0; i < RUNS; i++) {
      await out.write(run('out', i));
      await err.write(run('err', i));
    }
    const { projection } = await capture.finish({ outcome: { status: 'ok' }, complete: true });
    const path = projection.metadata.saved_path ?? '';
    expect(readFileSync(join(given.workspace, path), 'utf8')).toBe(whole('out') + whole('err'));
  });

  it('is gone where the output is shown whole, or came before', async () => {
    const given = await workspaceFolder();
    const { spillway, workspace } = await open(given);
    await using _ = spillway;
    const call = { tool: 'build', session: 's', scope: workspace.scope, callId: 'c' };
    const red = '\u001b[31mred\u001b[0m\n';
    // Over the limit in bytes, and within it without the colours.
    const text = red.repeat(900);
    await spillway.sealed(await spillway.process({ ...call, callId: 'b' }, { kind: 'text', text }));
    const folder = join(workspace.artifacts, 's');
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    await spillway.process(call, { kind: 'text', text: whole('out') });
    await spillway.process(call, { kind: 'text', text: whole('out') });
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
