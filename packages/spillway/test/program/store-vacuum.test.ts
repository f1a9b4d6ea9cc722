/** `spillway store vacuum` on an embedded store: room comes back, and what is stored stays. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';

const vacuum = async (workspace: Workspace, ...flags: string[]) =>
  parsed<{ contents: number; bytes: number; file_bytes: number; dry_run: boolean }>(
    await workspace.run(['store', 'vacuum', '--json', ...flags]),
  );

test('a store gives back the room of what was purged, at once and all of it', async () => {
  const workspace = await freshWorkspace();
  const ids: string[] = [];
  for (const word of ['a', 'b', 'c', 'd', 'e', 'f'])
    ids.push(handleOf(await workspace.truncate(numberedLines(30_000, word))));
  const [gone = '', kept = ''] = ids;
  await workspace.run(['artifacts', 'clean', '--purge', gone]);
  const file = join(workspace.artifacts, 'store.db');
  const before = statSync(file).size;
  const preview = await vacuum(workspace, '--dry-run');
  expect(preview).toMatchObject({ contents: 0, dry_run: true });
  expect(preview.file_bytes).toBeGreaterThan(200_000);
  expect(statSync(file).size).toBe(before);
  const done = await vacuum(workspace);
  expect(done.file_bytes).toBeGreaterThan(200_000);
  expect(statSync(file).size).toBeLessThan(before - 200_000);
  expect((await workspace.run(['artifacts', 'show', kept, '--raw'])).stdout).toBe(numberedLines(30_000, 'b'));
  const again = await workspace.run(['store', 'vacuum']);
  expect(again.stdout).toContain('Nothing to remove');
});

test('content that nothing refers to goes, and what it was counted as', async () => {
  const workspace = await freshWorkspace();
  const id = handleOf(await workspace.truncate(numberedLines(5_000)));
  const file = join(workspace.artifacts, 'store.db');
  const db = new DatabaseSync(file);
  db.exec(`INSERT INTO content (bytes) VALUES (7);
    INSERT INTO content (hash, bytes, refs) VALUES ('none', 5, 1);
    UPDATE meta SET value = value + 7 WHERE name = 'open_bytes';
    UPDATE meta SET value = value + 5 WHERE name = 'kept_bytes'`);
  db.close();
  expect(await vacuum(workspace, '--dry-run')).toMatchObject({ contents: 2, bytes: 12 });
  expect(await vacuum(workspace)).toMatchObject({ contents: 2, bytes: 12, dry_run: false });
  const after = new DatabaseSync(file);
  const sum = after.prepare('SELECT sum(bytes) AS bytes, count(*) AS contents FROM content').get();
  const counted = after.prepare("SELECT sum(value) AS bytes FROM meta WHERE name LIKE '%_bytes'").get();
  after.close();
  expect(sum?.contents).toBe(1);
  expect(counted?.bytes).toBe(sum?.bytes);
  expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(numberedLines(5_000));
});

test('a workspace without a store has nothing to remove, and gets none', async () => {
  const workspace = await freshWorkspace();
  expect(await vacuum(workspace)).toMatchObject({ contents: 0, file_bytes: 0 });
  expect(() => statSync(workspace.artifacts)).toThrow('ENOENT');
});
