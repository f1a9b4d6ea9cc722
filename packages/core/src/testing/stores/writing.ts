/**
 * An output exists from its seal on, all at once; which output an id or a call id means; what is frozen
 * of it; and what an aborted call leaves.
 */
import assert from 'node:assert/strict';
import type { OutputStore, OutputWriter } from '../../model/store.ts';
import {
  type Checks,
  draft,
  piecesOf,
  projectionOf,
  SEAL,
  storeOutput,
  textOf,
  writeParts,
} from './samples.ts';

const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };

export const writingChecks: Checks<OutputStore> = {
  async 'nothing of an output can be found before it is sealed'(store) {
    const made = draft({ callId: 'call-1' });
    const writer = await store.create(made);
    const parts = await writeParts(writer, ['x'.repeat(200_000)]);
    await assertNothing(store, made.id);
    assert.equal(await store.find({ scope: made.scope, session: made.session, callId: 'call-1' }), undefined);
    await writer.seal({ ...SEAL, parts });
    assert.equal(await textOf(store, made.id), 'x'.repeat(200_000));
  },
  async 'a discarded output leaves nothing behind'(store) {
    const made = draft();
    const writer = await store.create(made);
    await writeParts(writer, ['x'.repeat(200_000), 'y']);
    await writer.discard();
    await assertNothing(store, made.id);
  },
  async 'record and first projection appear together'(store) {
    const made = draft();
    const writer = await store.create(made);
    const parts = await writeParts(writer, ['text']);
    const projection = projectionOf(made.id, { text: 'what was shown', disclosed: true });
    const { record } = await writer.seal({ ...SEAL, parts, projection });
    assert.equal(record.disclosed, true);
    assert.deepEqual(await store.frozen(made.id, 'model'), projection);
  },
  async 'a writer refuses every use after its seal, and after its discard'(store) {
    const sealed = await store.create(draft());
    await sealed.seal({ ...SEAL, parts: await writeParts(sealed, ['text']) });
    await assertSpent(sealed);
    const discarded = await store.create(draft());
    await discarded.discard();
    await assertSpent(discarded);
  },
  async 'a piece out of order and a seal that does not fit are refused, and the writer goes on'(store) {
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
  async 'a writer that is disposed of discards what was not sealed, and leaves what was'(store) {
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
  async 'an id is used once'(store) {
    const { record } = await storeOutput(store);
    // By `create`, or by the seal at the latest.
    await assert.rejects(storeOutput(store, { id: record.id, parts: ['another'] }), {
      code: 'invalid_argument',
    });
  },
  async 'a closed store can be closed again, and refuses everything else'(store) {
    await storeOutput(store);
    await store.close();
    await store[Symbol.asyncDispose]();
    await assert.rejects(store.list({ scope: 'scope-1' }), { code: 'store_unavailable' });
    await assert.rejects(store.create(draft()), { code: 'store_unavailable' });
  },
  async 'the same call id with the same content is the same output, and nothing is added'(store) {
    const first = await storeOutput(store, { ...CALL, parts: ['same'] });
    const again = await storeOutput(store, { ...CALL, parts: ['same'], shown: 'shown again' });
    assert.equal(first.existing, false);
    assert.equal(again.existing, true);
    assert.deepEqual(again.record, first.record);
    assert.equal(await store.frozen(first.record.id, 'model'), undefined);
    assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all' })).items, [first.record]);
  },
  async 'the same call id with other content, another outcome or another part name is a new version'(store) {
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
  async 'outputs without a call id are never taken for each other'(store) {
    await storeOutput(store, { parts: ['same'] });
    const again = await storeOutput(store, { parts: ['same'] });
    assert.equal(again.existing, false);
    assert.equal((await store.list({ scope: 'scope-1', show: 'all' })).items.length, 2);
  },
  async 'a call id belongs to its session and its scope'(store) {
    const { record } = await storeOutput(store, { ...CALL, parts: ['same'] });
    const sibling = await storeOutput(store, { ...CALL, session: 'session-2', parts: ['same'] });
    const stranger = await storeOutput(store, { ...CALL, scope: 'scope-2', parts: ['same'] });
    assert.deepEqual([sibling.existing, stranger.existing], [false, false]);
    assert.deepEqual(await store.find(CALL), record);
    assert.deepEqual(await store.find({ ...CALL, session: 'session-2' }), sibling.record);
    assert.equal(await store.find({ ...CALL, session: 'session-3' }), undefined);
  },
  async 'another scope finds nothing, neither by id nor by call id nor in a list'(store) {
    const { record } = await storeOutput(store, { ...CALL, disclosed: true });
    assert.equal(await store.find({ scope: 'scope-2', id: record.id }), undefined);
    assert.equal(await store.find({ ...CALL, scope: 'scope-2' }), undefined);
    assert.deepEqual((await store.list({ scope: 'scope-2', show: 'all' })).items, []);
  },
  async 'names that differ only in a NUL, a quote or a lone surrogate are different names'(store) {
    const names = ['a', 'a\0', 'a\0b', '"a"', '"a', '\ud800', '\ud801', '\ufffd', ''];
    for (const name of names)
      await storeOutput(store, { scope: name, session: name, callId: name, parts: [name.toWellFormed()] });
    for (const name of names) {
      const found = await store.find({ scope: name, session: name, callId: name });
      assert.ok(found !== undefined && 'session' in found);
      assert.deepEqual([found.session, found.callId, found.version], [name, name, 1]);
    }
  },
  async 'the first projection for an audience is kept, and returned to whoever comes later'(store) {
    const { record } = await storeOutput(store);
    const first = projectionOf(record.id, { text: 'first, with a NUL \0 and a lone \ud800' });
    assert.deepEqual(await store.freeze(first), first);
    assert.deepEqual(await store.freeze(projectionOf(record.id, { text: 'second' })), first);
    assert.deepEqual(await store.frozen(record.id, 'model'), first);
  },
  async 'a projection sealed with its output counts as the first'(store) {
    const { record } = await storeOutput(store, { shown: 'sealed' });
    const kept = await store.freeze(projectionOf(record.id, { text: 'later' }));
    assert.equal(kept.projection.text, 'sealed');
  },
  async 'each audience has its own projection'(store) {
    const { record } = await storeOutput(store, { shown: 'for the model' });
    assert.equal(await store.frozen(record.id, 'screen'), undefined);
    await store.freeze(projectionOf(record.id, { audience: 'screen', text: 'for the screen' }));
    assert.equal((await store.frozen(record.id, 'screen'))?.projection.text, 'for the screen');
    assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'for the model');
  },
  async 'replace puts another projection in its place'(store) {
    const { record } = await storeOutput(store, { shown: 'old' });
    const kept = await store.freeze(projectionOf(record.id, { text: 'new' }), 'replace');
    assert.equal(kept.projection.text, 'new');
    assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'new');
  },
  async 'a projection that tells the handle marks the output disclosed, and it stays so'(store) {
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
  async 'a projection that came second and was not kept does not disclose the handle'(store) {
    const { record } = await storeOutput(store, { shown: 'first' });
    await store.freeze(projectionOf(record.id, { disclosed: true }));
    assert.deepEqual((await store.list({ scope: 'scope-1' })).items, []);
  },
  async 'an output that is not there has no projections'(store) {
    await assert.rejects(store.freeze(projectionOf(draft().id)), { code: 'not_found' });
    assert.equal(await store.frozen(draft().id, 'model'), undefined);
  },
  async 'a call that was aborted before it began rejects with the reason, and nothing is stored'(store) {
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
  async 'a piece or a seal that was aborted can be given again'(store) {
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
  async 'a reading ends with the reason when it is aborted between two pieces'(store) {
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
};

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
