/**
 * The first projection for an audience stays; the flag on the record says whether a handle was ever
 * told.
 */
import assert from 'node:assert/strict';
import type { OutputCase } from './contract-case.ts';
import { draft, projectionOf, storeOutput } from './samples.ts';

export const projectionCases: readonly OutputCase[] = [
  {
    name: 'the first projection for an audience is kept, and returned to whoever comes later',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store);
      const first = projectionOf(record.id, { text: 'first, with a NUL \0 and a lone \ud800' });
      assert.deepEqual(await store.freeze(first), first);
      assert.deepEqual(await store.freeze(projectionOf(record.id, { text: 'second' })), first);
      assert.deepEqual(await store.frozen(record.id, 'model'), first);
    },
  },
  {
    name: 'a projection sealed with its output counts as the first',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { shown: 'sealed' });
      const kept = await store.freeze(projectionOf(record.id, { text: 'later' }));
      assert.equal(kept.projection.text, 'sealed');
    },
  },
  {
    name: 'each audience has its own projection',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { shown: 'for the model' });
      assert.equal(await store.frozen(record.id, 'screen'), undefined);
      await store.freeze(projectionOf(record.id, { audience: 'screen', text: 'for the screen' }));
      assert.equal((await store.frozen(record.id, 'screen'))?.projection.text, 'for the screen');
      assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'for the model');
    },
  },
  {
    name: 'replace puts another projection in its place',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { shown: 'old' });
      const kept = await store.freeze(projectionOf(record.id, { text: 'new' }), 'replace');
      assert.equal(kept.projection.text, 'new');
      assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'new');
    },
  },
  {
    name: 'a projection that tells the handle marks the output disclosed, and it stays so',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store);
      const disclosed = async () => {
        const found = await store.find({ scope: 'scope-1', id: record.id });
        return found !== undefined && 'disclosed' in found && found.disclosed;
      };
      assert.equal(await disclosed(), false);
      await store.freeze(projectionOf(record.id, { disclosed: true }));
      assert.equal(await disclosed(), true);
      await store.freeze(projectionOf(record.id, { disclosed: false }), 'replace');
      assert.equal(await disclosed(), true);
    },
  },
  {
    name: 'a projection that came second and was not kept does not disclose the handle',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { shown: 'first' });
      await store.freeze(projectionOf(record.id, { disclosed: true }));
      assert.deepEqual((await store.list({ scope: 'scope-1' })).items, []);
    },
  },
  {
    name: 'an output that is not there has no projections',
    async run(open) {
      const store = await open();
      await assert.rejects(store.freeze(projectionOf(draft().id)), { code: 'not_found' });
      assert.equal(await store.frozen(draft().id, 'model'), undefined);
    },
  },
];
