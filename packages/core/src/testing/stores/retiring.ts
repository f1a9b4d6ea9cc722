/**
 * Handles end by retiring, records by purging, sessions by request or by lying idle. Equal content is
 * stored once, and stays as long as anything refers to it. Old content may be made smaller.
 */
import assert from 'node:assert/strict';
import type { RetireRequest, Store } from '../../model/store.ts';
import { bytesOf, type Checks, draft, piecesOf, projectionOf, SEAL, storeOutput, textOf } from './samples.ts';

const ALL = { scope: 'scope-1', show: 'all' } as const;
const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };
const PURGE = { how: 'purge', scope: 'scope-1', at: 9 } as const;
const TEXT = 'the same text again\n'.repeat(10_000);
const LOG = 'a line of a log that compresses well – 漢字 😀\r\n'.repeat(9_000);
const NOISE = Uint8Array.from({ length: 200_000 }, (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> 13) & 255);
const ORDER = { scope: 'scope-1', before: 5_000 } as const;

export const retiringChecks: Checks = {
  async 'retiring ends the handle and keeps record, content and projection'(store) {
    const { record } = await storeOutput(store, { parts: ['kept'], disclosed: true, shown: 'shown' });
    const request = { how: 'retire', scope: 'scope-1', at: 77, ids: [record.id] } as const;
    assert.deepEqual(await store.retire(request), ended(1));
    assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), { ...record, retiredAt: 77 });
    assert.equal(await textOf(store, record.id), 'kept');
    assert.equal((await store.frozen(record.id, 'model'))?.projection.text, 'shown');
    assert.deepEqual(await store.retire({ ...request, at: 99 }), ended(0));
  },
  async 'purging leaves a tombstone under id and call id, and nothing to read'(store) {
    const { record } = await storeOutput(store, { parts: ['gone'], callId: 'call-1', disclosed: true });
    const request = { how: 'purge', scope: 'scope-1', at: 77, ids: [record.id] } as const;
    assert.deepEqual(await store.retire(request), ended(1, 4));
    const tombstone = { id: record.id, scope: 'scope-1', purgedAt: 77 };
    assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), tombstone);
    assert.deepEqual(
      await store.find({ scope: 'scope-1', session: 'session-1', callId: 'call-1' }),
      tombstone,
    );
    await assert.rejects(store.read(record.id, 0, { bytes: 0 }), { code: 'not_found' });
    assert.deepEqual((await store.list(ALL)).items, []);
    assert.deepEqual(await store.retire({ ...request, at: 99 }), ended(0));
  },
  async 'a request means the outputs that its scope, session, ids and age all leave'(store) {
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
    assert.equal(await count({ ids: [old.record.id, young.record.id, sibling.record.id], session: 's2' }), 1);
    assert.equal(await count({ ids: [] }), 0);
    await store.retire({ how: 'purge', scope: 'scope-1', at: 50, session: 's1', before: 20 });
    assert.deepEqual((await store.list(ALL)).items, [sibling.record, young.record]);
  },
  async 'a preview counts and names what would go, and changes nothing'(store) {
    const { record } = await storeOutput(store, { parts: ['shared', 'shared', 'alone'], session: 's1' });
    await storeOutput(store, { parts: ['shared'], session: 's2' });
    const before = await snapshot(store);
    const request = { how: 'purge', scope: 'scope-1', at: 50, session: 's1', endSession: true } as const;
    const expected = ended(1, 'alone'.length, 1);
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
  async 'ending a session retires its outputs only, and it goes on when another output arrives'(store) {
    await storeOutput(store, { session: 's1', startedAt: 10, endedAt: 20 });
    const other = await storeOutput(store, { session: 's2', startedAt: 10, endedAt: 21 });
    const request = { how: 'retire', scope: 'scope-1', session: 's1', endSession: true } as const;
    assert.deepEqual(await store.retire({ ...request, at: 50 }), ended(1, 0, 1));
    assert.deepEqual(await store.retire({ ...request, at: 60 }), ended(0));
    const session = { id: 's1', scope: 'scope-1', openedAt: 10, seenAt: 20, endedAt: 50 };
    assert.deepEqual((await store.sessions(ALL)).items.at(-1), session);
    assert.deepEqual(await store.find({ scope: 'scope-1', id: other.record.id }), other.record);
    await storeOutput(store, { session: 's1', startedAt: 70, endedAt: 80 });
    assert.deepEqual((await store.sessions(ALL)).items[0], {
      id: 's1',
      scope: 'scope-1',
      openedAt: 10,
      seenAt: 80,
    });
  },
  async 'idle sessions end with their outputs, the others stay'(store) {
    await storeOutput(store, { session: 'idle', endedAt: 10 });
    const live = await storeOutput(store, { session: 'live', endedAt: 30 });
    await storeOutput(store, { session: 'idle', scope: 'scope-2', endedAt: 10 });
    const request = { how: 'purge', scope: 'scope-1', idleSince: 30, endSession: true, at: 50 } as const;
    assert.deepEqual(await store.retire(request), ended(1, 0, 1));
    assert.deepEqual((await store.list(ALL)).items, [live.record]);
    assert.deepEqual(
      (await store.sessions({})).items.map(({ id, scope }) => `${scope} ${id}`),
      ['scope-1 live', 'scope-2 idle'],
    );
    await assert.rejects(store.retire({ how: 'purge', scope: 'scope-1', at: 50, endSession: true }), {
      code: 'invalid_argument',
    });
  },
  async 'a request by age can be for ended sessions only'(store) {
    const old = await storeOutput(store, { session: 'over', parts: ['old'], endedAt: 10 });
    const young = await storeOutput(store, { session: 'over', parts: ['young'], endedAt: 30 });
    const live = await storeOutput(store, { session: 'live', parts: ['live'], endedAt: 5 });
    await store.retire({ how: 'retire', scope: 'scope-1', session: 'over', endSession: true, at: 40 });
    const request = { how: 'purge', scope: 'scope-1', before: 20, ended: true, at: 50 } as const;
    const expected = ended(1, 3);
    const preview = { ...expected, ids: [old.record.id] };
    assert.deepEqual(await store.retire({ ...request, preview: true }), preview);
    assert.deepEqual(await store.retire(request), expected);
    assert.deepEqual(
      (await store.list(ALL)).items.map(({ id }) => id),
      [live.record.id, young.record.id],
    );
  },
  async 'a request for many outputs reaches all of them'(store) {
    await Promise.all(Array.from({ length: 200 }, (_, i) => storeOutput(store, { parts: [`number ${i}`] })));
    const { outputs } = await store.retire({ how: 'purge', scope: 'scope-1', at: 50 });
    assert.equal(outputs, 200);
    const usage = await store.usage();
    assert.deepEqual([usage.outputs, usage.bytes], [0, 0]);
  },
  async 'an equal call after its output was retired or purged is a new version, with a handle that works'(
    store,
  ) {
    for (const [how, version] of [['retire', 1] as const, ['purge', 2] as const]) {
      const { record } = await storeOutput(store, { ...CALL, parts: ['same'] });
      assert.equal(record.version, version);
      await store.retire({ how, scope: 'scope-1', at: 9, ids: [record.id] });
    }
    const again = await storeOutput(store, { ...CALL, parts: ['same'] });
    assert.equal(again.existing, false);
    assert.equal(again.record.version, 3);
  },
  async 'another scope neither purges an output nor finds what is left of it'(store) {
    const { record } = await storeOutput(store, CALL);
    await store.retire({ ...PURGE, scope: 'scope-2', ids: [record.id] });
    assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), record);
    await store.retire({ ...PURGE, ids: [record.id] });
    assert.equal(await store.find({ scope: 'scope-2', id: record.id }), undefined);
  },
  async 'an output whose handle was retired is listed only among all'(store) {
    const { record } = await storeOutput(store, { disclosed: true });
    await store.retire({ how: 'retire', scope: 'scope-1', at: 7, ids: [record.id] });
    assert.deepEqual((await store.list({ scope: 'scope-1' })).items, []);
    const { items } = await store.list({ scope: 'scope-1', show: 'all' });
    assert.deepEqual(items, [{ ...record, retiredAt: 7 }]);
  },
  async 'a purged output is not found by its call any more'(store) {
    const input = { content: '{"a":1}', spec: { role: 'input', kind: 'json', name: 'input' } } as const;
    const first = (await storeOutput(store, { tool: 't', parts: [input, 'one'] })).record;
    const second = (await storeOutput(store, { tool: 't', parts: [input, 'two'] })).record;
    await store.retire({ ...PURGE, ids: [second.id] });
    const call = { tool: 't', input: first.parts[0]?.hash ?? '' };
    assert.deepEqual((await store.list({ scope: 'scope-1', show: 'all', call })).items, [first]);
  },
  async 'pages go on where the last one ended, also when its outputs were purged'(store) {
    for (let i = 0; i < 10; i++) await storeOutput(store, { parts: [`${i}`], disclosed: true });
    const all = (await store.list({ scope: 'scope-1' })).items;
    const first = await store.list({ scope: 'scope-1', limit: 4 });
    await store.retire({ ...PURGE, ids: first.items.map(({ id }) => id) });
    const after = first.next ?? '';
    assert.deepEqual((await store.list({ scope: 'scope-1', after })).items, all.slice(4));
  },
  async 'a purged output has no projections'(store) {
    const { record } = await storeOutput(store, { shown: 'text' });
    await store.retire({ ...PURGE, ids: [record.id] });
    assert.equal(await store.frozen(record.id, 'model'), undefined);
    await assert.rejects(store.freeze(projectionOf(record.id)), { code: 'not_found' });
  },
  async 'equal content of two outputs is stored once'(store) {
    await storeOutput(store, { parts: [TEXT] });
    const other = await storeOutput(store, { parts: [TEXT], scope: 'scope-2', session: 'session-2' });
    const usage = await store.usage();
    assert.equal(usage.outputs, 2);
    assert.equal(usage.bytes, TEXT.length);
    assert.equal(await textOf(store, other.record.id), TEXT);
  },
  async 'two parts of one output may have the same content'(store) {
    const { record } = await storeOutput(store, {
      parts: [TEXT, { content: TEXT, spec: { name: 'stderr' } }],
    });
    assert.equal((await store.usage()).bytes, TEXT.length);
    assert.equal(await textOf(store, record.id, 0), TEXT);
    assert.equal(await textOf(store, record.id, 1), TEXT);
    const retired = await store.retire({ ...PURGE, ids: [record.id] });
    assert.deepEqual(retired, ended(1, TEXT.length));
    assert.equal((await store.usage()).bytes, 0);
  },
  async 'a purge keeps content that another output refers to, and the last one frees it'(store) {
    const first = await storeOutput(store, { parts: [TEXT, 'only here'] });
    const second = await storeOutput(store, { parts: [TEXT] });
    assert.equal((await store.retire({ ...PURGE, ids: [first.record.id] })).bytesFreed, 'only here'.length);
    assert.equal(await textOf(store, second.record.id), TEXT);
    assert.equal((await store.retire({ ...PURGE, ids: [second.record.id] })).bytesFreed, TEXT.length);
    assert.equal((await store.usage()).bytes, 0);
  },
  async 'content that was purged can be stored anew'(store) {
    const first = await storeOutput(store, { parts: [TEXT] });
    await store.retire({ ...PURGE, ids: [first.record.id] });
    const again = await storeOutput(store, { parts: [TEXT] });
    assert.equal(await textOf(store, again.record.id), TEXT);
    assert.equal((await store.usage()).bytes, TEXT.length);
  },
  async 'archived outputs are read as before, from every place, and can be purged'(store) {
    const image = { content: NOISE, spec: { kind: 'binary', name: 'image' } } as const;
    const { record } = await storeOutput(store, { parts: [LOG, image, 'short', ''], endedAt: 1_000 });
    const young = await storeOutput(store, { parts: [`${LOG}young`], endedAt: 9_000 });
    const before = await store.usage();
    const whole = new TextEncoder().encode(LOG);
    for (let again = 0; again < 2; again++) {
      const archived = await store.archive(ORDER);
      assert.equal(archived.outputs, 1);
      assert.ok(archived.bytesAfter <= archived.bytesBefore);
      assert.equal(await textOf(store, record.id, 0), LOG);
      assert.deepEqual(await bytesOf(store, record.id, 1), NOISE);
      assert.equal(await textOf(store, record.id, 2), 'short');
      assert.equal(await textOf(store, record.id, 3), '');
      for (const from of [{ bytes: 300_000 }, { chars: 123_456 }, { breaks: 8_000 }] as const) {
        const { at } = await store.read(record.id, 0, from);
        assert.deepEqual(await bytesOf(store, record.id, 0, from), whole.slice(at.bytes));
      }
    }
    assert.deepEqual(await store.usage(), before);
    assert.equal(await textOf(store, young.record.id), `${LOG}young`);
    const same = await storeOutput(store, { parts: [LOG], endedAt: 9_500 });
    await store.retire({ how: 'purge', scope: 'scope-1', at: 9_600, ids: [record.id] });
    assert.equal(await textOf(store, same.record.id), LOG);
    await store.retire({ how: 'purge', scope: 'scope-1', at: 9_700 });
    assert.equal((await store.usage()).bytes, 0);
  },
  async 'only old outputs of the scope, or of the session named, are archived'(store) {
    await storeOutput(store, { parts: [`${LOG}1`], endedAt: 1_000, session: 's1' });
    await storeOutput(store, { parts: [`${LOG}2`], endedAt: 1_000, session: 's2' });
    await storeOutput(store, { parts: [`${LOG}3`], endedAt: 1_000, scope: 'scope-2' });
    await storeOutput(store, { parts: [`${LOG}4`], endedAt: 5_000, session: 's1' });
    assert.equal((await store.archive({ ...ORDER, session: 's1' })).outputs, 1);
    assert.equal((await store.archive(ORDER)).outputs, 2);
    assert.equal((await store.archive({ scope: 'nobody', before: 1e15 })).outputs, 0);
  },
};

function ended(outputs: number, bytesFreed = 0, sessionsEnded = 0) {
  return { outputs, bytesFreed, sessionsEnded };
}

async function snapshot(store: Store): Promise<unknown> {
  return [await store.list(ALL), await store.sessions(ALL), await store.events({}), await store.usage()];
}

const text = (letter: string): string => letter.repeat(40_000);

/**
 * A limit is kept by evicting outputs of ended sessions, oldest first; what a live session may still
 * cite is never touched.
 */
export const limitChecks: Checks = {
  async 'outputs of ended sessions make room, oldest first and no more than needed, leaving tombstones and events'(
    store,
  ) {
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
  async 'a store full of live sessions refuses more and keeps what it has'(store) {
    const first = await storeOutput(store, { session: 's1', parts: [text('a')] });
    const second = await storeOutput(store, { session: 's2', parts: [text('b')] });
    await assert.rejects(storeOutput(store, { session: 's3', parts: [text('c')] }), { code: 'store_full' });
    assert.equal(await textOf(store, first.record.id), text('a'));
    assert.equal(await textOf(store, second.record.id), text('b'));
    assert.equal((await store.usage()).outputs, 2);
    const small = await storeOutput(store, { session: 's3', parts: ['small'] });
    assert.equal(await textOf(store, small.record.id), 'small');
  },
  async 'what an open session cites stays, also when it came from a session that has ended'(store) {
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
  async 'a writer that hit the limit can be discarded, and its room is free again'(store) {
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
};
