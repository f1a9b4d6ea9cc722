// The SQLite store with its work in another thread keeps the same promises, and the event loop
// free.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/model/store.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeContract, storeOutput, textOf } from '../../src/testing/index.ts';
import { temporaryFolder } from '../folders.ts';

let folder = '';
let files = 0;
const opened: Store[] = [];
const newFile = () => join(folder, `${++files}`, 'store.db');

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

describe('the SQLite store in a thread', () => {
  for (const { name, run } of storeContract) {
    test(name, () =>
      run(async (options) => {
        const store = sqliteStore({ file: newFile(), thread: true, ...options });
        opened.push(store);
        return store;
      }),
    );
  }
});

test('what a thread stored is there for a store without one, and the other way round', async () => {
  const file = newFile();
  const threaded = sqliteStore({ file, thread: true });
  const plain = sqliteStore({ file });
  const [first, second] = [
    await storeOutput(threaded, { parts: ['a'] }),
    await storeOutput(plain, { parts: ['b'] }),
  ];
  expect(await textOf(plain, first.record.id)).toBe('a');
  expect(await textOf(threaded, second.record.id)).toBe('b');
  await threaded.close();
  await plain.close();
});

test('a failure in the thread arrives as the same error', async () => {
  const store = sqliteStore({ file: join('/proc', 'spillway', 'store.db'), thread: true });
  opened.push(store);
  await expect(store.usage()).rejects.toMatchObject({ name: 'SpillwayError', code: 'store_unavailable' });
  await expect(store.usage()).rejects.toHaveProperty('cause');
});

test('functions cannot go to another thread, and that is said', () => {
  expect(() => sqliteStore({ file: newFile(), thread: true, clock: () => 1 })).toThrow('leave out `thread`');
});

test('a process that does not close its store ends all the same', () => {
  const program = `
    import { sqliteStore } from ${JSON.stringify(new URL('../../src/stores/sqlite/index.ts', import.meta.url).href)};
    const store = sqliteStore({ file: ${JSON.stringify(newFile())}, thread: true });
    console.log((await store.usage()).outputs);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect([stdout, status]).toEqual(['0\n', 0]);
});
