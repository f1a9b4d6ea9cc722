import { afterEach, describe, test } from 'vitest';
import type { Store } from '../../src/model/store.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { type OpenStore, storeContract } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';

const opened: Store[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

const stores: Record<string, OpenStore> = {
  'the store in memory': async (options) => memoryStore(options),
  'the SQLite store': async (options) => sqliteStore({ file: await storeFile(), ...options }),
  'the SQLite store with all but short outputs in files': async (options) =>
    sqliteStore({ file: await storeFile(), largePartBytes: 0, ...options }),
};

for (const [name, make] of Object.entries(stores)) {
  describe(name, () => {
    for (const { name: promise, run } of storeContract) {
      test(promise, () =>
        run(async (options) => {
          const store = await make(options);
          opened.push(store);
          return store;
        }),
      );
    }
  });
}
