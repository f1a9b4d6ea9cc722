// Statistics from the ledger: counted by hand, replayed for recommendations, and through the program.
import { memoryStore, SpillwayError, type Store } from '@spillway/core';
import { History, textOf } from '@spillway/core/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';
import { readLedger } from '../src/observe/ledger.ts';
import { type LimitAdvice, recommendLimit, replay } from '../src/observe/limit-advice.ts';
import { statsOf, type ToolStats } from '../src/observe/stats.ts';
import { open } from '../src/open.ts';
import { freshWorkspace, numberedLines, parsed } from './program.ts';
import { onTerminal } from './terminal.ts';

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
    const words = text ?? `${i} `.padEnd(chars, 'quiet words\n');
    const call = { tool, session: 's', scope: SCOPE, ...(input === undefined ? {} : { input }) };
    const { projection, sealed } = await spillway.process(call, { kind: 'text', text: words });
    await sealed;
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
    const outputs = [1, 2, 3, 4].map(() => ({ tool: 'a', chars: 9_000 }));
    const store = await planted(outputs, () => (now += 1_000));
    const { items } = await store.events({ type: 'captured' });
    const since = items[2]?.at ?? 0;
    expect((await statsOf(store, { scope: SCOPE, since })).total).toMatchObject({ outputs: 2, cut: 2 });
    expect((await statsOf(store, { scope: 'another' })).tools).toEqual([]);
  });

  test('suspect a loss where a line of failure was left out and nobody looked, and where the call was made again', async () => {
    const quiet = 'nothing to see\n'.repeat(2_000);
    const buried = `${quiet}TypeError: x is not a function\n${quiet}`;
    const store = await planted([
      { tool: 'prose', chars: 0, text: quiet },
      // Not one that salience keeps: the tool's strategy is told to show the ends only.
      { tool: 'lost', chars: 0, text: `${'a'.repeat(30_000)}\n` },
      { tool: 'followed', chars: 0, text: quiet, fetches: 1, input: { c: 1 } },
      { tool: 'followed', chars: 0, text: quiet, input: { c: 1 } },
      { tool: 'again', chars: 0, text: quiet, input: { c: 2 } },
      { tool: 'again', chars: 0, text: 'short', input: { c: 2 } },
    ]);
    const spillway = openSpillway({ store });
    const ends = { preserveErrors: false, preserveWarnings: false, contentDetection: false };
    const call = { tool: 'buried', session: 's', scope: SCOPE };
    await spillway.process(call, { kind: 'text', text: buried }, { policy: ends });
    const { tools } = await statsOf(store, { scope: SCOPE });
    const losses = Object.fromEntries(tools.map((one) => [one.tool, one.suspected_losses]));
    expect(losses).toEqual({ prose: 0, lost: 0, followed: 0, again: 1, buried: 1 });
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
    // Twelve results of just under 14,000 chars are always read to the end; one huge one in ten never is.
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
    // Everything that is ever fetched of this tool stands at its end, and only the beginning is shown.
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
      setting: 'strategy',
      value: 'head_tail',
      current: 'head',
      outputs: 8,
      wanted: 8,
      shown: 0,
      would_show: 7,
    });
  });

  test('is to keep lines of failure where those were left out', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const policy = { contentDetection: false, preserveErrors: false };
    for (let i = 0; i < 6; i++) {
      const quiet = numberedLines(900, `12:00:0${i} INFO step`);
      const text = `${quiet}12:00:0${i} ERROR TypeError: x${i} is not a function\n${quiet}`;
      await spillway.process({ tool: 'run', session: 's', scope: SCOPE }, { kind: 'text', text }, { policy });
    }
    const { tools } = await statsOf(store, { scope: SCOPE });
    expect(tools[0]).toMatchObject({
      suspected_losses: 6,
      recommendations: [
        { setting: 'preserve_errors', value: true, current: false, wanted: 6, shown: 0, would_show: 6 },
      ],
    });
  });

  test('is made from what can be read: outputs that are damaged in the store are passed over', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const policy = { contentDetection: false, preserveErrors: false };
    for (let i = 0; i < 7; i++) {
      const quiet = numberedLines(900, `12:00:0${i} INFO step`);
      const text = `${quiet}12:00:0${i} ERROR TypeError: x${i} is not a function\n${quiet}`;
      await spillway.process({ tool: 'run', session: 's', scope: SCOPE }, { kind: 'text', text }, { policy });
    }
    const [damaged] = (await store.list({ scope: SCOPE, show: 'all' })).items;
    const failing = new Proxy(store, {
      get(target, name) {
        const own = Reflect.get(target, name);
        if (name !== 'frozen') return typeof own === 'function' ? own.bind(target) : own;
        return async (...args: Parameters<Store['frozen']>) => {
          if (args[0] === damaged?.id) throw new SpillwayError('corrupt', 'The record cannot be read.');
          return target.frozen(...args);
        };
      },
    });
    const { tools } = await statsOf(failing, { scope: SCOPE });
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
            fetches: one.chars > 8_000 ? one.fetches : 0,
          })),
        );
        const { stories } = await readLedger(store, { scope: SCOPE });
        const advice = recommendLimit(stories);
        if (advice === null) return;
        expect(replay(stories, advice.value)).toBe(replay(stories, advice.current) - advice.chars_saved);
        expect(advice.chars_saved).toBeGreaterThan(0);
        for (const { chars } of stories)
          expect(replay(stories, advice.value)).toBeLessThanOrEqual(
            replay(stories, Math.max(advice.current, Math.ceil(chars / 500) * 500)),
          );
      }),
      { numRuns: 25 },
    );
  });
});

describe.concurrent('the program', () => {
  test('shows statistics as a table, with what it recommends and how to follow that', async () => {
    const { root, run } = await freshWorkspace();
    const { spillway, workspace } = await open({ workspace: root, env: { HOME: root } });
    const call = { tool: 'search', session: 'cli', scope: workspace.scope };
    for (let i = 0; i < 6; i++) {
      const text = numberedLines(1_100, `result ${i}`);
      const { artifact_id } = (await spillway.process(call, { kind: 'text', text })).projection.metadata;
      for (const lines of ['1-600', '600-1100'])
        await spillway.retrieve({ artifact_id, lines }, workspace.scope);
    }
    await spillway.close();
    const { code, stdout, stderr } = await run(['stats']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^6 outputs with \d+ KB: 6 cut \(100 %\)\.\nModels were shown [\d,]+ of [\d,]+ chars and fetched [\d,]+ later: about [\d,]+ tokens (?:saved|more)\.\nOf the cuts 0 were never followed up; 0 calls were made again\.\n\n┌/,
    );
    expect(stdout).toMatch(/^│ search │ 6 +│ 6 \(100 %\) │ -?[\d,]+ +│ 6 \(100 %\) │ \d+ KB │ 0 +│$/m);
    expect(stdout).toContain(
      'search: 100 % of cut results were fetched again; inline_limit 14,500 instead of 8,000 would have avoided 100 %: spillway config set inline_limit 14500 --tool search\n',
    );
  });

  test('names the outputs of which something may have been lost, and the setting that would have shown it', async () => {
    const { root, run } = await freshWorkspace();
    const { spillway, workspace } = await open({ workspace: root, env: { HOME: root } });
    const call = { tool: 'build', session: 'cli', scope: workspace.scope };
    const policy = { contentDetection: false, preserveErrors: false };
    const quiet = numberedLines(900, '12:00:01 INFO step');
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      const text = `${quiet}12:00:02 ERROR TypeError: x${i} is not a function\n${quiet}`;
      const { projection } = await spillway.process(call, { kind: 'text', text }, { policy });
      ids.push(String(projection.metadata.artifact_id));
    }
    await spillway.close();
    const last = ids.toSorted().at(-1) ?? '';
    const { stdout } = await run(['stats']);
    expect(stdout).toContain(
      `Suspected loss: ${last} (build): line 901 speaks of a failure and was left out. See spillway artifacts show ${last} --part text --lines 896-906\n`,
    );
    expect(stdout).toContain('… and 1 more: spillway stats --json names them.\n');
    expect(stdout).toContain(
      'build: of 6 places that were fetched later or held a failure, 0 had been shown; preserve_errors true instead of false would have shown 6 (6 stored outputs replayed): spillway config set preserve_errors true --tool build\n',
    );
    const stats = parsed<{ tools: { suspected: { artifact_id: string }[] }[] }>(
      await run(['stats', '--json']),
    );
    expect(stats.tools[0]?.suspected.map(({ artifact_id }) => artifact_id).sort()).toEqual(ids.toSorted());
    const shown = await run(['artifacts', 'show', last, '--part', 'text', '--lines', '896-906']);
    expect(shown.stdout).toContain(`TypeError: x${ids.indexOf(last)} is not a function`);
  });

  test('counts what the histories of sessions went through, whichever process it was in', async () => {
    const { root, run } = await freshWorkspace();
    for (let process = 0; process < 2; process++) {
      const { spillway, store, workspace } = await open({ workspace: root, env: { HOME: root } });
      if (store === null) throw new Error('no store');
      const history = new History({ spillway, store, invariants: 'count' });
      const session = history.session({ scope: workspace.scope, session: 'run-1' });
      const say = (callId: string) =>
        session.say({
          id: callId,
          at: 1,
          role: 'assistant',
          parts: [{ type: 'call', callId, tool: 'read', input: '{}' }],
        });
      await say('a');
      await say('b');
      const text = numberedLines(3_000);
      // Ten times the same result is one write.
      for (let i = 0; i < 10; i++)
        await session.result({ callId: 'a', tool: 'read' }, { kind: 'text', text });
      for (let i = 0; i < 3; i++) await session.prepare();
      const prepared = await session.prepare();
      if (prepared.verdict === 'refused') throw new Error('refused');
      const sent = prepared.messages.flatMap(({ parts }) => parts).find((part) => part.type === 'result');
      if (process === 0 && sent?.type === 'result')
        await session.result({ callId: 'a', tool: 'read' }, { kind: 'text', text: textOf(sent) });
      expect(await session.prepare({ window: 500 })).toMatchObject({ verdict: 'refused' });
      await spillway.close();
    }
    expect(parsed(await run(['stats', '--json']))).toMatchObject({
      total: { outputs: 1, cut: 1, rendered_writes: 1, missing_results: 1 },
      history: {
        canonical_writes: 1,
        rendered_writes: 1,
        missing_results: 1,
        missing_rate: 0.5,
        refetches: 0,
        reexecutions: 0,
        overflows_avoided: 2,
      },
    });
    expect((await run(['stats'])).stdout).toContain(
      'Canonical writes: 1, rendered by Spillway: 1. Missing results: 1 (50 %). Refetches: 0. Re-executions: 0. Overflows avoided: 2.\n',
    );
  });

  test('tells how often a setting that is not the default was in force', async () => {
    const { run, truncate } = await freshWorkspace({ TRUNCATION_MAX_LINES: '500' });
    await truncate('x', '--tool', 'a');
    await truncate('y', '--tool', 'a', '--limit', '600', '--strategy', 'tail');
    // A value that is the default changes nothing, whoever gave it.
    await truncate('z', '--tool', 'b', '--limit', '600', '--set', 'head_ratio=0.6');
    const { total, tools } = parsed<{ total: object; tools: { tool: string; settings: object }[] }>(
      await run(['stats', '--json']),
    );
    expect(total).toMatchObject({ settings: { inline_limit: 2, max_lines: 3, strategy: 1 } });
    expect(tools.find(({ tool }) => tool === 'b')?.settings).toEqual({ inline_limit: 1, max_lines: 3 - 2 });
    expect((await run(['stats'])).stdout).toContain(
      'Outputs under settings that are not the default: max_lines 3 (100 %), inline_limit 2 (67 %), strategy 1 (33 %).\n',
    );
  });

  test('in a narrow window leaves out columns, never a tool', async () => {
    const { root, truncate } = await freshWorkspace();
    const long = 'mcp__github__search_repositories_by_topic';
    await truncate(numberedLines(3_000), '--tool', long);
    await truncate(numberedLines(3_000, 'row'), '--tool', 'b');
    const headers: string[] = [];
    for (const columns of [40, 80, 90, 200]) {
      const session = onTerminal(['stats'], { cwd: root, columns });
      expect(await session.ended).toBe(0);
      const table = session
        .seen()
        .split('\r\n')
        .filter((line) => /^[┌│├└]/.test(line));
      for (const line of table) expect(line.length).toBeLessThanOrEqual(columns);
      for (const tool of [long.slice(0, 8), 'b ', 'all tools'])
        expect(table.join('\n')).toContain(`│ ${tool}`);
      headers.push(table.find((line) => line.includes('Tool')) ?? '');
    }
    const names = headers.map((line) =>
      line
        .split('│')
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ''),
    );
    expect(names).toEqual([
      ['Tool', 'Outputs', 'Cut'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Fetched', 'Size'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Fetched', 'Size', 'Losses?'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Fetched', 'Size', 'Losses?'],
    ]);
  });

  test('as JSON has the numbers, since a time', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(numberedLines(3_000), '--tool', 'a');
    const stats = parsed<{ total: { outputs: number }; tools: { tool: string; cut: number }[] }>(
      await run(['stats', '--json', '--since', '1h']),
    );
    const size = numberedLines(3_000).length;
    expect(stats).toMatchObject({
      total: { outputs: 1, bytes: size },
      tools: [{ tool: 'a', cut: 1, bytes: size, chars: { total: size, median: size, p95: size, max: size } }],
    });
    expect(parsed(await run(['stats', '--json', '--since', '2999-01-01']))).toMatchObject({ tools: [] });
    expect(await run(['stats', '--since', 'yesterday'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('says when there is nothing, and which tool was meant', async () => {
    const { run, truncate } = await freshWorkspace();
    expect(await run(['stats'])).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing was captured.\n' });
    await truncate('x', '--tool', 'search_files');
    expect((await run(['stats', '--tool', 'serch_files'])).stderr).toBe(
      'Nothing was captured. Did you mean search_files?\n',
    );
  });
});
