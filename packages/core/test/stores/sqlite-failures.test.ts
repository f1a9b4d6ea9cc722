// Folders that cannot be written, disks that are full, files that are damaged: each is said, and
// what was stored before stays.
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SpillwayError } from '../../src/model/errors.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { draft, storeOutput, textOf, writeParts } from '../../src/testing/index.ts';
import { storeFile, temporaryFolder } from '../folders.ts';

test('a store touches nothing before it is used, and then makes folder and files for its owner only', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'deep', 'er', 'store.db');
  const store = sqliteStore({ file });
  await expect(stat(join(folder, 'deep'))).rejects.toMatchObject({ code: 'ENOENT' });
  await storeOutput(store);
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await mode(join(folder, 'deep'))).toBe(0o700);
  expect(await mode(join(folder, 'deep', 'er'))).toBe(0o700);
  for (const each of [file, `${file}-wal`, `${file}-shm`]) expect(await mode(each)).toBe(0o600);
  await store.close();
});

test('a folder that was there keeps its mode, a file that others could read does not', async () => {
  const folder = join(await temporaryFolder(), 'shared');
  const file = join(folder, 'store.db');
  await mkdir(folder, { mode: 0o755 });
  await writeFile(file, '');
  await chmod(file, 0o644);
  const store = sqliteStore({ file });
  await storeOutput(store);
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await store.close();
});

test('a file opened again gives the same records and the same bytes', async () => {
  const file = await storeFile();
  const first = sqliteStore({ file });
  const text = 'kept \0 over a restart 漢字 😀\r\n'.repeat(9_000);
  const { record } = await storeOutput(first, {
    parts: [text, 'b'],
    callId: 'c',
    disclosed: true,
    shown: 'what was shown',
  });
  await first.close();
  const again = sqliteStore({ file });
  expect(await again.find({ scope: 'scope-1', id: record.id })).toEqual(record);
  expect(await textOf(again, record.id)).toBe(text);
  expect((await again.frozen(record.id, 'model'))?.projection.text).toBe('what was shown');
  await again.close();
});

test('an output left unsealed by a store that was closed is sealed as crashed by the next', async () => {
  const file = await storeFile();
  const first = sqliteStore({ file });
  const { record } = await storeOutput(first);
  const { id } = draft();
  await writeParts(await first.create(draft({ id })), ['half of it']);
  await first.close();
  const again = sqliteStore({ file });
  expect(await again.find({ scope: 'scope-1', id })).toMatchObject({
    outcome: { status: 'crashed' },
    complete: false,
  });
  expect(await textOf(again, id)).toBe('half of it');
  expect(await textOf(again, record.id)).toBe('hello\n');
  await again.close();
});

test('a path that cannot be made is unavailable, and works once it can be', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a-file'), 'this is no folder');
  const error = await failure(sqliteStore({ file: join(folder, 'a-file', 'store.db') }).usage());
  expect(error.code).toBe('store_unavailable');
  expect(error.cause).toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
  expect((await failure(sqliteStore({ file: '/proc/spillway/store.db' }).usage())).code).toBe(
    'store_unavailable',
  );

  const file = join(folder, 'later', 'store.db');
  await writeFile(join(folder, 'later'), 'in the way');
  const store = sqliteStore({ file });
  expect((await failure(storeOutput(store))).code).toBe('store_unavailable');
  await rm(join(folder, 'later'));
  await storeOutput(store);
  await store.close();
});

test('a file that is no database is refused and left as it is', async () => {
  const file = await storeFile();
  const notes = 'my notes, which happen to lie here\n'.repeat(100);
  await writeFile(file, notes);
  const error = await failure(storeOutput(sqliteStore({ file })));
  expect(error.code).toBe('store_unavailable');
  expect(error.message).toBe(`${file} is not a store: move it away, or name another file.`);
  expect(await readFile(file, 'utf8')).toBe(notes);
});

test('a store of a later version is refused, saying which', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  await storeOutput(store);
  await store.close();
  alter(file, "UPDATE meta SET value = 99 WHERE name = 'schema'");
  const error = await failure(sqliteStore({ file }).usage());
  expect(error.code).toBe('store_unavailable');
  expect(error.message).toContain('a later version of Spillway (store 99, this one reads 10)');
});

test('a store that can only be read refuses writes and serves what it has', async () => {
  const file = await storeFile();
  const first = sqliteStore({ file });
  const { record } = await storeOutput(first, { parts: ['earlier'] });
  const readOnly = sqliteStore({ file, driver: (path) => new DatabaseSync(path, { readOnly: true }) });
  expect((await failure(storeOutput(readOnly, { parts: ['new'] }))).code).toBe('store_unavailable');
  expect(await textOf(readOnly, record.id)).toBe('earlier');
  await readOnly.close();
  await first.close();
});

test('a full disk is said, earlier outputs stay, and there is room again after a purge', async () => {
  const file = await storeFile();
  // The engine's own limit on pages fails as a full disk does, with SQLITE_FULL.
  const driver = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA max_page_count = 300');
    return database;
  };
  const store = sqliteStore({ file, driver });
  const { record } = await storeOutput(store, { parts: ['e'.repeat(300_000)] });
  const error = await failure(storeOutput(store, { parts: ['n'.repeat(2_000_000)] }));
  expect(error.code).toBe('store_full');
  expect(error.message).not.toContain('nnn');
  expect(await textOf(store, record.id)).toBe('e'.repeat(300_000));
  await store.close();

  const again = sqliteStore({ file, driver });
  const { items } = await again.list({ scope: 'scope-1', show: 'all' });
  await again.retire({
    how: 'purge',
    scope: 'scope-1',
    at: 1,
    ids: items.filter((item) => !item.complete).map(({ id }) => id),
  });
  const small = await storeOutput(again, { parts: ['s'.repeat(100_000)] });
  expect(await textOf(again, small.record.id)).toBe('s'.repeat(100_000));
  expect(await textOf(again, record.id)).toBe('e'.repeat(300_000));
  await again.close();
});

test('a flipped byte is reported for its output only, up to it the pieces are served', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  const damaged = await storeOutput(store, { parts: ['first', 'd'.repeat(200_000)] });
  const other = await storeOutput(store, { parts: ['o'.repeat(200_000)] });
  await store.close();
  alter(
    file,
    `UPDATE piece SET data = CAST(substr(data, 1, 999) || X'00' || substr(data, 1001) AS BLOB)
    WHERE start_bytes = 65536 AND content = (SELECT content FROM part ORDER BY output, idx LIMIT 1 OFFSET 1)`,
  );
  const again = sqliteStore({ file });
  const error = await failure(textOf(again, damaged.record.id, 1));
  expect(error.code).toBe('corrupt');
  expect(error.message).toContain(`${damaged.record.id}, part 1`);
  expect(error.message).not.toContain('ddd');
  expect(await textOf(again, damaged.record.id, 0)).toBe('first');
  expect(await textOf(again, other.record.id)).toBe('o'.repeat(200_000));
  await again.close();
});

async function failure(promise: Promise<unknown>): Promise<SpillwayError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SpillwayError);
  return error as SpillwayError;
}

function alter(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
