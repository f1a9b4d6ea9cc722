// When the disk or another process does not let us write, producers stop, the event loop goes on,
// and nothing is lost.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type SqliteValue, sqliteStore } from '../../src/stores/sqlite/index.ts';
import { Patience } from '../../src/stores/sqlite/patience.ts';
import { draft, piecesOf, storeOutput, textOf, writeParts } from '../../src/testing/index.ts';
import { SEAL } from '../../src/testing/stores/samples.ts';
import { storeFile } from '../folders.ts';
import { temporaryStore } from '../opening.ts';

test('while another connection holds the lock a producer is stopped within a window, and goes on afterwards', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  const earlier = await storeOutput(store, { parts: ['earlier'] });
  const made = draft();
  const writer = await store.create(made);
  const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
  const text = 'a producer that never tires\n'.repeat(200_000);
  const { pieces, totals } = piecesOf(text);

  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  let accepted = 0;
  const producing = (async () => {
    for (const piece of pieces) {
      await writer.append(part, piece);
      accepted += piece.bytes.length;
    }
    await writer.seal({ ...SEAL, parts: [totals] });
  })();
  await pause(1_000);
  clearInterval(turning);
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThanOrEqual(256 * 1024);
  expect(await textOf(store, earlier.record.id)).toBe('earlier');
  // A store that waited for the lock in this thread would have let no turn pass.
  expect(turns).toBeGreaterThan(10);

  other.exec('COMMIT');
  other.close();
  await producing;
  expect(await textOf(store, made.id)).toBe(text);
  await store.close();
});

test('a caller that reads in a loop lets the event loop go on', async () => {
  const store = await temporaryStore();
  const { record } = await storeOutput(store, { parts: ['r'.repeat(100_000)] });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  // Without turns in between, the loop would end with the last read and the timer never run.
  for (let reads = 0; turns < 3 && reads < 3_000; reads++) await textOf(store, record.id);
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(3);
  await store.close();
});

test('a store that stays locked is given up, as unavailable', async () => {
  const file = await storeFile();
  const lock = new DatabaseSync(file);
  lock.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
  const late = new DatabaseSync(file);
  const attempts: unknown[] = [];
  const attempt = () => {
    attempts.push(1);
    late.exec('BEGIN IMMEDIATE');
  };
  const patience = new Patience();
  await expect(patience.whenFree(attempt)).rejects.toMatchObject({ errcode: 5 });
  expect(attempts.length).toBeGreaterThan(3);
  // Once given up it is given up soon, until something was written.
  const before = attempts.splice(0).length;
  await expect(patience.whenFree(attempt)).rejects.toMatchObject({ errcode: 5 });
  expect(attempts.length).toBeLessThan(before);
  late.close();
  lock.close();
});

/** A store that counts what it runs. */
async function countedStore() {
  const counted = { commits: 0, drafts: 0 };
  const count = (sql: string) => {
    if (sql === 'COMMIT') counted.commits++;
    if (sql.startsWith('INSERT INTO draft ')) counted.drafts++;
  };
  const store = sqliteStore({
    file: await storeFile(),
    driver: (path) => {
      const database = new DatabaseSync(path);
      return {
        exec: (sql: string) => database.exec(sql),
        prepare(sql: string) {
          const statement = database.prepare(sql);
          const run = (...values: SqliteValue[]) => {
            count(sql);
            return statement.run(...values);
          };
          return {
            run,
            get: (...values: SqliteValue[]) => statement.get(...values),
            all: (...values: SqliteValue[]) => statement.all(...values),
          };
        },
        close: () => database.close(),
      };
    },
  });
  await store.usage();
  counted.commits = 0;
  return { store, counted };
}

test('a short output is stored in one transaction and never as a draft, whatever its parts', async () => {
  const { store, counted } = await countedStore();
  await storeOutput(store, { parts: ['what it printed', 'and what went wrong'] });
  expect(counted).toEqual({ commits: 1, drafts: 0 });
  await store.close();
});

test('a short output that nobody seals is committed all the same', async () => {
  const { store, counted } = await countedStore();
  const writer = await store.create(draft());
  await writeParts(writer, ['the first words of a command that goes on']);
  await expect.poll(() => counted.commits, { timeout: 10_000 }).toBe(1);
  expect(counted.drafts).toBe(1);
  await writer.discard();
  await store.close();
});

test('what waits is committed together: a hundred small outputs take few transactions', async () => {
  const { store, counted } = await countedStore();
  await Promise.all(Array.from({ length: 100 }, (_, i) => storeOutput(store, { parts: [`output ${i}`] })));
  expect(counted.commits).toBeLessThan(60);
  expect((await store.usage()).outputs).toBe(100);
  await store.close();
});

test('an operation that fails takes nobody with it', async () => {
  const store = await temporaryStore();
  const made = draft();
  const [first, second] = await Promise.all([store.create(made), store.create(made)]);
  const results = await Promise.allSettled([
    storeOutput(store, { parts: ['before'] }),
    first.seal({ ...SEAL, parts: [] }),
    second.seal({ ...SEAL, parts: [] }),
    storeOutput(store, { parts: ['after'] }),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: { code: 'invalid_argument' } });
  expect((await store.usage()).outputs).toBe(3);
  await store.close();
});

test('a seal flushes to disk, an append does not, and with durability process nothing does', async () => {
  for (const [durability, expected] of [
    ['power', ['NORMAL', 'FULL']],
    ['process', ['NORMAL']],
  ] as const) {
    const levels: string[] = [];
    const store = sqliteStore({
      file: await storeFile(),
      durability,
      driver: (path) => {
        const database = new DatabaseSync(path);
        const exec = (sql: string) => {
          const [, level] = /synchronous = (\w+)/.exec(sql) ?? [];
          if (level !== undefined) levels.push(level);
          database.exec(sql);
        };
        return { exec, prepare: (sql: string) => database.prepare(sql), close: () => database.close() };
      },
    });
    const writer = await store.create(draft());
    // A new store is flushed once, when it is whole.
    expect(levels.splice(0)).toEqual(['OFF']);
    const { pieces, totals } = piecesOf('x'.repeat(1_000_000));
    const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
    for (const piece of pieces) await writer.append(part, piece);
    await pause(50);
    await writer.seal({ ...SEAL, parts: [totals] });
    expect(levels).toEqual(expected);
    await store.close();
  }
});
