/**
 * What is left of outputs whose handle has ended or that were purged, for whoever finds, lists or
 * records them again.
 */
import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.ts';
import { projectionOf, storeOutput } from './samples.ts';

const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };
const PURGE = { how: 'purge', scope: 'scope-1', at: 9 } as const;

export const retiredOutputCases: readonly ContractCase[] = [
  {
    name: 'an equal call after its output was retired or purged is a new version, with a handle that works',
    async run(open) {
      const store = await open();
      for (const [how, version] of [['retire', 1] as const, ['purge', 2] as const]) {
        const { record } = await storeOutput(store, { ...CALL, parts: ['same'] });
        assert.equal(record.version, version);
        await store.retire({ how, scope: 'scope-1', at: 9, ids: [record.id] });
      }
      const again = await storeOutput(store, { ...CALL, parts: ['same'] });
      assert.equal(again.existing, false);
      assert.equal(again.record.version, 3);
    },
  },
  {
    name: 'another scope neither purges an output nor finds what is left of it',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, CALL);
      await store.retire({ ...PURGE, scope: 'scope-2', ids: [record.id] });
      assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), record);
      await store.retire({ ...PURGE, ids: [record.id] });
      assert.equal(await store.find({ scope: 'scope-2', id: record.id }), undefined);
    },
  },
  {
    name: 'an output whose handle was retired is listed only among all',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { disclosed: true });
      await store.retire({ how: 'retire', scope: 'scope-1', at: 7, ids: [record.id] });
      assert.deepEqual((await store.list({ scope: 'scope-1' })).items, []);
      const { items } = await store.list({ scope: 'scope-1', show: 'all' });
      assert.deepEqual(items, [{ ...record, retiredAt: 7 }]);
    },
  },
  {
    name: 'a purged output is not found by its call any more',
    async run(open) {
      const store = await open();
      const input = { content: '{"a":1}', spec: { role: 'input', kind: 'json', name: 'input' } } as const;
      const first = (await storeOutput(store, { tool: 't', parts: [input, 'one'] })).record;
      const second = (await storeOutput(store, { tool: 't', parts: [input, 'two'] })).record;
      await store.retire({ ...PURGE, ids: [second.id] });
      const call = { tool: 't', input: first.parts[0]?.hash ?? '' };
      assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all', call })).items, [first]);
    },
  },
  {
    name: 'pages go on where the last one ended, also when its outputs were purged',
    async run(open) {
      const store = await open();
      for (let i = 0; i < 10; i++) await storeOutput(store, { parts: [`${i}`], disclosed: true });
      const all = (await store.list({ scope: 'scope-1' })).items;
      const first = await store.list({ scope: 'scope-1', limit: 4 });
      await store.retire({ ...PURGE, ids: first.items.map(({ id }) => id) });
      const after = first.next ?? '';
      assert.deepEqual((await store.list({ scope: 'scope-1', after })).items, all.slice(4));
    },
  },
  {
    name: 'a purged output has no projections',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { shown: 'text' });
      await store.retire({ ...PURGE, ids: [record.id] });
      assert.equal(await store.frozen(record.id, 'model'), undefined);
      await assert.rejects(store.freeze(projectionOf(record.id)), { code: 'not_found' });
    },
  },
];
