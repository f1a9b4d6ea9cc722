/**
 * Sessions that end by themselves: after thirty idle days, with their handles and copies, and with
 * their records where these are not to outlive them.
 */
import { memoryStore, type OutputRecord, type SpillwayOptions } from '@spillway/core';
import type { OutputDraft } from '@spillway/core/store';
import { describe, expect, it } from 'vitest';
import { openSpillway } from './opening.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const START = Date.UTC(2026, 0, 1);
const LONG = 'a line\n'.repeat(2_000);

function bench(options: Partial<SpillwayOptions> = {}) {
  const time = { now: START };
  const clock = () => time.now;
  const copies = new Set<string>();
  const store = memoryStore({ clock });
  const plainCopies = {
    path: ({ id }: OutputDraft) => `/copies/${id}`,
    begin: ({ id }: OutputDraft) => ({
      write: async () => {},
      async finish() {
        copies.add(id);
        return true;
      },
      remove: async () => {},
    }),
    remove: async (record: OutputRecord) => copies.delete(record.id),
  };
  const spillway = openSpillway({ store, clock, plainCopies, ...options });
  const say = async (session: string, scope = 'scope') => {
    const done = await spillway.process({ tool: 't', session, scope }, { kind: 'text', text: LONG });
    const id = (await spillway.sealed(done))?.id;
    await spillway.settled();
    if (id === undefined) throw new Error('not stored');
    return id;
  };
  const open = async () => (await store.sessions({ scope: 'scope' })).items.map(({ id }) => id);
  const statusOf = (id: string) =>
    spillway.retrieve({ artifact_id: id }, 'scope').then(
      () => 200,
      (error: { status: number }) => error.status,
    );
  return { time, store, spillway, copies, say, open, statusOf };
}

describe('a session in which nothing happens', () => {
  it('ends once it was found idle for 30 days, twice and a day apart: handles and copies go, records stay', async () => {
    const { time, store, copies, say, open, statusOf } = bench();
    const old = await say('old');
    time.now += 30 * DAY_MS;
    const second = await say('second');
    time.now += DAY_MS;
    await say('second');
    time.now += DAY_MS - 1;
    await say('second');
    expect(await open()).toEqual(['second', 'old']);
    time.now += 1;
    const third = await say('third');
    expect(await open()).toEqual(['third', 'second']);
    expect(await Promise.all([old, second, third].map(statusOf))).toEqual([410, 200, 200]);
    expect([copies.has(old), copies.has(second), copies.has(third)]).toEqual([false, true, true]);
    expect(await store.find({ scope: 'scope', id: old })).toMatchObject({ id: old, retiredAt: time.now });
    const ended = (await store.events({ type: 'session_ended' })).items;
    expect(ended).toMatchObject([{ at: time.now, scope: 'scope', data: { outputs: 1, sessions: 1 } }]);
  });

  it('takes its records along where these are not to outlive it', async () => {
    const { time, store, say, statusOf } = bench({ retention: 'session' });
    const old = await say('old');
    time.now += 40 * DAY_MS;
    await say('new');
    time.now += 40 * DAY_MS;
    const live = await say('new');
    expect(await Promise.all([old, live].map(statusOf))).toEqual([410, 200]);
    expect(await store.find({ scope: 'scope', id: old })).toEqual({
      id: old,
      scope: 'scope',
      purgedAt: time.now,
    });
  });

  it('stays as long as something is fetched from it', async () => {
    const { time, say, open, statusOf } = bench();
    const old = await say('old');
    for (let i = 0; i < 4; i++) {
      time.now += 20 * DAY_MS;
      await statusOf(old);
      await say('new');
    }
    expect(await open()).toEqual(['new', 'old']);
  });

  it('is not ended by a clock that is wrong for a while', async () => {
    const { time, say, open, statusOf } = bench();
    const first = await say('first');
    time.now += 5_000 * DAY_MS;
    await say('wrong');
    time.now += DAY_MS - 1;
    await say('wrong');
    time.now = START + 2 * DAY_MS;
    await say('right');
    time.now += 2 * DAY_MS;
    await say('right');
    expect(await open()).toEqual(['wrong', 'right', 'first']);
    expect(await statusOf(first)).toBe(200);
  });

  it('is looked for once a day at the most, in each scope by itself, and also after the clock was set back', async () => {
    const { time, store, say } = bench();
    let looks = 0;
    const sessions = store.sessions.bind(store);
    store.sessions = (query) => {
      looks++;
      return sessions(query);
    };
    const counted = async (scope: string) => {
      const before = looks;
      await say('s', scope);
      return looks - before;
    };
    expect([await counted('a'), await counted('a'), await counted('b')]).toEqual([1, 0, 1]);
    time.now += DAY_MS - 1;
    expect(await counted('a')).toBe(0);
    time.now += 1;
    expect([await counted('a'), await counted('a')]).toEqual([1, 0]);
    time.now -= 400 * DAY_MS;
    expect(await counted('a')).toBe(1);
  });

  it('of another scope is left alone', async () => {
    const { time, store, say } = bench();
    await say('old', 'elsewhere');
    for (let i = 0; i < 3; i++) {
      time.now += 40 * DAY_MS;
      await say('new');
    }
    expect((await store.sessions({ scope: 'elsewhere' })).items).toHaveLength(1);
  });

  it('does not take an answer away when looking fails', async () => {
    const { store, say, statusOf } = bench();
    store.sessions = () => Promise.reject(new Error('broken'));
    expect(await statusOf(await say('s'))).toBe(200);
  });
});

describe('outputs of a certain age', () => {
  it('are purged with their copies once their session has ended, and only then', async () => {
    const { time, store, spillway, copies, say, open } = bench({ maxAgeDays: 10 });
    const ended = await say('ended');
    const live = await say('live');
    await spillway.endSession('scope', 'ended');
    time.now += 5 * DAY_MS;
    const younger = await say('ended');
    await spillway.endSession('scope', 'ended');
    copies.add(ended);
    for (let i = 0; i < 4; i++) {
      time.now += 3 * DAY_MS;
      await say('live');
    }
    const kept = async (id: typeof ended) => 'tool' in ((await store.find({ scope: 'scope', id })) ?? {});
    expect([await kept(ended), await kept(younger), await kept(live)]).toEqual([false, true, true]);
    expect([copies.has(ended), copies.has(live)]).toEqual([false, true]);
    expect(await open()).toEqual(['live']);
  });

  it('stay without such a limit, and while a wrong clock tells it once', async () => {
    for (const maxAgeDays of [undefined, 10]) {
      const { time, store, spillway, say } = bench(maxAgeDays === undefined ? {} : { maxAgeDays });
      const id = await say('ended');
      await spillway.endSession('scope', 'ended');
      time.now += maxAgeDays === undefined ? 29 * DAY_MS : 9_000 * DAY_MS;
      await say('live');
      time.now = START + 3 * DAY_MS;
      await say('live');
      expect(await store.find({ scope: 'scope', id })).toHaveProperty('tool');
    }
  });
});

describe('a session that is ended', () => {
  it('keeps or loses its records as `retention` says, unless told otherwise', async () => {
    for (const [retention, how, kept] of [
      ['durable', undefined, true],
      ['session', undefined, false],
      ['session', 'retire', true],
      ['durable', 'purge', false],
    ] as const) {
      const { store, spillway, say } = bench({ retention });
      const id = await say('s');
      await spillway.endSession('scope', 's', how);
      const found = await store.find({ scope: 'scope', id });
      expect([retention, how, found !== undefined && 'tool' in found]).toEqual([retention, how, kept]);
    }
  });
});

describe('an order by idleness', () => {
  it('leaves the copies of other sessions alone', async () => {
    const { time, spillway, copies, say } = bench();
    await say('old');
    time.now += DAY_MS;
    const live = await say('live');
    await spillway.retire({ how: 'retire', scope: 'scope', endSession: true, idleSince: time.now });
    expect(copies).toEqual(new Set([live]));
  });
});
