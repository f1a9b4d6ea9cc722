/**
 * A limit is kept by evicting outputs of ended sessions, oldest first; what a live session may
 * still cite is never touched.
 */
import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.ts';
import { draft, piecesOf, SEAL, storeOutput, textOf } from './samples.ts';

const limits = { maxBytes: 100_000 };
const text = (letter: string): string => letter.repeat(40_000);

export const limitCases: readonly ContractCase[] = [
  {
    name: 'outputs of ended sessions make room, oldest first and no more than needed, leaving tombstones and events',
    async run(open) {
      const store = await open({ limits });
      const oldest = await storeOutput(store, { session: 'ended', parts: [text('a')] });
      const older = await storeOutput(store, { session: 'ended', parts: [text('b')] });
      await store.retire({ how: 'retire', scope: 'scope-1', session: 'ended', endSession: true, at: 50 });
      const { record } = await storeOutput(store, { session: 'live', parts: [text('c')] });
      assert.equal(await textOf(store, record.id), text('c'));
      assert.equal(await textOf(store, older.record.id), text('b'));
      const evicted = await store.find({ scope: 'scope-1', id: oldest.record.id });
      assert.ok(evicted !== undefined && 'purgedAt' in evicted);
      assert.equal((await store.usage()).bytes, 80_000);
      const { items } = await store.events({ type: 'purged' });
      assert.deepEqual(
        items.map(({ output, data }) => ({ output, data })),
        [{ output: oldest.record.id, data: { reason: 'evicted', bytes: 40_000 } }],
      );
    },
  },
  {
    name: 'a store full of live sessions refuses more and keeps what it has',
    async run(open) {
      const store = await open({ limits });
      const first = await storeOutput(store, { session: 's1', parts: [text('a')] });
      const second = await storeOutput(store, { session: 's2', parts: [text('b')] });
      await assert.rejects(storeOutput(store, { session: 's3', parts: [text('c')] }), { code: 'store_full' });
      assert.equal(await textOf(store, first.record.id), text('a'));
      assert.equal(await textOf(store, second.record.id), text('b'));
      assert.equal((await store.usage()).outputs, 2);
      const small = await storeOutput(store, { session: 's3', parts: ['small'] });
      assert.equal(await textOf(store, small.record.id), 'small');
    },
  },
  {
    name: 'what an open session cites stays, also when it came from a session that has ended',
    async run(open) {
      const store = await open({ limits });
      const cited = await storeOutput(store, { session: 'ended', parts: [text('a')] });
      const other = await storeOutput(store, { session: 'ended', parts: [text('b')] });
      const result = {
        type: 'result',
        callId: 'c',
        tool: 't',
        output: cited.record.id,
        status: 'ok',
      } as const;
      const messages = [{ id: 'm', role: 'tool', at: 60, parts: [result] }] as const;
      await store.addMessages({ scope: 'scope-1', session: 'live', messages });
      await store.retire({ how: 'retire', scope: 'scope-1', session: 'ended', endSession: true, at: 50 });
      const old = { how: 'purge', scope: 'scope-1', ended: true, before: 1e15, at: 70 } as const;
      assert.equal((await store.retire({ ...old, preview: true })).outputs, 1);
      await storeOutput(store, { session: 'live', parts: [text('c')] });
      assert.equal(await textOf(store, cited.record.id), text('a'));
      await assert.rejects(textOf(store, other.record.id), { code: 'not_found' });
      await assert.rejects(storeOutput(store, { session: 'live', parts: [text('d')] }), {
        code: 'store_full',
      });
      assert.equal((await store.retire(old)).outputs, 0);
      await store.retire({ how: 'retire', scope: 'scope-1', session: 'live', endSession: true, at: 80 });
      assert.equal((await store.retire({ ...old, before: 1e15 })).outputs, 2);
    },
  },
  {
    name: 'a writer that hit the limit can be discarded, and its room is free again',
    async run(open) {
      const store = await open({ limits });
      const writer = await store.create(draft());
      const { pieces, totals } = piecesOf('x'.repeat(150_000));
      const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
      const write = async () => {
        for (const piece of pieces) await writer.append(part, piece);
        await writer.seal({ ...SEAL, parts: [totals] });
      };
      await assert.rejects(write(), { code: 'store_full' });
      await writer.discard();
      await storeOutput(store, { parts: ['y'.repeat(90_000)] });
    },
  },
];
