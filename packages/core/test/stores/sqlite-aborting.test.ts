// A write that waits for a lock which another holds can be given up: it is withdrawn, and never
// happens later.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeOutput } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';

const NAME = { scope: 'scope-1', session: 'session-1' };
const MESSAGE = { id: 'm1', role: 'user', at: 1, parts: [{ type: 'text', text: 'hello' }] } as const;

for (const thread of [false, true])
  describe(thread ? 'the store in another thread' : 'the store in this thread', () => {
    it('withdraws a write that waits for the lock when its signal is given, and goes on', async () => {
      const file = await storeFile();
      await using store = sqliteStore({ file, thread });
      await storeOutput(store);
      const other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');
      const controller = new AbortController();
      const reason = new Error('the user has left');
      const adding = store.addMessages({ ...NAME, messages: [MESSAGE] }, { signal: controller.signal });
      const rejected = expect(adding).rejects.toBe(reason);
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.abort(reason);
      await rejected;
      other.exec('ROLLBACK');
      other.close();
      expect((await store.messages(NAME)).items).toEqual([]);
      expect(await store.addMessages({ ...NAME, messages: [MESSAGE] })).toHaveLength(1);
    });

    it('finishes a write whose signal comes too late', async () => {
      await using store = sqliteStore({ file: await storeFile(), thread });
      const controller = new AbortController();
      const request = { ...NAME, messages: [MESSAGE] };
      expect(await store.addMessages(request, { signal: controller.signal })).toHaveLength(1);
      controller.abort();
      expect((await store.messages(NAME)).items).toHaveLength(1);
    });
  });
