// Sessions of a workspace that end: by themselves after thirty idle days, and with their records if
// the user's file says so.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'spillway';
import { describe, expect, it } from 'vitest';
import { setupWith, USER } from './config-files.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const LONG = 'a line of some length\n'.repeat(3_000);

/**
 * Stores an output in one process of the workspace, as the program does; what is left of it is told
 * by another, `days` and one day later; one more comes in between.
 */
async function afterIdling(files: Readonly<Record<string, string>>, days: number) {
  const setup = await setupWith(files);
  let now = Date.UTC(2026, 0, 1);
  const options = { workspace: setup.root, env: { HOME: setup.home }, clock: () => now };
  const say = async (session: string) => {
    const { spillway, store, workspace } = await open(options);
    const call = { tool: 'build', session, scope: workspace.scope };
    const { projection } = await spillway.process(call, { kind: 'text', text: LONG });
    const id = (await spillway.sealed({ projection }))?.id;
    await spillway.settled();
    if (id === undefined || store === null) throw new Error('not stored');
    return {
      id,
      spillway,
      store,
      scope: workspace.scope,
      path: join(setup.root, projection.metadata.saved_path ?? ''),
    };
  };
  const first = await say('first');
  await access(first.path);
  await first.spillway.close();
  now += days * DAY_MS;
  await (await say('second')).spillway.close();
  now += DAY_MS;
  const { spillway, store, scope } = await say('second');
  const { id } = first;
  const status = await spillway.retrieve({ artifact_id: id }, scope).then(
    () => 200,
    (error: { status: number }) => error.status,
  );
  const found = await store.find({ scope, id });
  const copy = await access(first.path).then(
    () => true,
    () => false,
  );
  const { bytes } = await store.usage();
  await spillway.close();
  return { status, copy, kept: found !== undefined && 'tool' in found, bytes };
}

describe('a session of a workspace', () => {
  it('is there for thirty days, with its handle and its plain copy', async () => {
    expect(await afterIdling({}, 29)).toEqual({ status: 200, copy: true, kept: true, bytes: LONG.length });
  });

  it('then ends: the handle and the copy go, the record stays', async () => {
    expect(await afterIdling({}, 31)).toMatchObject({ status: 410, copy: false, kept: true });
  });

  it('takes its record along under `spillway.retention: session`', async () => {
    const files = { [USER]: 'spillway: { retention: session }\n' };
    expect(await afterIdling(files, 31)).toMatchObject({ status: 410, copy: false, kept: false });
  });
});
