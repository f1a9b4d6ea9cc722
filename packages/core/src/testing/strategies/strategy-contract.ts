/**
 * What every strategy promises, as data for any test runner. A case is run on a strategy, or on the
 * name of a built-in one.
 *
 *     for (const { name, run } of strategyContract) test(name, () => run({ strategy }));
 */
import assert from 'node:assert/strict';
import { Spillway } from '../../engine.ts';
import type { Projection } from '../../model/projection.ts';
import type { RankFacts, Strategy } from '../../model/strategy.ts';
import type { TableRows } from '../../model/table-rows.ts';
import { DEFAULT_POLICY } from '../../policy/resolve.ts';
import { memoryStore } from '../../stores/memory.ts';
import { LineScan } from '../../table/line-scan.ts';
import { LineTable } from '../../table/line-table.ts';
import { decode } from '../../text/utf8.ts';
import { standardVocabulary } from '../../vocabulary/vocabulary.ts';
import { type ChecksOf, type ContractCheck, casesOf } from '../cases.ts';

/** A strategy, and what it takes to check it. */
export interface StrategySubject {
  /** A strategy of one's own, or the name of a built-in one. */
  readonly strategy: Strategy | string;
  /** Texts beyond those of the contract, each longer than 2,000 chars. */
  readonly texts?: readonly string[];
}

/** One promise of every strategy. */
export type StrategyCase = ContractCheck<StrategySubject>;

const CALL = { tool: 'any_tool', session: 'session', scope: 'scope' };
const LIMITS = [600, 2_000, 8_000];
const times = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

const TEXTS: readonly string[] = [
  times(900, (i) => `line ${i}\n`),
  times(400, (i) =>
    i === 200 ? 'ERROR the disk is full\n' : `10:00:${(i % 50) + 10} INFO request ${i} is done\n`,
  ),
  times(
    300,
    (i) => `${i % 7 === 0 ? '\r\n' : ''}A paragraph with the number ${i}, and some words: é, 日本, 😀.\r\n`,
  ),
  times(3_000, (i) => `word${i} `),
  times(40, (i) => `${'x'.repeat(900)}${i}\n`),
];

const CHECKS: ChecksOf<StrategySubject> = {
  'every row is ranked with a number, and at least one of them above 0': (subject) =>
    eachTable(subject, (strategy, table, facts) => {
      const { score, unit, parent } = strategy.rank(table, facts);
      const { rows } = table;
      for (const column of [score, unit, parent])
        assert.ok(
          column === undefined || column.length >= rows,
          `${column?.length} of ${rows} rows are ranked`,
        );
      const ranked = Array.from(score.subarray(0, rows));
      assert.ok(!ranked.some(Number.isNaN), 'a rank is NaN');
      assert.ok(
        ranked.some((each) => each > 0),
        'nothing is kept: all rows are ranked 0',
      );
    }),
  'the same table and the same facts give the same ranks': (subject) =>
    eachTable(subject, (strategy, table, facts) => {
      assert.deepEqual(strategy.rank(table, facts), strategy.rank(table, facts));
    }),
  'it decides by itself: it neither fails nor keeps nothing': (subject) =>
    eachProjection(subject, ({ projection }) => {
      const { strategy_error } = projection.metadata;
      assert.equal(strategy_error, undefined, `it failed (${strategy_error})`);
    }),
  'what is shown is within the limit, markers and notice included': (subject) =>
    eachProjection(subject, ({ projection: { text }, inlineLimit }) => {
      assert.ok(text.length <= inlineLimit, `${text.length} chars of ${inlineLimit}`);
    }),
  'all that is not shown is counted, and can be fetched': (subject) =>
    eachProjection(subject, async ({ projection, text, spillway }) => {
      for (const { first_char, last_char } of projection.metadata.omitted) {
        const asked = { artifact_id: projection.metadata.artifact_id, chars: `${first_char}-${last_char}` };
        const chunks: Uint8Array[] = [];
        for await (const chunk of await spillway.readRaw(asked, CALL.scope)) chunks.push(chunk);
        assert.equal(decode(Buffer.concat(chunks)), text.slice(first_char - 1, last_char));
      }
    }),
  'the chunks in which a text arrives change nothing': (subject) =>
    eachProjection(subject, async ({ projection, text, inlineLimit }) => {
      const { spillway, policy } = opened(subject, inlineLimit);
      const capture = await spillway.open(CALL, { policy });
      const part = capture.part({ name: 'text', kind: 'text' });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 777) await part.write(bytes.subarray(at, at + 777));
      const again = await capture.finish({ outcome: { status: 'ok' }, complete: true });
      assert.deepEqual(again.projection.metadata.omitted, projection.metadata.omitted);
    }),
};

/** What every strategy promises. */
export const strategyContract: readonly StrategyCase[] = casesOf(CHECKS);

const FACTS: RankFacts = {
  policy: DEFAULT_POLICY,
  roomChars: 2_000,
  failed: false,
  tool: CALL.tool,
  input: undefined,
  about: undefined,
};

/** Each text as a table; nothing for a built-in strategy, which need not rank by itself. */
async function eachTable(
  { strategy, texts = [] }: StrategySubject,
  check: (strategy: Strategy, table: TableRows, facts: RankFacts) => void,
): Promise<void> {
  if (typeof strategy === 'string') return;
  const { automaton } = standardVocabulary();
  for (const text of [...TEXTS, ...texts]) {
    const scan = new LineScan(new LineTable(automaton.words), automaton);
    scan.push({ bytes: Buffer.from(text), wellFormed: true, elisions: [] });
    scan.finish();
    for (const failed of [false, true]) check(strategy, scan.table, { ...FACTS, failed });
  }
}

interface Shown {
  readonly projection: Projection;
  readonly text: string;
  readonly inlineLimit: number;
  readonly spillway: Spillway;
}

/** Each text within each limit that it does not fit into. */
async function eachProjection(
  subject: StrategySubject,
  check: (shown: Shown) => void | Promise<void>,
): Promise<void> {
  for (const text of [...TEXTS, ...(subject.texts ?? [])])
    for (const inlineLimit of LIMITS.filter((limit) => limit < text.length)) {
      const { spillway, policy } = opened(subject, inlineLimit);
      const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
      await check({ projection, text, inlineLimit, spillway });
    }
}

function opened({ strategy }: StrategySubject, inlineLimit: number) {
  const isOwn = typeof strategy !== 'string';
  const spillway = new Spillway({ store: memoryStore(), strategies: isOwn ? [strategy] : [] });
  return { spillway, policy: { inlineLimit, strategy: isOwn ? strategy.name : strategy } };
}
