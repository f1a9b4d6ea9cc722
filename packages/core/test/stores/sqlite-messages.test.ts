// Messages in a SQLite file: several processes share one order.
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeOutput, textOf } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';
import { Running } from './running.ts';

const NAME = { scope: 'scope-1', session: 'shared' };

test('a damaged message is told as such, and never read as something else', async () => {
  const file = await storeFile();
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
  const file = await storeFile();
  const tags = ['a', 'b', 'c', 'd'];
  const writers = tags.map((tag) => new Running('say', file, tag, '50'));
  for (const writer of writers) expect(await writer.ended()).toBe(0);
  const store = sqliteStore({ file });
  const { items } = await store.messages({ ...NAME, limit: 1_000 });
  expect(items.map(({ ordinal }) => ordinal)).toEqual(items.map((_, i) => i + 1));
  for (const tag of tags)
    expect(items.filter(({ id }) => id.startsWith(tag)).map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, i) => `${tag}${i}`),
    );
  await store.close();
});

test('archived content takes less room on disk, is told when it is damaged, and a codec is asked for by its name', async () => {
  const file = await storeFile();
  const text = 'a line that is said again and again\n'.repeat(100_000);
  const store = sqliteStore({ file });
  const { record } = await storeOutput(store, { parts: [text], endedAt: 1 });
  const archived = await store.archive({ scope: 'scope-1', before: 2 });
  expect(archived.bytesBefore).toBe(text.length);
  expect(archived.bytesAfter).toBeLessThan(text.length / 20);
  await store.close();
  expect((await stat(file)).size).toBeLessThan(text.length / 2);
  const db = new DatabaseSync(file);
  expect(db.prepare('SELECT DISTINCT codec FROM piece').all()).toEqual([{ codec: 'zstd' }]);
  db.exec("UPDATE piece SET data = x'00' WHERE start_bytes = 0");
  db.close();
  const again = sqliteStore({ file });
  await expect(textOf(again, record.id)).rejects.toMatchObject({ code: 'corrupt' });
  await again.close();

  const named = new DatabaseSync(file);
  named.exec("UPDATE piece SET codec = 'half'");
  named.close();
  const without = sqliteStore({ file });
  await expect(textOf(without, record.id)).rejects.toThrow(/compressed with "half", which is not known here/);
  await without.close();
});
