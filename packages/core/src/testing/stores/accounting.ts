/**
 * What a store tells of itself: events that come with outputs, sessions known by them, and how much
 * is held.
 */
import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.ts';
import { draft, eventOf, storeOutput, writeParts } from './samples.ts';

const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };
const NOTHING = { outputs: 0, bytes: 0, sessions: 0, events: 0 };

export const accountingCases: readonly ContractCase[] = [
  {
    name: 'an output that is being written, or was discarded, counts nowhere',
    async run(open) {
      const store = await open();
      const writer = await store.create(draft());
      await writeParts(writer, ['x'.repeat(200_000), 'y']);
      assert.deepEqual(await store.usage(), NOTHING);
      await writer.discard();
      assert.deepEqual(await store.usage(), NOTHING);
      assert.deepEqual((await store.sessions({ show: 'all' })).items, []);
    },
  },
  {
    name: 'events of an output appear with it, and an equal call adds none',
    async run(open) {
      const store = await open();
      const sample = { ...CALL, parts: ['same'], events: [eventOf()] };
      await storeOutput(store, sample);
      await storeOutput(store, sample);
      assert.deepEqual((await store.events({})).items, [eventOf()]);
      assert.deepEqual(await store.usage(), { outputs: 1, bytes: 4, sessions: 1, events: 1 });
    },
  },
  {
    name: 'sessions whose names differ only in a NUL, a quote or a lone surrogate are different sessions',
    async run(open) {
      const store = await open();
      const names = ['a', 'a\0', 'a\0b', '"a"', '"a', '\ud800', '\ud801', '\ufffd', ''];
      for (const name of names) await storeOutput(store, { scope: name, session: name });
      const sessions = (await store.sessions({})).items.map(({ id, scope }) => [id, scope]);
      assert.deepEqual(sessions.sort(), names.map((name) => [name, name]).sort());
    },
  },
  {
    name: 'what some scopes hold is counted without what others hold, and shared content once',
    async run(open) {
      const store = await open();
      const parts = ['shared'];
      await storeOutput(store, { scope: 'a', parts, events: [{ ...eventOf(), scope: 'a' }] });
      await storeOutput(store, { scope: 'a', session: 'other', parts });
      await storeOutput(store, { scope: 'b', parts: ['shared', 'of b alone'] });
      const gone = await storeOutput(store, { scope: 'b', parts: ['purged'] });
      await store.retire({ how: 'purge', scope: 'b', at: 9, ids: [gone.record.id] });
      assert.deepEqual(await store.usage({ scopes: ['a'] }), {
        outputs: 2,
        bytes: 6,
        sessions: 2,
        events: 1,
      });
      assert.deepEqual(await store.usage({ scopes: ['b'] }), {
        outputs: 1,
        bytes: 16,
        sessions: 1,
        events: 0,
      });
      const both = { outputs: 3, bytes: 16, sessions: 3, events: 1 };
      assert.deepEqual(await store.usage({ scopes: ['a', 'b', 'none'] }), both);
      assert.deepEqual(await store.usage({ scopes: [] }), NOTHING);
    },
  },
  {
    name: 'a closed store tells nothing any more',
    async run(open) {
      const store = await open();
      await store.close();
      await assert.rejects(store.usage(), { code: 'store_unavailable' });
    },
  },
];
