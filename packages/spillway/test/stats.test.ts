// Statistics from the ledger: counted by hand, and replayed for recommendations.
import { type ArtifactId, memoryStore, SpillwayError, type Store } from '@spillway/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';
import { type LimitAdvice, recommendLimit, replay } from '../src/observe/advice.ts';
import { readLedger } from '../src/observe/ledger.ts';
import { KnownOutputs, statsOf, statsOfLedger, type ToolStats } from '../src/observe/stats.ts';
import { numberedLines } from './program.ts';

const SCOPE = 'w';

interface Planted {
  readonly tool: string;
  readonly chars: number;
  /** Pages that are fetched of it afterwards. */
  readonly fetches?: number;
  readonly input?: unknown;
  readonly text?: string;
}

/** A workspace in which these outputs were captured, one after the other. */
async function planted(outputs: readonly Planted[], clock?: () => number): Promise<Store> {
  const store = memoryStore();
  const spillway = openSpillway({ store, ...(clock === undefined ? {} : { clock }) });
  for (const [i, { tool, chars, fetches = 0, input, text }] of outputs.entries()) {
    const words = text ?? `${i} ${numberedLines(Math.ceil(chars / 10), 'quiet words')}`.slice(0, chars);
    const call = { tool, session: 's', scope: SCOPE, ...(input === undefined ? {} : { input }) };
    const { projection } = await spillway.process(call, { kind: 'text', text: words });
    await spillway.sealed({ projection });
    for (let page = 0; page < fetches; page++)
      await spillway.retrieve({ artifact_id: projection.metadata.artifact_id, lines: '1-20' }, SCOPE);
  }
  return store;
}

describe('statistics', () => {
  test('count outputs, cuts, sizes, what was shown and what was fetched again, by tool', async () => {
    const store = await planted([
      { tool: 'a', chars: 1_000 },
      { tool: 'a', chars: 20_000, fetches: 2 },
      { tool: 'a', chars: 30_000 },
      { tool: 'b', chars: 500 },
    ]);
    const { tools, total } = await statsOf(store, { scope: SCOPE });
    const [a, b] = tools;
    expect(a).toMatchObject({
      tool: 'a',
      outputs: 3,
      cut: 2,
      truncation_rate: 0.6667,
      bytes: 51_000,
      chars: { total: 51_000, median: 20_000, p95: 30_000, max: 30_000 },
      refetched: 1,
      refetch_rate: 0.5,
      unfollowed: 1,
      suspected_losses: 0,
      not_stored: 0,
    });
    expect(b).toMatchObject({ tool: 'b', outputs: 1, cut: 0, truncation_rate: 0, refetch_rate: 0 });
    expect(total).toMatchObject({ outputs: 4, cut: 2, bytes: 51_500 });
    const shown = a?.shown_chars ?? 0;
    expect(shown).toBeGreaterThan(15_000);
    expect(shown).toBeLessThanOrEqual(17_000);
    expect(a?.fetched_chars).toBeGreaterThan(400);
    expect(a?.estimated_tokens_saved).toBe(Math.round((51_000 - shown - (a?.fetched_chars ?? 0)) / 4));
  });

  test('of a time since then leave out what was before', async () => {
    let now = 1_000;
    const outputs = [1, 2, 3, 4].map(() => ({ tool: 'a', chars: 10_000 }));
    const store = await planted(outputs, () => (now += 1_000));
    const { items } = await store.events({ type: 'captured' });
    const since = items[2]?.at ?? 0;
    expect((await statsOf(store, { scope: SCOPE, since })).total).toMatchObject({ outputs: 2, cut: 2 });
    expect((await statsOf(store, { scope: 'another' })).tools).toEqual([]);
  });

  test('suspect a loss where a line of failure was left out and nobody looked, and where the call was made again with the same result', async () => {
    const quiet = 'nothing to see\n'.repeat(2_000);
    const buried = `${quiet}TypeError: x is not a function\n${quiet}`;
    const store = await planted([
      { tool: 'prose', chars: 0, text: quiet },
      // Not one that salience keeps: the tool's strategy is told to show the ends only.
      { tool: 'lost', chars: 0, text: `${'a'.repeat(30_000)}\n` },
      { tool: 'followed', chars: 0, text: quiet, fetches: 1, input: { c: 1 } },
      { tool: 'followed', chars: 0, text: quiet, input: { c: 1 } },
      { tool: 'again', chars: 0, text: quiet, input: { c: 2 } },
      { tool: 'again', chars: 0, text: quiet, input: { c: 2 } },
      { tool: 'fixed', chars: 0, text: quiet, input: { c: 3 } },
      { tool: 'fixed', chars: 0, text: 'short', input: { c: 3 } },
      // Words of failure in names, source code and prose.
      { tool: 'names', chars: 0, text: `${quiet}./src/error_handler.ts\n./failed/index.js\n${quiet}` },
      { tool: 'code', chars: 0, text: `${quiet}  } catch (error) {\n    throw new Error('x');\n${quiet}` },
      { tool: 'changes', chars: 0, text: `${quiet}- Fixed an error when the build failed (#12)\n${quiet}` },
    ]);
    const spillway = openSpillway({ store });
    const ends = { preserveErrors: false, preserveWarnings: false, contentDetection: false };
    const call = { tool: 'buried', session: 's', scope: SCOPE };
    await spillway.process(call, { kind: 'text', text: buried }, { policy: ends });
    const { tools } = await statsOf(store, { scope: SCOPE });
    const losses = Object.fromEntries(tools.map((one) => [one.tool, one.suspected_losses]));
    const none = { prose: 0, lost: 0, followed: 0, fixed: 0, names: 0, code: 0, changes: 0 };
    expect(losses).toEqual({ ...none, again: 1, buried: 1 });
    const { items } = await store.list({ scope: SCOPE, show: 'all' });
    const ids = (tool: string) => items.filter((one) => one.tool === tool).map(({ id }) => id);
    const named = tools.flatMap(({ suspected }) => suspected);
    expect(named).toContainEqual({
      artifact_id: ids('buried')[0],
      tool: 'buried',
      session: 's',
      why: 'failure_left_out',
      part: 'text',
      line: 2_001,
    });
    expect(named.find(({ tool }) => tool === 'again')).toMatchObject({
      artifact_id: ids('again')[1],
      why: 'made_again',
      line: null,
    });
    expect(tools.find(({ tool }) => tool === 'again')?.reexecuted).toBe(1);
    const output = ids('buried')[0] as ArtifactId;
    await store.note([{ type: 'judged', at: Date.now(), scope: SCOPE, output, data: { loss: false } }]);
    expect((await statsOf(store, { scope: SCOPE })).total.suspected_losses).toBe(1);
  });

  test('count what could not be stored', async () => {
    const store = memoryStore({ limits: { maxBytes: 10 } });
    const spillway = openSpillway({ store });
    const call = { tool: 'a', session: 's', scope: SCOPE };
    await spillway.process(call, { kind: 'text', text: 'x'.repeat(100) });
    expect((await statsOf(store, { scope: SCOPE })).total).toMatchObject({ outputs: 0, not_stored: 1 });
  });

  test('hold nothing that was captured', async () => {
    const store = await planted([
      { tool: 'a', chars: 0, text: 'SECRET '.repeat(5_000), input: { token: 'SECRET' } },
    ]);
    expect(JSON.stringify(await statsOf(store, { scope: SCOPE }))).not.toContain('SECRET');
  });
});

/** The recommended limit of a tool, if there is one. */
function limitOf(stats: ToolStats | undefined): LimitAdvice | undefined {
  return stats?.recommendations.find((advice) => advice.setting === 'inline_limit');
}

describe('a recommendation', () => {
  const searches = (chars: number, fetches: number, times: number): Planted[] =>
    Array.from({ length: times }, () => ({ tool: 'search', chars, fetches }));

  test('is the limit that the workload was made for', async () => {
    // Twelve results of just under 14,000 chars are always read to the end; one huge one in ten
    // never is.
    const store = await planted([
      ...searches(13_800, 2, 12),
      ...searches(200_000, 0, 2),
      ...searches(900, 0, 10),
    ]);
    const { tools } = await statsOf(store, { scope: SCOPE });
    expect(tools[0]?.recommendations[0]).toMatchObject({
      setting: 'inline_limit',
      value: 14_000,
      current: 8_000,
      avoided_share: 1,
    });
    expect(limitOf(tools[0])?.refetched_share).toBeCloseTo(12 / 14, 3);
  });

  test('covers most but not all where the rest would cost more than it saves', async () => {
    const store = await planted([...searches(12_000, 2, 10), ...searches(150_000, 1, 4)]);
    const { tools } = await statsOf(store, { scope: SCOPE });
    expect(limitOf(tools[0])).toMatchObject({ value: 12_000 });
    expect(limitOf(tools[0])?.avoided_share).toBeCloseTo(10 / 14, 3);
  });

  test('is none where nothing was fetched again, or too little was cut to tell', async () => {
    const unread = await planted(searches(20_000, 0, 20));
    expect((await statsOf(unread, { scope: SCOPE })).tools[0]?.recommendations).toEqual([]);
    const few = await planted(searches(13_000, 3, 4));
    expect((await statsOf(few, { scope: SCOPE })).tools[0]?.recommendations).toEqual([]);
  });

  test('is the strategy that would have shown what was fetched later, by replaying the stored outputs', async () => {
    // Everything that is ever fetched of this tool stands at its end, and only the beginning is
    // shown.
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const call = { tool: 'build', session: 's', scope: SCOPE };
    for (let i = 0; i < 8; i++) {
      const text = numberedLines(2_000, `step ${i} item`);
      const { projection } = await spillway.process(
        call,
        { kind: 'text', text },
        { policy: { strategy: 'head' } },
      );
      const { artifact_id } = projection.metadata;
      await spillway.retrieve({ artifact_id, lines: i < 7 ? '1980-2000' : '900-910' }, SCOPE);
    }
    const { tools } = await statsOf(store, { scope: SCOPE });
    expect(tools[0]?.recommendations).toContainEqual({
      evidence: expect.objectContaining({ length: 8 }),
      setting: 'strategy',
      value: 'head_tail',
      current: 'head',
      outputs: 8,
      wanted: 8,
      shown: 0,
      would_show: 7,
    });
  });

  /** Runs of which a line of failure is left out. */
  async function failing(store: Store, from: number, to: number): Promise<void> {
    const spillway = openSpillway({ store });
    const policy = { contentDetection: false, preserveErrors: false };
    for (let i = from; i < to; i++) {
      const quiet = numberedLines(900, `12:00:0${i} INFO step`);
      const text = `${quiet}12:00:0${i} ERROR TypeError: x${i} is not a function\n${quiet}`;
      await spillway.process({ tool: 'run', session: 's', scope: SCOPE }, { kind: 'text', text }, { policy });
    }
  }

  /** A store whose calls are seen by `see`, which may throw. */
  function watched(store: Store, see: (name: string | symbol, args: readonly unknown[]) => void): Store {
    return new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          see(name, args);
          return value.apply(target, args);
        };
      },
    });
  }

  test('is to keep lines of failure where those were left out', async () => {
    const store = memoryStore();
    await failing(store, 0, 6);
    const { tools } = await statsOf(store, { scope: SCOPE });
    expect(tools[0]).toMatchObject({
      suspected_losses: 6,
      recommendations: [
        { setting: 'preserve_errors', value: true, current: false, wanted: 6, shown: 0, would_show: 6 },
      ],
    });
  });

  test('is worked out again after a new event without reading the old outputs again', async () => {
    const store = memoryStore();
    await failing(store, 0, 6);
    let reads = 0;
    const counting = watched(store, (name) => {
      if (name === 'read') reads++;
    });
    const known = new KnownOutputs();
    const measure = async () => {
      reads = 0;
      const query = { spillway: openSpillway({ store: counting }) };
      return statsOfLedger(counting, await readLedger(store, { scope: SCOPE }), query, known);
    };
    await measure();
    const first = reads;
    const { total } = await measure();
    expect([reads, total.suspected_losses]).toEqual([0, 6]);
    await failing(store, 6, 7);
    const { tools } = await measure();
    expect(reads).toBeLessThan(first / 3);
    expect(tools[0]).toMatchObject({ suspected_losses: 7, recommendations: [{ wanted: 7, would_show: 7 }] });
  });

  test('is made from what can be read: outputs that are damaged in the store are passed over', async () => {
    const store = memoryStore();
    await failing(store, 0, 7);
    const [damaged] = (await store.list({ scope: SCOPE, show: 'all' })).items;
    const broken = watched(store, (name, [id]) => {
      if (name === 'frozen' && id === damaged?.id)
        throw new SpillwayError('corrupt', 'The record cannot be read.');
    });
    const { tools } = await statsOf(broken, { scope: SCOPE });
    expect(tools[0]?.recommendations[0]).toMatchObject({ setting: 'preserve_errors', outputs: 6 });
  });

  test('of a strategy is none where no strategy would have shown it', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    for (let i = 0; i < 8; i++) {
      const call = { tool: 'build', session: 's', scope: SCOPE };
      const { projection } = await spillway.process(call, { kind: 'text', text: numberedLines(9_000) });
      const { artifact_id } = projection.metadata;
      await spillway.retrieve({ artifact_id, lines: `${3_000 + i * 200}-${3_100 + i * 200}` }, SCOPE);
    }
    expect((await statsOf(store, { scope: SCOPE })).tools[0]?.recommendations).toEqual([]);
  });

  test('never makes the model read more than it does now, by its own replay', async () => {
    const workload = fc.array(
      fc.record({ chars: fc.integer({ min: 100, max: 40_000 }), fetches: fc.nat({ max: 3 }) }),
      { minLength: 6, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(workload, async (outputs) => {
        const store = await planted(
          outputs.map((one) => ({
            tool: 't',
            chars: one.chars,
            fetches: one.chars > 9_200 ? one.fetches : 0,
          })),
        );
        const { trails } = await readLedger(store, { scope: SCOPE });
        const advice = recommendLimit(trails);
        if (advice === null) return;
        expect(replay(trails, advice.value)).toBe(replay(trails, advice.current) - advice.chars_saved);
        expect(advice.chars_saved).toBeGreaterThan(0);
        for (const { chars } of trails)
          expect(replay(trails, advice.value)).toBeLessThanOrEqual(
            replay(trails, Math.max(advice.current, Math.ceil(chars / 500) * 500)),
          );
      }),
      { numRuns: 25 },
    );
  });
});
