// A process that is killed between the seal of an output and its plain copy leaves a notice that
// names a file which is not there. The next one that opens the workspace makes the notice true.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { open } from '../../src/open.ts';

const CHILD = fileURLToPath(new URL('killed-copies-process.mjs', import.meta.url));
const TEXT = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');

/** A workspace in which a process was killed, and what it had frozen by then. */
async function killedIn() {
  const workspace = await temporaryFolder();
  mkdirSync(join(workspace, '.git'));
  const env = { ...process.env, HOME: workspace };
  const child = spawn(process.execPath, [CHILD, workspace], { stdio: 'ignore', env });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  return { workspace, env };
}

/** The one output that is stored, and what its notice names. */
async function storedIn(file: string, scope: string) {
  await using store = sqliteStore({ file });
  const [record] = (await store.list({ scope, show: 'all' })).items;
  if (record === undefined) throw new Error('nothing was sealed');
  return (await store.frozen(record.id, 'model'))?.projection;
}

test('the copy that a killed process had named is written when the workspace is opened again', async () => {
  const { workspace, env } = await killedIn();
  const { spillway, store, workspace: found } = await open({ workspace, env });
  await using _ = spillway;
  const [record] = (await store?.list({ scope: found.scope, show: 'all' }))?.items ?? [];
  if (record === undefined) throw new Error('nothing was sealed');
  const path = (await spillway.project(record)).metadata.saved_path ?? '';
  expect(readFileSync(join(workspace, path), 'utf8')).toBe(TEXT);
  expect(existsSync(join(found.artifacts, '.copies'))).toBe(false);
});

test('where the copy cannot be written, the notice no longer names it', async () => {
  const { workspace, env } = await killedIn();
  const before = await open({ workspace, env, plainCopies: false });
  const { artifacts, scope } = before.workspace;
  await before.spillway.close();
  const named = (await storedIn(join(artifacts, 'store.db'), scope))?.metadata.saved_path ?? '';
  expect([named === '', existsSync(join(workspace, named))]).toEqual([false, false]);
  expect(readdirSync(join(artifacts, '.copies'))).toHaveLength(1);
  // A file where the folder of the session would be.
  writeFileSync(join(artifacts, 's'), '');
  const after = await open({ workspace, env });
  await after.spillway.close();
  const projection = await storedIn(join(artifacts, 'store.db'), scope);
  expect([projection?.metadata.saved_path, projection?.text.includes(named)]).toEqual([null, false]);
});
