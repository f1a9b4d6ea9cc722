/** The ledger keeps the order in which events came; sessions are known from their outputs. */
import assert from 'node:assert/strict';
import type { LedgerEvent } from '../../model/events.ts';
import type { ContractCase } from './contract-case.ts';
import { eventOf, storeOutput } from './samples.ts';

export const ledgerCases: readonly ContractCase[] = [
  {
    name: 'events are read oldest first, page by page, in the order they were noted',
    async run(open) {
      const store = await open();
      const noted = Array.from({ length: 10 }, (_, i) =>
        eventOf({ at: 100 + (i % 3), data: { i, cut: true, why: 'x' } }),
      );
      await store.note(noted.slice(0, 6));
      const first = await store.events({ limit: 4 });
      await store.note(noted.slice(6));
      const read: LedgerEvent[] = [...first.items];
      for (let after = first.next; after !== undefined; ) {
        const page = await store.events({ limit: 4, after });
        read.push(...page.items);
        after = page.next;
      }
      assert.deepEqual(read, noted);
      assert.equal((await store.usage()).events, 10);
    },
  },
  {
    name: 'a reader follows the ledger from where a page ended, and is given each event once',
    async run(open) {
      const store = await open();
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
  },
  {
    name: 'events are filtered by scope, by type and by time',
    async run(open) {
      const store = await open();
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
  },
  {
    name: 'a session opens with its first output and is seen with each further one',
    async run(open) {
      const store = await open();
      await storeOutput(store, { session: 's', startedAt: 10, endedAt: 20 });
      await storeOutput(store, { session: 's', startedAt: 30, endedAt: 40 });
      assert.deepEqual((await store.sessions({ scope: 'scope-1' })).items, [
        { id: 's', scope: 'scope-1', openedAt: 10, seenAt: 40 },
      ]);
      assert.equal((await store.usage()).sessions, 1);
    },
  },
  {
    name: 'an event of a session counts as seeing it, unless it tells of an end',
    async run(open) {
      const store = await open();
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
  },
  {
    name: 'sessions of a scope and of those below it are listed without those of a scope that only begins alike',
    async run(open) {
      const store = await open();
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
  },
  {
    name: 'sessions are listed last seen first, by scope, open ones or all, idle ones, page by page',
    async run(open) {
      const store = await open();
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
  },
];
