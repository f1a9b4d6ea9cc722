// What is listed or looked up costs the same however much is stored: no statement on that path
// reads a whole table or sorts.
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { bytesOf, storeOutput, textOf } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';

test('every listing and look-up walks an index in its own order', async () => {
  const plans = new Map<string, string>();
  const store = sqliteStore({
    file: await storeFile(),
    driver: (path) => {
      const database = new DatabaseSync(path);
      const prepare = (sql: string) => {
        if (sql.startsWith('SELECT')) plans.set(sql, planOf(database, sql));
        return database.prepare(sql);
      };
      return { exec: (sql: string) => database.exec(sql), prepare, close: () => database.close() };
    },
  });
  const scope = 'scope-1';
  const session = 'session-1';
  const { record } = await storeOutput(store, { callId: 'c', parts: ['x'.repeat(100_000)] });
  plans.clear();
  for (const show of ['all', 'disclosed'] as const) {
    for (const filter of [{}, { session }, { tool: 't' }, { session, tool: 't' }]) {
      for (const page of [{}, { after: '5' }]) await store.list({ scope, show, ...filter, ...page });
    }
  }
  for (const filter of [{}, { scope }, { type: 'fetched' }, { scope, type: 'fetched' }] as const) {
    for (const page of [{}, { after: '5' }, { since: 5 }]) await store.events({ ...filter, ...page });
  }
  for (const show of ['all', 'open'] as const) {
    for (const filter of [{}, { scope }]) {
      for (const page of [{}, { after: '5.1' }]) await store.sessions({ show, ...filter, ...page });
    }
  }
  await store.find({ scope, session, callId: 'c' });
  await store.find({ scope, id: record.id });
  await store.frozen(record.id, 'model');
  for (const from of [{ bytes: 9 }, { chars: 9 }, { breaks: 9 }]) await bytesOf(store, record.id, 0, from);
  await store.retire({ how: 'purge', scope, at: 1, ids: [record.id] });
  await store.retire({ how: 'retire', scope, at: 1, session });
  const wasteful = [...plans].filter(([, plan]) =>
    /TEMP B-TREE FOR ORDER|SCAN (?!.* USING (COVERING )?INDEX|json_each|CONSTANT)/.test(plan),
  );
  expect(plans.size).toBeGreaterThan(30);
  expect(wasteful).toEqual([]);
  await store.close();
});

test('a large purge frees its pages, and the file becomes small again', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  const kept = await storeOutput(store, { parts: ['kept'] });
  const { record } = await storeOutput(store, { parts: ['g'.repeat(20_000_000)] });
  const retired = await store.retire({ how: 'purge', scope: 'scope-1', at: 1, ids: [record.id] });
  expect(retired.bytesFreed).toBe(20_000_000);
  await store.close();
  const database = new DatabaseSync(file);
  expect(database.prepare('SELECT count(*) AS n FROM piece').get()).toEqual({ n: 1 });
  expect(Number(database.prepare('PRAGMA page_count').get()?.page_count) * 4096).toBeLessThan(2_000_000);
  database.close();
  const again = sqliteStore({ file });
  expect(await textOf(again, kept.record.id)).toBe('kept');
  await again.close();
});

test('content given up by an equal one is swept, also by the next to open the file', async () => {
  const file = await storeFile();
  const store = sqliteStore({ file });
  for (let i = 0; i < 2; i++) await storeOutput(store, { parts: ['e'.repeat(3_000_000)] });
  await store.close();
  const again = sqliteStore({ file });
  await again.usage();
  await again.retire({ how: 'purge', scope: 'nobody', at: 1 });
  await again.close();
  const database = new DatabaseSync(file);
  expect(database.prepare('SELECT count(*) AS n FROM content').get()).toEqual({ n: 1 });
  expect(database.prepare('SELECT sum(bytes) AS n FROM piece').get()).toEqual({ n: 3_000_000 });
  database.close();
});

function planOf(database: DatabaseSync, sql: string): string {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return rows.map((row) => String(row.detail)).join('; ');
}
