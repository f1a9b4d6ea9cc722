// The program takes a store of the last release into use: trusted first, then listed, read,
// exported and counted as before. The store and what that release said of it come from the core's
// tests, where the script is that made them.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { freshWorkspace, parsed } from './program.ts';

const MADE = new URL('../../core/test/stores/last-release/', import.meta.url);

test('a store of the last release is trusted, listed, counted, read and exported', async () => {
  const { root, artifacts, run, ids } = await freshWorkspace();
  await mkdir(artifacts, { recursive: true, mode: 0o700 });
  await writeFile(join(artifacts, 'store.db'), await unpacked('store.db.gz'), { mode: 0o600 });
  const expected = JSON.parse((await unpacked('expected.json.gz')).toString());
  const outputs: { record: { id: string; disclosed: boolean; revokedAt?: number } }[] = expected.outputs;
  expect((await run(['store', 'trust'])).code).toBe(0);

  const listed = outputs.filter(({ record }) => record.disclosed && record.revokedAt === undefined);
  expect(await ids()).toEqual(listed.map(({ record }) => record.id));
  expect(await ids('--all')).toEqual(outputs.map(({ record }) => record.id));
  const { total } = parsed<{ total: unknown }>(await run(['stats', '--json']));
  expect(total).toMatchObject(expected.stats);

  const shown = await run(['artifacts', 'show', expected.page.of, '--part', 'text', '--lines', '20-24']);
  expect(shown.stdout).toBe(expected.page.body);
  expect((await run(['artifacts', 'export', '--all', '--to', 'out'])).code).toBe(0);
  expect((await readdir(join(root, 'out'))).length).toBeGreaterThan(0);
  const session = await run(['sessions', 'export', 'run-1']);
  expect(session.code).toBe(0);
  for (const { id } of expected.messages) expect(session.stdout).toContain(id);
});

async function unpacked(name: string): Promise<Buffer> {
  return gunzipSync(await readFile(new URL(name, MADE)));
}
