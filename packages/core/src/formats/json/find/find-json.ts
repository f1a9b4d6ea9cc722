/**
 * Matches of a JSONPath query in a stored part. Simple queries are answered in one pass over a part
 * of any size; others hold the document in memory, up to a limit. Several values one after another
 * (NDJSON) are read as one array. The text is checked to its end, or as far as it is read.
 */

import { setImmediate } from 'node:timers/promises';
import { SpillwayError } from '../../../model/errors.ts';
import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { PatternEngine } from '../../../model/pattern.ts';
import type { Match, MatchSink, StoredText } from '../../../model/stored-text.ts';
import { JsonScan } from '../../../table/tree/json-scan.ts';
import { Kind, NO_BYTES, type TreeSink, type TreeToken } from '../../../table/tree/tree-sink.ts';
import { TreeTable } from '../../../table/tree/tree-table.ts';
import { formatBytes, formatCount } from '../../../text/numbers.ts';
import { Evaluation, PAUSE } from './evaluate.ts';
import { pathLabel, standsFor, stepsTo, textIn } from './label.ts';

/** What a query may hold in memory. */
const MOST_BYTES = 64 * 1024 ** 2;
const MOST_VALUES = 4_000_000;
const MOST_LEVELS = 2_000;
/** Read at once: a byte is at most one value. */
const STEP_BYTES = 65_536;
/** What may be asked of a document of any size. */
const SIMPLE_QUERIES =
  'Ask for one place or a row of places, such as $.items[100:200].name: names, indexes from 0, slices and * work at any size.';

/** `fresh`: creates an empty collection, since reading may start over. */
export async function findJson<Sink extends MatchSink>(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  fresh: () => Sink,
): Promise<{ readonly matches: Sink; readonly areSeveral: boolean }> {
  const steps = simpleSteps(query);
  if (steps === null) {
    const matches = fresh();
    return { matches, areSeveral: await findInMemory(stored, query, patterns, matches) };
  }
  const matches = fresh();
  if (await findInStream(stored, steps, 'one', matches)) return { matches, areSeveral: false };
  const ofSeveral = fresh();
  await findInStream(stored, steps, 'many', ofSeveral);
  return { matches: ofSeveral, areSeveral: true };
}

/** Returns whether the document is several values. */
async function findInMemory(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  matches: MatchSink,
): Promise<boolean> {
  if (stored.byteLength > MOST_BYTES)
    throw tooLarge(`has ${formatBytes(stored.byteLength)}, over ${formatBytes(MOST_BYTES)}`);
  const most = { rows: MOST_VALUES + STEP_BYTES, bytes: MOST_BYTES };
  const table = new TreeTable({ reachChars: 0, most });
  const scan = new JsonScan(table, 'many', MOST_LEVELS);
  for await (const piece of stored.from(0)) {
    for (let at = 0; at < piece.length && table.rows <= MOST_VALUES; at += STEP_BYTES)
      table.push(piece.subarray(at, at + STEP_BYTES), scan);
    if (table.rows > MOST_VALUES) throw tooLarge(`has more than ${formatCount(MOST_VALUES)} values`);
    if (scan.failure !== null) break;
  }
  scan.finish();
  if (scan.failure !== null && scan.depth === MOST_LEVELS)
    throw tooLarge(`is nested more than ${formatCount(MOST_LEVELS)} levels deep`);
  if (scan.failure !== null) throw notJson(scan.failure);
  table.finish();
  const areSeveral = (table.count[0] as number) > 1;
  const evaluation = new Evaluation(table, areSeveral ? 0 : 1, patterns);
  for (const row of evaluation.select(query)) {
    const label = () => pathLabel(stepsTo(table, row));
    if (row !== PAUSE) matches.add(table.start[row] as number, table.end[row] as number, label);
    if (matches.enough) break;
    if (row === PAUSE || evaluation.isPauseDue()) await setImmediate();
  }
  return areSeveral;
}

function tooLarge(why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `The document ${why}: too much for this query. ${SIMPLE_QUERIES}`,
  );
}

function notJson(why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `This part is not JSON (${why}), so json_path cannot be used. Ask by lines, chars or pattern.`,
  );
}

const ANOTHER_VALUE = 'something follows the value';

/** Returns false if there are more values than one was expected to be. */
async function findInStream(
  stored: StoredText,
  steps: readonly PathSelector[],
  values: 'one' | 'many',
  matches: MatchSink,
): Promise<boolean> {
  const matcher = new SimpleMatcher(steps, matches);
  const scan = new JsonScan(matcher, values);
  // Several values are items of an unwritten array.
  if (values === 'many') matcher.open({ kind: Kind.array, start: 0, key: () => NO_BYTES });
  for await (const piece of stored.from(0)) {
    scan.push(piece);
    if (scan.failure !== null || matches.enough) break;
  }
  if (!matches.enough) scan.finish();
  if (scan.failure === ANOTHER_VALUE) return false;
  if (scan.failure !== null) throw notJson(scan.failure);
  if (values === 'many') matcher.close({ end: stored.byteLength });
  return true;
}

/**
 * Simple queries over a part of any size, in one pass: child segments with one name, index, slice
 * or wildcard, nothing counted from the end. At most one container per level is on the path. Null
 * if the query needs more than one pass.
 */
function simpleSteps({ segments }: PathQuery): PathSelector[] | null {
  const steps: PathSelector[] = [];
  for (const { reach, selectors } of segments) {
    const [selector, ...others] = selectors;
    if (reach !== 'child' || selector === undefined || others.length > 0 || !isSimple(selector)) return null;
    steps.push(selector);
  }
  return steps;
}

function isSimple(selector: PathSelector): boolean {
  if (selector.kind === 'index') return selector.index >= 0;
  if (selector.kind === 'slice')
    return selector.step >= 0 && (selector.start ?? 0) >= 0 && (selector.end ?? 0) >= 0;
  return selector.kind !== 'filter';
}

interface Step {
  readonly selector: PathSelector;
  readonly name: Buffer;
}

interface Level {
  readonly isArray: boolean;
  children: number;
  key: Uint8Array | null;
}

type ValueToken = Pick<TreeToken, 'kind' | 'start' | 'key'>;

/** Follows only values on the path. */
class SimpleMatcher implements TreeSink {
  readonly #steps: readonly Step[];
  readonly #matches: MatchSink;
  readonly #levels: Level[] = [];
  /** Depth inside a container that is not on the path. */
  #passing = 0;
  #match: { readonly of: Match | null } | null = null;

  constructor(steps: readonly PathSelector[], matches: MatchSink) {
    this.#steps = steps.map((selector) => ({
      selector,
      name: Buffer.from(selector.kind === 'name' ? selector.name : ''),
    }));
    this.#matches = matches;
  }

  open(token: ValueToken): void {
    if (this.#passing > 0) {
      this.#passing++;
      return;
    }
    const isOnTheWay = this.#begins(token);
    if (isOnTheWay && this.#levels.length < this.#steps.length)
      this.#levels.push({ isArray: token.kind === Kind.array, children: 0, key: null });
    else {
      if (isOnTheWay) this.#match = { of: this.#matches.begin(token.start, () => this.#label()) };
      this.#passing = 1;
    }
  }

  close(token: Pick<TreeToken, 'end'>): void {
    if (this.#passing === 0) {
      this.#levels.pop();
      return;
    }
    this.#passing--;
    if (this.#passing > 0 || this.#match === null) return;
    this.#matches.end(this.#match.of, token.end);
    this.#match = null;
  }

  leaf(token: TreeToken): void {
    if (this.#passing > 0 || !this.#begins(token) || this.#levels.length !== this.#steps.length) return;
    this.#matches.add(token.start, token.end, () => this.#label());
  }

  #begins(token: Pick<TreeToken, 'key'>): boolean {
    const level = this.#levels.at(-1);
    if (level === undefined) return true;
    const index = level.children++;
    level.key = level.isArray ? null : token.key();
    const step = this.#steps[this.#levels.length - 1];
    if (step === undefined) return false;
    if (step.selector.kind === 'wildcard') {
      level.key = level.key?.slice() ?? null;
      return true;
    }
    if (step.selector.kind !== 'name') return level.isArray && holds(step.selector, index);
    return level.key !== null && standsFor(level.key, step.name);
  }

  #label(): string {
    return pathLabel(this.#levels.map(({ key, children }) => (key === null ? children - 1 : textIn(key))));
  }
}

function holds(step: PathSelector, index: number): boolean {
  if (step.kind === 'index') return step.index === index;
  if (step.kind !== 'slice' || step.step === 0) return false;
  const start = step.start ?? 0;
  return (
    index >= start && index < (step.end ?? Number.POSITIVE_INFINITY) && (index - start) % step.step === 0
  );
}
