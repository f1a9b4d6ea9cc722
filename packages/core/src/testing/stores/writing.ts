/** An output exists from its seal on, all at once, and its writer is used once. */
import assert from 'node:assert/strict';
import { OK } from '../../model/outcome.ts';
import type { OutputStore, OutputWriter, Seal } from '../../model/store.ts';
import type { OutputCase } from './contract-case.ts';
import { draft, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './samples.ts';

const SEAL: Omit<Seal, 'parts'> = {
  outcome: OK,
  complete: true,
  sourceTruncated: false,
  endedAt: 1_000,
  summary: 's',
};

export const writingCases: readonly OutputCase[] = [
  {
    name: 'nothing of an output can be found before it is sealed',
    async run(open) {
      const store = await open();
      const made = draft({ callId: 'call-1' });
      const writer = await store.create(made);
      const parts = await writeParts(writer, ['x'.repeat(200_000)]);
      await assertNothing(store, made.id);
      assert.equal(
        await store.find({ scope: made.scope, session: made.session, callId: 'call-1' }),
        undefined,
      );
      await writer.seal({ ...SEAL, parts });
      assert.equal(await textOf(store, made.id), 'x'.repeat(200_000));
    },
  },
  {
    name: 'a discarded output leaves nothing behind',
    async run(open) {
      const store = await open();
      const made = draft();
      const writer = await store.create(made);
      await writeParts(writer, ['x'.repeat(200_000), 'y']);
      await writer.discard();
      await assertNothing(store, made.id);
    },
  },
  {
    name: 'record and first projection appear together',
    async run(open) {
      const store = await open();
      const made = draft();
      const writer = await store.create(made);
      const parts = await writeParts(writer, ['text']);
      const projection = projectionOf(made.id, { text: 'what was shown', disclosed: true });
      const { record } = await writer.seal({ ...SEAL, parts, projection });
      assert.equal(record.disclosed, true);
      assert.deepEqual(await store.frozen(made.id, 'model'), projection);
    },
  },
  {
    name: 'a writer refuses every use after its seal, and after its discard',
    async run(open) {
      const store = await open();
      const sealed = await store.create(draft());
      await sealed.seal({ ...SEAL, parts: await writeParts(sealed, ['text']) });
      await assertSpent(sealed);
      const discarded = await store.create(draft());
      await discarded.discard();
      await assertSpent(discarded);
    },
  },
  {
    name: 'a piece out of order and a seal that does not fit are refused, and the writer goes on',
    async run(open) {
      const store = await open();
      const made = draft();
      const writer = await store.create(made);
      const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
      const { pieces, totals } = piecesOf('x'.repeat(100_000));
      const [first, second] = pieces;
      assert.ok(first !== undefined && second !== undefined);
      await assert.rejects(writer.append(part, second), { code: 'invalid_argument' });
      await assert.rejects(writer.append(part + 1, first), { code: 'invalid_argument' });
      await writer.append(part, first);
      await assert.rejects(writer.seal({ ...SEAL, parts: [totals] }), { code: 'invalid_argument' });
      await assert.rejects(writer.seal({ ...SEAL, parts: [] }), { code: 'invalid_argument' });
      await writer.append(part, second);
      await writer.seal({ ...SEAL, parts: [totals] });
      assert.equal(await textOf(store, made.id), 'x'.repeat(100_000));
    },
  },
  {
    name: 'a writer that is disposed of discards what was not sealed, and leaves what was',
    async run(open) {
      const store = await open();
      const left = draft();
      const writer = await store.create(left);
      await writeParts(writer, ['never sealed']);
      await writer[Symbol.asyncDispose]();
      await assertNothing(store, left.id);
      await assertSpent(writer);
      const kept = draft();
      const sealed = await store.create(kept);
      await sealed.seal({ ...SEAL, parts: await writeParts(sealed, ['sealed']) });
      await sealed[Symbol.asyncDispose]();
      assert.equal(await textOf(store, kept.id), 'sealed');
    },
  },
  {
    name: 'an id is used once',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store);
      // By `create`, or by the seal at the latest.
      await assert.rejects(storeOutput(store, { id: record.id, parts: ['another'] }), {
        code: 'invalid_argument',
      });
    },
  },
  {
    name: 'a closed store can be closed again, and refuses everything else',
    async run(open) {
      const store = await open();
      await storeOutput(store);
      await store.close();
      await store[Symbol.asyncDispose]();
      await assert.rejects(store.list({ scope: 'scope-1' }), { code: 'store_unavailable' });
      await assert.rejects(store.create(draft()), { code: 'store_unavailable' });
    },
  },
];

async function assertNothing(store: OutputStore, id: ReturnType<typeof draft>['id']): Promise<void> {
  assert.equal(await store.find({ scope: 'scope-1', id }), undefined);
  await assert.rejects(store.read(id, 0, { bytes: 0 }), { code: 'not_found' });
  assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all' })).items, []);
}

async function assertSpent(writer: OutputWriter): Promise<void> {
  const [piece] = piecesOf('more').pieces;
  assert.ok(piece !== undefined);
  assert.throws(() => writer.part({ role: 'content', kind: 'text', name: 'late' }), { code: 'sealed' });
  await assert.rejects(writer.append(0, piece), { code: 'sealed' });
  await assert.rejects(writer.seal({ ...SEAL, parts: [] }), { code: 'sealed' });
  await assert.rejects(writer.discard(), { code: 'sealed' });
}
