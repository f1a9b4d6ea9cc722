// Messages in a SQLite file: stores of the first version are brought up to date, and several processes share one order.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeOutput, textOf } from '../../src/testing/index.ts';
import { Running, temporaryFolders } from './running.ts';

const newFolder = temporaryFolders();
const NAME = { scope: 'scope-1', session: 'shared' };

test('a store of the first version keeps what it has and takes messages from then on', async () => {
  const file = join(await newFolder(), 'store.db');
  const before = sqliteStore({ file });
  const { record } = await storeOutput(before, { parts: ['kept'] });
  await before.close();
  const db = new DatabaseSync(file);
  db.exec("DROP TABLE message; DROP TABLE summary; UPDATE meta SET value = 1 WHERE name = 'schema'");
  db.close();

  const stores = [sqliteStore({ file }), sqliteStore({ file })];
  await Promise.all(
    stores.map((store, i) =>
      store.addMessages({ ...NAME, messages: [{ id: `m${i}`, role: 'user', at: 1, parts: [] }] }),
    ),
  );
  for (const store of stores) {
    expect(await textOf(store, record.id)).toBe('kept');
    expect((await store.messages(NAME)).items.map(({ place }) => place)).toEqual([1, 2]);
    await store.close();
  }
});

test('a damaged message is told as such, and never read as something else', async () => {
  const file = join(await newFolder(), 'store.db');
  const store = sqliteStore({ file });
  const parts = [{ type: 'text', text: 'a secret' } as const];
  await store.addMessages({ ...NAME, messages: [{ id: 'm', role: 'user', at: 1, parts }] });
  await store.close();
  const db = new DatabaseSync(file);
  db.exec("UPDATE message SET record = replace(record, 'secret', 'sacred')");
  db.close();
  const again = sqliteStore({ file });
  const error = await again.messages(NAME).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'corrupt' });
  expect(`${error}`).not.toContain('sacred');
  await again.close();
});

test('four processes say things in one session: one order, no gap, no repeat, nothing lost', async () => {
  const file = join(await newFolder(), 'store.db');
  const tags = ['a', 'b', 'c', 'd'];
  const writers = tags.map((tag) => new Running('say', file, tag, '50'));
  for (const writer of writers) expect(await writer.ended()).toBe(0);
  const store = sqliteStore({ file });
  const { items } = await store.messages({ ...NAME, limit: 1_000 });
  expect(items.map(({ place }) => place)).toEqual(items.map((_, i) => i + 1));
  for (const tag of tags)
    expect(items.filter(({ id }) => id.startsWith(tag)).map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, i) => `${tag}${i}`),
    );
  await store.close();
});
