/** Ids and names in a store that somebody changed are paths: none of them is followed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, freshWorkspace, handleOf, numberedLines } from '../program.ts';
import { changed, forgeRecord } from './planting.ts';

describe('a path in a store', () => {
  it('as the id of a draft deletes no file when the store is opened', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(numberedLines(2_000));
    const store = join(workspace.artifacts, 'store.db');
    const precious = join(workspace.root, 'precious.txt');
    writeFileSync(precious, 'mine');
    // A repository can also bring the folder through which the way out goes.
    mkdirSync(`${store}-unstored-`);
    changed(store, (db) =>
      db
        .prepare("INSERT INTO draft VALUES (?, '{}', 'elsewhere', 0, 0, 'x', 0)")
        .run('/../../../precious.txt'),
    );
    for (const command of [['stats'], ['doctor'], ['artifacts', 'list'], ['sessions', 'list']])
      await workspace.run(command);
    expect(existsSync(precious)).toBe(true);
  });

  it.each([
    ['index', { index: '../../../escaped-' }],
    ['name', { name: '../../escaped' }],
    ['media type', { mediaType: 'image/../../escaped', kind: 'binary' }],
  ])('as the %s of a part is not written to by an export', async (_, forged) => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(numberedLines(2_000)));
    forgeRecord(join(workspace.artifacts, 'store.db'), (record) => ({
      ...record,
      parts: (record.parts as object[]).map((part) => ({ ...part, ...forged })),
    }));
    await workspace.run(['artifacts', 'export', id, '--to', 'deep/in/here']);
    const files = await filesBelow(workspace.root);
    expect(
      files.filter((file) => file.includes('escaped') && !file.includes(`/deep/in/here/${id}/`)),
    ).toEqual([]);
  });

  it('as the id of an output is not written to by an export', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(numberedLines(2_000));
    forgeRecord(join(workspace.artifacts, 'store.db'), (record) => ({ ...record, id: '../../escaped' }));
    await workspace.run(['artifacts', 'export', '--all', '--to', 'deep/in/here']);
    expect(existsSync(join(workspace.root, 'escaped'))).toBe(false);
    expect(existsSync(join(workspace.root, 'deep', 'escaped'))).toBe(false);
  });
});
