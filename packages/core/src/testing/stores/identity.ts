/** Which output is meant by an id or a call id, and who may know. */
import assert from 'node:assert/strict';
import type { OutputCase } from './contract-case.ts';
import { storeOutput } from './samples.ts';

const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };

export const identityCases: readonly OutputCase[] = [
  {
    name: 'the same call id with the same content is the same output, and nothing is added',
    async run(open) {
      const store = await open();
      const first = await storeOutput(store, { ...CALL, parts: ['same'] });
      const again = await storeOutput(store, { ...CALL, parts: ['same'], shown: 'shown again' });
      assert.equal(first.existing, false);
      assert.equal(again.existing, true);
      assert.deepEqual(again.record, first.record);
      assert.equal(await store.frozen(first.record.id, 'model'), undefined);
      assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all' })).items, [first.record]);
    },
  },
  {
    name: 'the same call id with other content, another outcome or another part name is a new version',
    async run(open) {
      const store = await open();
      await storeOutput(store, { ...CALL, parts: ['one'] });
      const content = await storeOutput(store, { ...CALL, parts: ['two'] });
      const outcome = await storeOutput(store, {
        ...CALL,
        parts: ['two'],
        outcome: { status: 'error', exitCode: 1 },
      });
      const name = await storeOutput(store, {
        ...CALL,
        parts: [{ content: 'two', spec: { name: 'stderr' } }],
      });
      assert.deepEqual(
        [content, outcome, name].map((sealed) => [sealed.existing, sealed.record.version]),
        [
          [false, 2],
          [false, 3],
          [false, 4],
        ],
      );
      assert.deepEqual(await store.find(CALL), name.record);
    },
  },
  {
    name: 'outputs without a call id are never taken for each other',
    async run(open) {
      const store = await open();
      await storeOutput(store, { parts: ['same'] });
      const again = await storeOutput(store, { parts: ['same'] });
      assert.equal(again.existing, false);
      assert.equal((await store.list({ scope: 'scope-1', show: 'all' })).items.length, 2);
    },
  },
  {
    name: 'a call id belongs to its session and its scope',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { ...CALL, parts: ['same'] });
      const sibling = await storeOutput(store, { ...CALL, session: 'session-2', parts: ['same'] });
      const stranger = await storeOutput(store, { ...CALL, scope: 'scope-2', parts: ['same'] });
      assert.deepEqual([sibling.existing, stranger.existing], [false, false]);
      assert.deepEqual(await store.find(CALL), record);
      assert.deepEqual(await store.find({ ...CALL, session: 'session-2' }), sibling.record);
      assert.equal(await store.find({ ...CALL, session: 'session-3' }), undefined);
    },
  },
  {
    name: 'another scope finds nothing, neither by id nor by call id nor in a list',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { ...CALL, disclosed: true });
      assert.equal(await store.find({ scope: 'scope-2', id: record.id }), undefined);
      assert.equal(await store.find({ ...CALL, scope: 'scope-2' }), undefined);
      assert.deepEqual((await store.list({ scope: 'scope-2', show: 'all' })).items, []);
    },
  },
  {
    name: 'names that differ only in a NUL, a quote or a lone surrogate are different names',
    async run(open) {
      const store = await open();
      const names = ['a', 'a\0', 'a\0b', '"a"', '"a', '\ud800', '\ud801', '\ufffd', ''];
      for (const name of names)
        await storeOutput(store, { scope: name, session: name, callId: name, parts: [name.toWellFormed()] });
      for (const name of names) {
        const found = await store.find({ scope: name, session: name, callId: name });
        assert.ok(found !== undefined && 'session' in found);
        assert.deepEqual([found.session, found.callId, found.version], [name, name, 1]);
      }
    },
  },
];
