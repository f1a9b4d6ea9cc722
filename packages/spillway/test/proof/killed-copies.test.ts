// The plain copy of an output has its name before the output is sealed. So a process that is killed
// never leaves a notice that names a file which is not there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { open } from '../../src/open.ts';

const CHILD = fileURLToPath(new URL('killed-copies-process.mjs', import.meta.url));
const TEXT = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');

/** What a process had stored when it was killed, and the folder that its notices name. */
async function killed(when: 'before' | 'after') {
  const workspace = await temporaryFolder();
  mkdirSync(join(workspace, '.git'));
  const env = { ...process.env, HOME: workspace };
  const child = spawn(process.execPath, [CHILD, workspace, when], { stdio: 'ignore', env });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  const { spillway, store, workspace: found } = await open({ workspace, env });
  await using _ = spillway;
  const records = (await store?.list({ scope: found.scope, show: 'all' }))?.items ?? [];
  const projections = await Promise.all(records.map((record) => spillway.project(record)));
  return { workspace, projections };
}

test('the copy that a killed process had named is there, with all of the text', async () => {
  const { workspace, projections } = await killed('after');
  expect(projections).toHaveLength(1);
  const path = projections[0]?.metadata.saved_path ?? '';
  expect(readFileSync(join(workspace, path), 'utf8')).toBe(TEXT);
});

test('what a process had captured when it was killed before the seal names no copy', async () => {
  const { projections } = await killed('before');
  expect(projections.map(({ metadata }) => metadata.saved_path)).toEqual([null]);
});
