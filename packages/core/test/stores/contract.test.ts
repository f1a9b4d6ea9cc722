// Every store keeps the same promises: the contract, on each of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import type { Store } from '../../src/model/store.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { type OpenStore, storeContract } from '../../src/testing/index.ts';

let folder = '';
let files = 0;
const opened: Store[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spillway-contract-'));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stores: Record<string, (options: Parameters<OpenStore>[0]) => Store> = {
  'the store in memory': (options) => memoryStore(options),
  'the SQLite store': (options) => sqliteStore({ file: join(folder, `${++files}`, 'store.db'), ...options }),
};

for (const [name, make] of Object.entries(stores)) {
  describe(name, () => {
    for (const { name: promise, run } of storeContract) {
      test(promise, () =>
        run(async (options) => {
          const store = make(options);
          opened.push(store);
          return store;
        }),
      );
    }
  });
}
