/** Equal content is stored once, and stays as long as anything refers to it. */
import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.ts';
import { storeOutput, textOf } from './samples.ts';

const TEXT = 'the same text again\n'.repeat(10_000);
const PURGE = { how: 'purge', scope: 'scope-1', at: 5_000 } as const;

export const sharingCases: readonly ContractCase[] = [
  {
    name: 'equal content of two outputs is stored once',
    async run(open) {
      const store = await open();
      await storeOutput(store, { parts: [TEXT] });
      const other = await storeOutput(store, { parts: [TEXT], scope: 'scope-2', session: 'session-2' });
      const usage = await store.usage();
      assert.equal(usage.outputs, 2);
      assert.equal(usage.bytes, TEXT.length);
      assert.equal(await textOf(store, other.record.id), TEXT);
    },
  },
  {
    name: 'two parts of one output may have the same content',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, {
        parts: [TEXT, { content: TEXT, spec: { name: 'stderr' } }],
      });
      assert.equal((await store.usage()).bytes, TEXT.length);
      assert.equal(await textOf(store, record.id, 0), TEXT);
      assert.equal(await textOf(store, record.id, 1), TEXT);
      const retired = await store.retire({ ...PURGE, ids: [record.id] });
      assert.deepEqual(retired, { outputs: 1, bytesFreed: TEXT.length, sessionsEnded: 0 });
      assert.equal((await store.usage()).bytes, 0);
    },
  },
  {
    name: 'a purge keeps content that another output refers to, and the last one frees it',
    async run(open) {
      const store = await open();
      const first = await storeOutput(store, { parts: [TEXT, 'only here'] });
      const second = await storeOutput(store, { parts: [TEXT] });
      assert.equal((await store.retire({ ...PURGE, ids: [first.record.id] })).bytesFreed, 'only here'.length);
      assert.equal(await textOf(store, second.record.id), TEXT);
      assert.equal((await store.retire({ ...PURGE, ids: [second.record.id] })).bytesFreed, TEXT.length);
      assert.equal((await store.usage()).bytes, 0);
    },
  },
  {
    name: 'content that was purged can be stored anew',
    async run(open) {
      const store = await open();
      const first = await storeOutput(store, { parts: [TEXT] });
      await store.retire({ ...PURGE, ids: [first.record.id] });
      const again = await storeOutput(store, { parts: [TEXT] });
      assert.equal(await textOf(store, again.record.id), TEXT);
      assert.equal((await store.usage()).bytes, TEXT.length);
    },
  },
];
