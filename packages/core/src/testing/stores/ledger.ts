/** The ledger in the order in which events came, sessions, and how much a store holds. */
import assert from 'node:assert/strict';
import { allItems } from '../../model/every-item.ts';
import { type Checks, draft, eventOf, storeOutput, writeParts } from './samples.ts';

const CALL = { scope: 'scope-1', session: 'session-1', callId: 'call-1' };
const NOTHING = { outputs: 0, bytes: 0, sessions: 0, events: 0 };

export const ledgerChecks: Checks = {
  async 'an output that is being written, or was discarded, counts nowhere'(store) {
    const writer = await store.create(draft());
    await writeParts(writer, ['x'.repeat(200_000), 'y']);
    const { running, ...counted } = await store.usage();
    assert.deepEqual(counted, NOTHING);
    // A store that can tell what is being written tells this.
    if (running !== undefined) assert.deepEqual([running.length, running[0]?.session], [1, CALL.session]);
    await writer.discard();
    assert.deepEqual(await store.usage(), NOTHING);
    assert.deepEqual((await store.sessions({ show: 'all' })).items, []);
  },
  async 'events of an output appear with it, and an equal call adds none'(store) {
    const sample = { ...CALL, parts: ['same'], events: [eventOf()] };
    await storeOutput(store, sample);
    await storeOutput(store, sample);
    assert.deepEqual((await store.events({})).items, [eventOf()]);
    assert.deepEqual(await store.usage(), { outputs: 1, bytes: 4, sessions: 1, events: 1 });
  },
  async 'sessions whose names differ only in a NUL, a quote or a lone surrogate are different sessions'(
    store,
  ) {
    const names = ['a', 'a\0', 'a\0b', '"a"', '"a', '\ud800', '\ud801', '\ufffd', ''];
    for (const name of names) await storeOutput(store, { scope: name, session: name });
    const sessions = (await store.sessions({})).items.map(({ id, scope }) => [id, scope]);
    assert.deepEqual(sessions.sort(), names.map((name) => [name, name]).sort());
  },
  async 'what some scopes hold is counted without what others hold, and shared content once'(store) {
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
  async 'a closed store tells nothing any more'(store) {
    await store.close();
    await assert.rejects(store.usage(), { code: 'store_unavailable' });
  },
  async 'events are read oldest first, page by page, in the order they were noted'(store) {
    const noted = Array.from({ length: 10 }, (_, i) =>
      eventOf({ at: 100 + (i % 3), data: { i, cut: true, why: 'x' } }),
    );
    await store.note(noted.slice(0, 6));
    const first = await store.events({ limit: 4 });
    await store.note(noted.slice(6));
    const next = { after: first.next ?? '' };
    const rest = await allItems((page) => store.events({ ...next, ...page, limit: 4 }));
    assert.deepEqual([...first.items, ...rest], noted);
    assert.equal((await store.usage()).events, 10);
  },
  async 'a reader follows the ledger from where a page ended, and is given each event once'(store) {
    const noted = Array.from({ length: 7 }, (_, i) => eventOf({ at: 100, data: { i } }));
    assert.equal((await store.events({})).end, undefined);
    await store.note(noted.slice(0, 3));
    const first = await store.events({ limit: 3 });
    const after = first.end ?? '';
    assert.deepEqual([first.items, first.next], [noted.slice(0, 3), undefined]);
    assert.deepEqual((await store.events({ after })).items, []);
    await store.note(noted.slice(3));
    const second = await store.events({ after, limit: 2 });
    assert.deepEqual(second.items, noted.slice(3, 5));
    const third = await store.events({ after: second.end ?? '' });
    assert.deepEqual(third.items, noted.slice(5));
    assert.deepEqual((await store.events({ after: third.end ?? '' })).items, []);
  },
  async 'events are filtered by scope, by type and by time'(store) {
    const a = eventOf({ at: 300 });
    const b = eventOf({ at: 100, scope: 'scope-2' });
    const c = eventOf({ at: 200, type: 'fetched' });
    const d = eventOf({ at: 400, type: 'fetched', scope: 'scope-2' });
    await store.note([a, b, c, d]);
    const found = async (query: Parameters<typeof store.events>[0]) => (await store.events(query)).items;
    assert.deepEqual(await found({ scope: 'scope-1' }), [a, c]);
    assert.deepEqual(await found({ type: 'fetched' }), [c, d]);
    assert.deepEqual(await found({ scope: 'scope-2', type: 'fetched' }), [d]);
    assert.deepEqual(await found({ since: 200 }), [a, c, d]);
    assert.deepEqual(await found({ since: 301, scope: 'scope-1' }), []);
    assert.deepEqual(await found({ since: 401 }), []);
  },
  async 'a session opens with its first output and is seen with each further one'(store) {
    await storeOutput(store, { session: 's', startedAt: 10, endedAt: 20 });
    await storeOutput(store, { session: 's', startedAt: 30, endedAt: 40 });
    assert.deepEqual((await store.sessions({ scope: 'scope-1' })).items, [
      { id: 's', scope: 'scope-1', openedAt: 10, seenAt: 40 },
    ]);
    assert.equal((await store.usage()).sessions, 1);
  },
  async 'an event of a session counts as seeing it, unless it tells of an end'(store) {
    await storeOutput(store, { session: 's', startedAt: 10, endedAt: 20 });
    await store.note([
      eventOf({ type: 'fetched', session: 's', at: 50 }),
      eventOf({ type: 'revoked', session: 's', at: 90 }),
    ]);
    await store.note([eventOf({ type: 'fetched', session: 'never stored anything', at: 50 })]);
    const { items } = await store.sessions({ scope: 'scope-1' });
    assert.deepEqual(
      items.map((session) => [session.id, session.seenAt]),
      [['s', 50]],
    );
  },
  async 'sessions of a scope and of those below it are listed without those of a scope that only begins alike'(
    store,
  ) {
    for (const scope of [
      'w',
      'w:a',
      'w:a:\0',
      'w:"%_\\',
      'wx',
      'wx:a',
      'x:w:a',
      'W:a',
      `w:${'long '.repeat(200)}`,
    ])
      await storeOutput(store, { scope });
    const scopes = async (below: string) =>
      (await store.sessions({ below })).items.map(({ scope }) => scope).sort();
    const long = `w:${'long '.repeat(200)}`;
    assert.deepEqual(await scopes('w'), ['w', 'w:"%_\\', 'w:a', 'w:a:\0', long]);
    assert.deepEqual(await scopes('w:a'), ['w:a', 'w:a:\0']);
    assert.deepEqual(await scopes('w:"%_\\'), ['w:"%_\\']);
    assert.deepEqual(await scopes('%'), []);
  },
  async 'sessions are listed last seen first, by scope, open ones or all, idle ones, page by page'(store) {
    for (const [i, endedAt] of [30, 10, 20, 20].entries()) {
      await storeOutput(store, { session: `s${i}`, scope: i === 0 ? 'scope-2' : 'scope-1', endedAt });
    }
    await store.retire({ how: 'retire', scope: 'scope-1', session: 's1', endSession: true, at: 99 });
    const ids = async (query: Parameters<typeof store.sessions>[0]) =>
      (await store.sessions(query)).items.map(({ id }) => id);
    assert.deepEqual(await ids({ show: 'all' }), ['s0', 's3', 's2', 's1']);
    assert.deepEqual(await ids({}), ['s0', 's3', 's2']);
    assert.deepEqual(await ids({ scope: 'scope-1', show: 'all' }), ['s3', 's2', 's1']);
    assert.deepEqual(await ids({ scope: 'scope-1' }), ['s3', 's2']);
    assert.deepEqual(await ids({ show: 'all', idleSince: 20 }), ['s1']);
    assert.deepEqual(await ids({ scope: 'scope-1', idleSince: 21, limit: 1 }), ['s3']);
    assert.deepEqual(await ids({ idleSince: 20 }), []);
    const first = await store.sessions({ show: 'all', limit: 2 });
    assert.deepEqual(
      first.items.map(({ id }) => id),
      ['s0', 's3'],
    );
    assert.ok(first.next !== undefined);
    assert.deepEqual(await ids({ show: 'all', limit: 2, after: first.next }), ['s2', 's1']);
  },
};
