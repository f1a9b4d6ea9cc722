/** Handles end by retiring, records by purging, sessions by request or by lying idle. */
import assert from 'node:assert/strict';
import type { RetireRequest, Store } from '../../model/store.ts';
import type { ContractCase } from './contract-case.ts';
import { storeOutput, textOf } from './samples.ts';

const ALL = { scope: 'scope-1', show: 'all' } as const;

export const retiringCases: readonly ContractCase[] = [
  {
    name: 'retiring ends the handle and keeps record, content and projection',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['kept'], disclosed: true, shown: 'shown' });
      const request = { how: 'retire', scope: 'scope-1', at: 77, ids: [record.id] } as const;
      assert.deepEqual(await store.retire(request), { outputs: 1, bytesFreed: 0, sessionsEnded: 0 });
      assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), { ...record, retiredAt: 77 });
      assert.equal(await textOf(store, record.id), 'kept');
      assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'shown');
      assert.deepEqual(await store.retire({ ...request, at: 99 }), {
        outputs: 0,
        bytesFreed: 0,
        sessionsEnded: 0,
      });
    },
  },
  {
    name: 'purging leaves a tombstone under id and call id, and nothing to read',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['gone'], callId: 'call-1', disclosed: true });
      const request = { how: 'purge', scope: 'scope-1', at: 77, ids: [record.id] } as const;
      assert.deepEqual(await store.retire(request), { outputs: 1, bytesFreed: 4, sessionsEnded: 0 });
      const tombstone = { id: record.id, scope: 'scope-1', purgedAt: 77 };
      assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), tombstone);
      assert.deepEqual(
        await store.find({ scope: 'scope-1', session: 'session-1', callId: 'call-1' }),
        tombstone,
      );
      await assert.rejects(store.read(record.id, 0, { bytes: 0 }), { code: 'not_found' });
      assert.deepEqual((await store.list(ALL)).items, []);
      assert.deepEqual(await store.retire({ ...request, at: 99 }), {
        outputs: 0,
        bytesFreed: 0,
        sessionsEnded: 0,
      });
    },
  },
  {
    name: 'a request means the outputs that its scope, session, ids and age all leave',
    async run(open) {
      const store = await open();
      const old = await storeOutput(store, { session: 's1', endedAt: 10 });
      const young = await storeOutput(store, { session: 's1', endedAt: 20 });
      const sibling = await storeOutput(store, { session: 's2', endedAt: 10 });
      await storeOutput(store, { scope: 'scope-2', session: 's1', endedAt: 10 });
      const count = async (request: Partial<RetireRequest>) => {
        const preview = await store.retire({
          how: 'purge',
          scope: 'scope-1',
          at: 50,
          preview: true,
          ...request,
        });
        return preview.outputs;
      };
      assert.equal(await count({}), 3);
      assert.equal(await count({ session: 's1' }), 2);
      assert.equal(await count({ before: 20 }), 2);
      assert.equal(await count({ session: 's1', before: 20 }), 1);
      assert.equal(
        await count({ ids: [old.record.id, young.record.id, sibling.record.id], session: 's2' }),
        1,
      );
      assert.equal(await count({ ids: [] }), 0);
      await store.retire({ how: 'purge', scope: 'scope-1', at: 50, session: 's1', before: 20 });
      assert.deepEqual((await store.list(ALL)).items, [sibling.record, young.record]);
    },
  },
  {
    name: 'a preview counts and names what would go, and changes nothing',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['shared', 'shared', 'alone'], session: 's1' });
      await storeOutput(store, { parts: ['shared'], session: 's2' });
      const before = await snapshot(store);
      const request = { how: 'purge', scope: 'scope-1', at: 50, session: 's1', endSession: true } as const;
      const expected = { outputs: 1, bytesFreed: 'alone'.length, sessionsEnded: 1 };
      const ids = [record.id];
      assert.deepEqual(await store.retire({ ...request, preview: true }), { ...expected, ids });
      assert.deepEqual(await store.retire({ ...request, how: 'retire', preview: true }), {
        ...expected,
        bytesFreed: 0,
        ids,
      });
      assert.deepEqual(await snapshot(store), before);
      assert.deepEqual(await store.retire(request), expected);
    },
  },
  {
    name: 'ending a session retires its outputs only, and it goes on when another output arrives',
    async run(open) {
      const store = await open();
      await storeOutput(store, { session: 's1', startedAt: 10, endedAt: 20 });
      const other = await storeOutput(store, { session: 's2', startedAt: 10, endedAt: 21 });
      const request = { how: 'retire', scope: 'scope-1', session: 's1', endSession: true } as const;
      assert.deepEqual(await store.retire({ ...request, at: 50 }), {
        outputs: 1,
        bytesFreed: 0,
        sessionsEnded: 1,
      });
      assert.deepEqual(await store.retire({ ...request, at: 60 }), {
        outputs: 0,
        bytesFreed: 0,
        sessionsEnded: 0,
      });
      const ended = { id: 's1', scope: 'scope-1', openedAt: 10, seenAt: 20, endedAt: 50 };
      assert.deepEqual((await store.sessions(ALL)).items.at(-1), ended);
      assert.deepEqual(await store.find({ scope: 'scope-1', id: other.record.id }), other.record);
      await storeOutput(store, { session: 's1', startedAt: 70, endedAt: 80 });
      assert.deepEqual((await store.sessions(ALL)).items[0], {
        id: 's1',
        scope: 'scope-1',
        openedAt: 10,
        seenAt: 80,
      });
    },
  },
  {
    name: 'idle sessions end with their outputs, the others stay',
    async run(open) {
      const store = await open();
      await storeOutput(store, { session: 'idle', endedAt: 10 });
      const live = await storeOutput(store, { session: 'live', endedAt: 30 });
      await storeOutput(store, { session: 'idle', scope: 'scope-2', endedAt: 10 });
      const request = { how: 'purge', scope: 'scope-1', idleSince: 30, endSession: true, at: 50 } as const;
      assert.deepEqual(await store.retire(request), { outputs: 1, bytesFreed: 0, sessionsEnded: 1 });
      assert.deepEqual((await store.list(ALL)).items, [live.record]);
      assert.deepEqual(
        (await store.sessions({})).items.map(({ id, scope }) => `${scope} ${id}`),
        ['scope-1 live', 'scope-2 idle'],
      );
      await assert.rejects(store.retire({ how: 'purge', scope: 'scope-1', at: 50, endSession: true }), {
        code: 'invalid_argument',
      });
    },
  },
  {
    name: 'a request by age can be for ended sessions only',
    async run(open) {
      const store = await open();
      const old = await storeOutput(store, { session: 'over', parts: ['old'], endedAt: 10 });
      const young = await storeOutput(store, { session: 'over', parts: ['young'], endedAt: 30 });
      const live = await storeOutput(store, { session: 'live', parts: ['live'], endedAt: 5 });
      await store.retire({ how: 'retire', scope: 'scope-1', session: 'over', endSession: true, at: 40 });
      const request = { how: 'purge', scope: 'scope-1', before: 20, ended: true, at: 50 } as const;
      const expected = { outputs: 1, bytesFreed: 3, sessionsEnded: 0 };
      const preview = { ...expected, ids: [old.record.id] };
      assert.deepEqual(await store.retire({ ...request, preview: true }), preview);
      assert.deepEqual(await store.retire(request), expected);
      assert.deepEqual(
        (await store.list(ALL)).items.map(({ id }) => id),
        [live.record.id, young.record.id],
      );
    },
  },
  {
    name: 'a request for many outputs reaches all of them',
    async run(open) {
      const store = await open();
      await Promise.all(
        Array.from({ length: 200 }, (_, i) => storeOutput(store, { parts: [`number ${i}`] })),
      );
      const { outputs } = await store.retire({ how: 'purge', scope: 'scope-1', at: 50 });
      assert.equal(outputs, 200);
      const usage = await store.usage();
      assert.deepEqual([usage.outputs, usage.bytes], [0, 0]);
    },
  },
];

async function snapshot(store: Store): Promise<unknown> {
  return [await store.list(ALL), await store.sessions(ALL), await store.events({}), await store.usage()];
}
