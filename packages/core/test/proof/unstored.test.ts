// "Not stored" stays true: what a user was told is not there does not come back, whatever happens
// to the process or the disk.
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Spillway } from '@spillway/core';
import { expect, test } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeOutput, textOf } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';
import { openSpillway } from '../opening.ts';

const call = { tool: 't', session: 's', scope: 'scope-1' };
const large = { kind: 'text', text: 'n'.repeat(3_000_000) } as const;

test('a draft that could not be deleted is deleted as soon as there is room again', async () => {
  const file = await storeFile();
  const disk = { full: false };
  const store = sqliteStore({ file, driver: driverOf(disk) });
  const { record } = await storeOutput(store, { parts: ['earlier'] });
  expect(await notStored(openSpillway({ store }), disk)).toBe(true);
  expect(drafts(file)).toBe(1);
  disk.full = false;
  await storeOutput(store, { parts: ['later'] });
  expect(drafts(file)).toBe(0);
  expect(await textOf(store, record.id)).toBe('earlier');
  await store.close();
  expect(await marks(file)).toEqual([]);
});

test('one that could not be deleted until the end is not taken for the remains of a killed process', async () => {
  const file = await storeFile();
  const disk = { full: false };
  const store = sqliteStore({ file, driver: driverOf(disk) });
  await storeOutput(store, { parts: ['earlier'] });
  expect(await notStored(openSpillway({ store }), disk)).toBe(true);
  await store.close();
  expect(drafts(file)).toBe(1);
  expect(await marks(file)).toHaveLength(1);
  // As another process finds it, after the end of this one.
  asLeftByAnother(file);
  const again = sqliteStore({ file });
  expect((await again.list({ scope: 'scope-1', show: 'all' })).items).toHaveLength(1);
  expect(drafts(file)).toBe(0);
  expect(await marks(file)).toEqual([]);
  await again.close();
});

test('one that was rejected for its size leaves nothing behind', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  const spillway = openSpillway({ store });
  const policy = { maxArtifactSize: 100_000, onOverMax: 'reject' as const };
  expect(await spillway.sealed(await spillway.process(call, large, { policy }))).toBeNull();
  expect(await store.usage()).toMatchObject({ outputs: 0, bytes: 0 });
  await spillway.close();
  expect(drafts(file)).toBe(0);
});

test('two stores in one process do not take each other for dead when the clock is set between', async () => {
  const file = await storeFile();
  const { dateNow, first } = { dateNow: Date.now, first: sqliteStore({ file }) };
  const spillway = openSpillway({ store: first });
  const capture = await spillway.open(call);
  const part = capture.part({ name: 'stdout' });
  await part.write('x'.repeat(200_000));
  await first.usage();
  Date.now = () => dateNow() + 3_600_000;
  try {
    const second = sqliteStore({ file });
    expect((await second.list({ scope: 'scope-1', show: 'all' })).items).toEqual([]);
    await second.close();
  } finally {
    Date.now = dateNow;
  }
  const answer = await capture.finish({ outcome: { status: 'ok' }, complete: true });
  expect(await spillway.sealed(answer)).toMatchObject({ complete: true });
  await spillway.close();
});

/** A database on a disk that takes nothing more once it is full. */
function driverOf(disk: { full: boolean }): (file: string) => SqliteDatabase {
  return (file) => {
    const database = new DatabaseSync(file);
    return {
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
          run(...values) {
            if (disk.full) throw Object.assign(new Error('disk full'), { errcode: 13 });
            return statement.run(...values);
          },
        };
      },
    };
  };
}

/** Stores an output during which the disk becomes full; whether that was told. */
async function notStored(spillway: Spillway, disk: { full: boolean }): Promise<boolean> {
  const capture = await spillway.open(call);
  const part = capture.part({ name: 'stdout' });
  await part.write('n'.repeat(200_000));
  await spillway.settled();
  // Some of it is committed by now.
  await new Promise((resolve) => setTimeout(resolve, 100));
  disk.full = true;
  await part.write('n'.repeat(1_000_000));
  const { projection } = await capture.finish({ outcome: { status: 'ok' }, complete: true });
  return (await spillway.sealed({ projection })) === null && projection.text.includes('not stored');
}

function drafts(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const { count } = database.prepare('SELECT count(*) AS count FROM draft').get() as { count: number };
  database.close();
  return count;
}

function asLeftByAnother(file: string): void {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const database = new DatabaseSync(file);
  database.prepare('UPDATE draft SET pid = ?').run(pid);
  database.close();
}

async function marks(file: string): Promise<string[]> {
  return (await readdir(join(file, '..'))).filter((name) => name.includes('-unstored-'));
}
