// Large parts go on in files beside the database. Files come and go with their outputs, hold what
// was stored exactly, and damage to them is told.
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type SqliteStoreOptions, sqliteStore, trustStore } from '../../src/stores/sqlite/index.ts';
import { bytesOf, draft, storeOutput, textOf, writeParts } from '../../src/testing/index.ts';
import { storeFile, temporaryFolder } from '../folders.ts';

const LINE = 'a line of a log that goes on and on – 漢字 😀\r\n';
const LOG = LINE.repeat(50_000);
const PURGE = { how: 'purge', scope: 'scope-1', at: 9 } as const;

describe('a large part', () => {
  it('begins in rows and goes on in one file, for its owner only; short ones stay in rows', async () => {
    const { file, store } = await opened();
    await storeOutput(store, { parts: ['short', LINE.repeat(5_000)] });
    await expect(stat(`${file}-content`)).rejects.toMatchObject({ code: 'ENOENT' });
    const { record } = await storeOutput(store, { parts: [LOG, 'short'] });
    const [name, ...others] = await filesOf(file);
    expect(others).toEqual([]);
    const { mode, size } = await stat(join(`${file}-content`, name ?? ''));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(`${file}-content`)).mode & 0o777).toBe(0o700);
    const whole = Buffer.from(LOG);
    expect(size).toBeGreaterThan(whole.length - 1_200_000);
    expect(size).toBeLessThan(whole.length - 1_000_000);
    expect(await textOf(store, record.id)).toBe(LOG);
    for (const from of [{ bytes: 2_000_000 }, { chars: 1_500_000 }, { breaks: 49_000 }] as const) {
      const { at } = await store.read(record.id, 0, from);
      expect(at.bytes).toBeGreaterThan(1_000_000);
      expect(Buffer.compare(await bytesOf(store, record.id, 0, from), whole.subarray(at.bytes))).toBe(0);
    }
    await store.close();
  });

  it('is read by the next to open the store, wherever both were moved', async () => {
    const { file, store } = await opened();
    const { record } = await storeOutput(store, { parts: [LOG] });
    await store.close();
    const elsewhere = await storeFile();
    await rename(file, elsewhere);
    await cp(`${file}-content`, `${elsewhere}-content`, { recursive: true });
    const again = sqliteStore({ file: elsewhere });
    expect(await textOf(again, record.id)).toBe(LOG);
    await again.close();
  });

  it('loses its file when it is purged, discarded or equal to another', async () => {
    const { file, store } = await opened();
    const { record } = await storeOutput(store, { parts: [LOG] });
    const kept = await filesOf(file);
    await storeOutput(store, { parts: [LOG] });
    const writer = await store.create(draft());
    await writeParts(writer, [`${LOG}given up`]);
    await writer.discard();
    await store.retire({ ...PURGE, ids: [record.id] });
    // An equal one still refers to it.
    expect(await filesOf(file)).toEqual(kept);
    await store.retire(PURGE);
    expect(await filesOf(file)).toEqual([]);
    expect((await store.usage()).bytes).toBe(0);
    await store.close();
    expect(rowsIn(file, 'content WHERE file IS NOT NULL')).toBe(0);
  });

  it('that was evicted loses its file as well', async () => {
    const { file, store } = await opened({ limits: { maxBytes: 4_000_000 } });
    const { record } = await storeOutput(store, { parts: [LOG], session: 'old' });
    await store.retire({ how: 'retire', scope: 'scope-1', at: 5, session: 'old', endSession: true });
    const next = await storeOutput(store, { parts: [`${LOG}next`], session: 'new' });
    expect(await store.find({ scope: 'scope-1', id: record.id })).toHaveProperty('purgedAt');
    expect(await textOf(store, next.record.id)).toBe(`${LOG}next`);
    await store.close();
    expect((await reopened(file)).length).toBe(1);
  });

  it('comes back into rows when it is archived, and the file goes', async () => {
    const { file, store } = await opened();
    const noise = Buffer.concat(
      Array.from({ length: 60_000 }, (_, i) => createHash('sha256').update(`${i}`).digest()),
    );
    const image = { content: new Uint8Array(noise), spec: { kind: 'binary', name: 'image' } } as const;
    const { record } = await storeOutput(store, { parts: [LOG, image], endedAt: 1 });
    expect(await filesOf(file)).toHaveLength(2);
    const archived = await store.archive({ scope: 'scope-1', before: 5 });
    expect(archived.bytesAfter).toBeLessThan(archived.bytesBefore / 10);
    expect(await filesOf(file)).toEqual([]);
    expect(await textOf(store, record.id)).toBe(LOG);
    expect(Buffer.compare(await bytesOf(store, record.id, 1), noise)).toBe(0);
    await store.close();
  });

  it('of a store that was closed before it was sealed is there, with everything that was taken', async () => {
    const { file, store } = await opened();
    const { id } = draft();
    await writeParts(await store.create(draft({ id })), [LOG]);
    await store.close();
    const again = sqliteStore({ file });
    expect(await again.find({ scope: 'scope-1', id })).toMatchObject({ outcome: { status: 'crashed' } });
    expect(await textOf(again, id)).toBe(LOG);
    await again.close();
  });
});

describe('a file of a large part', () => {
  it('that is damaged or missing is told as damage, and the rest is served', async () => {
    const { file, store } = await opened();
    const other = await storeOutput(store, { parts: ['other'] });
    const { record } = await storeOutput(store, { parts: [LOG] });
    const path = join(`${file}-content`, (await filesOf(file))[0] ?? '');
    const { size } = await stat(path);
    await truncate(path, size - 1);
    const corrupt = { code: 'corrupt', message: expect.stringContaining(record.id) };
    await expect(textOf(store, record.id)).rejects.toMatchObject(corrupt);
    await rm(path);
    await expect(textOf(store, record.id)).rejects.toMatchObject(corrupt);
    expect(await textOf(store, other.record.id)).toBe('other');
    // Given again, it is stored again.
    const again = await storeOutput(store, { parts: [LOG] });
    expect(await textOf(store, again.record.id)).toBe(LOG);
    await store.close();
    await expect(trustStore({ file, registry: [await temporaryFolder()] })).rejects.toMatchObject({
      code: 'corrupt',
    });
  });

  it('that a loss of power left shorter than its rows say is cut where it ends', async () => {
    const { file, store } = await opened();
    const { id } = draft();
    await writeParts(await store.create(draft({ id })), [LOG]);
    await store.close();
    const path = join(`${file}-content`, (await filesOf(file))[0] ?? '');
    await truncate(path, 300_000);
    const again = sqliteStore({ file });
    const text = await textOf(again, id);
    expect(LOG.startsWith(text)).toBe(true);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeGreaterThan(1_200_000);
    expect(await again.find({ scope: 'scope-1', id })).toMatchObject({ parts: [{ bytes }], complete: false });
    expect((await again.usage()).bytes).toBe(bytes);
    await again.close();
  });

  it('with a name that is a way out of the folder is not opened', async () => {
    const { file, store } = await opened();
    const { record } = await storeOutput(store, { parts: [LOG] });
    await store.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE content SET file = '../../../../etc/passwd' WHERE file IS NOT NULL");
    database.close();
    const again = sqliteStore({ file });
    await expect(textOf(again, record.id)).rejects.toMatchObject({ code: 'corrupt' });
    await again.close();
  });

  it('is not made in a folder that is a link, and one open to others is closed to them', async () => {
    const { file, store } = await opened();
    await symlink(await temporaryFolder(), `${file}-content`);
    const refused = { code: 'store_unavailable', message: expect.stringContaining('-content') };
    await expect(storeOutput(store, { parts: [LOG] })).rejects.toMatchObject(refused);
    await rm(`${file}-content`);
    await mkdir(`${file}-content`);
    await chmod(`${file}-content`, 0o777);
    const { record } = await storeOutput(store, { parts: [LOG] });
    expect((await stat(`${file}-content`)).mode & 0o777).toBe(0o700);
    expect(await textOf(store, record.id)).toBe(LOG);
    await store.close();
  });

  it('stays while another store lies in the place of its own', async () => {
    const { file, store } = await opened();
    const { record } = await storeOutput(store, { parts: [LOG] });
    await store.close();
    await rename(file, `${file}.aside`);
    const successor = sqliteStore({ file });
    await storeOutput(successor, { parts: [`${LOG}successor`] });
    await successor.retire(PURGE);
    await successor.close();
    await rename(`${file}.aside`, file);
    const again = sqliteStore({ file });
    expect(await textOf(again, record.id)).toBe(LOG);
    await again.close();
  });
});

it('a reading that is overtaken by a purge ends with not_found', async () => {
  const { store } = await opened();
  const { record } = await storeOutput(store, { parts: [LOG] });
  const { pieces } = await store.read(record.id, 0, { bytes: 1_500_000 });
  const reading = pieces[Symbol.asyncIterator]();
  await reading.next();
  await store.retire(PURGE);
  await expect(reading.next()).rejects.toMatchObject({ code: 'not_found' });
  await store.close();
});

it('a part that cannot be written to its file fails the output, and leaves nothing', async () => {
  const { file, store } = await opened();
  await writeFile(`${file}-content`, 'in the way');
  const writer = await store.create(draft());
  await expect(writeParts(writer, [LOG])).rejects.toMatchObject({ code: 'store_unavailable' });
  await writer.discard();
  expect((await store.usage()).bytes).toBe(0);
  await store.retire(PURGE);
  await store.close();
  expect(rowsIn(file, 'piece')).toBe(0);
  expect(rowsIn(file, 'content WHERE file IS NOT NULL')).toBe(0);
});

async function opened(options: Partial<SqliteStoreOptions> = {}) {
  const file = await storeFile();
  return { file, store: sqliteStore({ file, ...options }) };
}

/** The files once a store was opened again, which sweeps what was left. */
async function reopened(file: string): Promise<string[]> {
  const store = sqliteStore({ file });
  await store.retire({ ...PURGE, scope: 'nobody' });
  await store.close();
  return filesOf(file);
}

async function filesOf(file: string): Promise<string[]> {
  return (await readdir(`${file}-content`)).sort();
}

function rowsIn(file: string, table: string): number {
  const database = new DatabaseSync(file);
  const row = database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  database.close();
  return Number(row?.n);
}
