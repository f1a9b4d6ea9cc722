/** A call whose signal was given rejects with its reason, and does nothing; the store goes on. */
import assert from 'node:assert/strict';
import { OK } from '../../model/outcome.ts';
import type { OutputCase } from './contract-case.ts';
import { draft, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './samples.ts';

const SEAL = { outcome: OK, complete: true, sourceTruncated: false, endedAt: 1_000, summary: 's' };

export const abortingCases: readonly OutputCase[] = [
  {
    name: 'a call that was aborted before it began rejects with the reason, and nothing is stored',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['text'] });
      const reason = new Error('enough');
      const wait = { signal: AbortSignal.abort(reason) };
      const key = { scope: 'scope-1', id: record.id };
      const calls = [
        () => store.create(draft(), wait),
        () => store.find(key, wait),
        () => store.read(record.id, 0, { bytes: 0 }, wait),
        () => store.list({ scope: 'scope-1' }, wait),
        () => store.freeze(projectionOf(record.id), 'first', wait),
        () => store.frozen(record.id, 'model', wait),
      ];
      for (const call of calls) await assert.rejects(call, (error) => error === reason);
      assert.equal(await store.frozen(record.id, 'model'), undefined);
      assert.deepEqual(await store.find(key), record);
    },
  },
  {
    name: 'a piece or a seal that was aborted can be given again',
    async run(open) {
      const store = await open();
      const reason = new Error('enough');
      const wait = { signal: AbortSignal.abort(reason) };
      const made = draft();
      const writer = await store.create(made);
      const parts = await writeParts(writer, ['one']);
      const [piece] = piecesOf('two').pieces;
      assert.ok(piece !== undefined);
      const second = writer.part({ role: 'content', kind: 'text', name: 'second' });
      await assert.rejects(writer.append(second, piece, wait), (error) => error === reason);
      await writer.append(second, piece);
      const seal = { ...SEAL, parts: [...parts, piecesOf('two').totals] };
      await assert.rejects(writer.seal(seal, wait), (error) => error === reason);
      await writer.seal(seal);
      assert.equal(await textOf(store, made.id, 1), 'two');
    },
  },
  {
    name: 'a reading ends with the reason when it is aborted between two pieces',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['x'.repeat(300_000)] });
      const controller = new AbortController();
      const { pieces } = await store.read(record.id, 0, { bytes: 0 }, { signal: controller.signal });
      const reason = new Error('enough');
      const read = async () => {
        for await (const _ of pieces) controller.abort(reason);
      };
      await assert.rejects(read, (error) => error === reason);
      assert.equal((await textOf(store, record.id)).length, 300_000);
    },
  },
];
