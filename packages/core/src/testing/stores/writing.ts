/** An output exists from its seal on, all at once, and its writer is used once. */
import assert from 'node:assert/strict';
import { OK } from '../../model/outcome.ts';
import type { OutputWriter, Seal, Store } from '../../model/store.ts';
import type { ContractCase } from './contract-case.ts';
import { draft, eventOf, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './samples.ts';

const SEAL: Omit<Seal, 'parts'> = {
  outcome: OK,
  complete: true,
  sourceTruncated: false,
  endedAt: 1_000,
  summary: 's',
};

export const writingCases: readonly ContractCase[] = [
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
    name: 'record, first projection and events appear together',
    async run(open) {
      const store = await open();
      const made = draft();
      const writer = await store.create(made);
      const parts = await writeParts(writer, ['text']);
      const projection = projectionOf(made.id, { text: 'what was shown', disclosed: true });
      const { record } = await writer.seal({
        ...SEAL,
        parts,
        projection,
        events: [eventOf({ output: made.id })],
      });
      assert.equal(record.disclosed, true);
      assert.deepEqual(await store.frozen(made.id, 'model'), projection);
      assert.deepEqual((await store.events({})).items, [eventOf({ output: made.id })]);
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
    name: 'a piece out of request and a seal that does not fit are refused, and the writer goes on',
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
    name: 'an id is used once',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store);
      await assert.rejects(store.create(draft({ id: record.id })), { code: 'invalid_argument' });
    },
  },
  {
    name: 'a closed store can be closed again, and refuses everything else',
    async run(open) {
      const store = await open();
      await storeOutput(store);
      await store.close();
      await store.close();
      await assert.rejects(store.usage(), { code: 'store_unavailable' });
      await assert.rejects(store.create(draft()), { code: 'store_unavailable' });
    },
  },
];

async function assertNothing(store: Store, id: ReturnType<typeof draft>['id']): Promise<void> {
  assert.equal(await store.find({ scope: 'scope-1', id }), undefined);
  await assert.rejects(store.read(id, 0, { bytes: 0 }), { code: 'not_found' });
  assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all' })).items, []);
  assert.deepEqual((await store.sessions({ show: 'all' })).items, []);
  assert.deepEqual(await store.usage(), { outputs: 0, bytes: 0, sessions: 0, events: 0 });
}

async function assertSpent(writer: OutputWriter): Promise<void> {
  const [piece] = piecesOf('more').pieces;
  assert.ok(piece !== undefined);
  assert.throws(() => writer.part({ role: 'content', kind: 'text', name: 'late' }), { code: 'sealed' });
  await assert.rejects(writer.append(0, piece), { code: 'sealed' });
  await assert.rejects(writer.seal({ ...SEAL, parts: [] }), { code: 'sealed' });
  await assert.rejects(writer.discard(), { code: 'sealed' });
}
