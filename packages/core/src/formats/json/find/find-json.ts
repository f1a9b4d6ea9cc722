/**
 * MatchSink of a JSONPath query in a stored part. Simple queries are answered in one pass over a
 * part of any size; others hold the document in memory, up to a limit. Several values one after
 * another (NDJSON) are read as one array. The text is checked to its end, or as far as it is read.
 */

import { setImmediate } from 'node:timers/promises';
import { SpillwayError } from '../../../model/errors.ts';
import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { PatternEngine } from '../../../model/pattern.ts';
import type { Match, MatchSink, StoredText } from '../../../model/stored-text.ts';
import { JsonScan } from '../../../table/tree/json-scan.ts';
import { Kind, NO_BYTES, type TreeSink, type TreeToken } from '../../../table/tree/tree-sink.ts';
import { formatBytes } from '../../../text/numbers.ts';
import { Filters } from './filter.ts';
import { nameOf, pathLabel, pathStep } from './label.ts';
import { Meter } from './meter.ts';
import { PAUSE, ROOT, select } from './query.ts';
import { JsonTape, TAPE_BYTES, tooLarge } from './tape.ts';

/**
 * Simple queries over a part of any size, in one pass: child segments with one name, index, slice
 * or wildcard, nothing counted from the end. At most one container per level is on the path.
 */
const QUOTE = Buffer.from('"');

/** Null if the query needs more than one pass. */
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
    return pathLabel(
      this.#levels.map(({ key, children }) => pathStep(key === null ? children - 1 : nameOf(quoted(key)))),
    );
  }
}

function quoted(key: Uint8Array): Uint8Array {
  return Buffer.concat([QUOTE, key, QUOTE]);
}

function holds(step: PathSelector, index: number): boolean {
  if (step.kind === 'index') return step.index === index;
  if (step.kind !== 'slice' || step.step === 0) return false;
  const start = step.start ?? 0;
  return (
    index >= start && index < (step.end ?? Number.POSITIVE_INFINITY) && (index - start) % step.step === 0
  );
}

/** Without a backslash it is the name itself. */
function standsFor(key: Uint8Array, name: Buffer): boolean {
  return key.includes(0x5c) ? nameOf(quoted(key)) === name.toString() : name.equals(key);
}

const ANOTHER_VALUE = 'something follows the value';

export type JsonShape = 'document' | 'values';

/** `fresh`: creates an empty collection, since reading may start over. */
export async function findJson<Sink extends MatchSink>(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  fresh: () => Sink,
): Promise<{ readonly matches: Sink; readonly shape: JsonShape }> {
  const steps = simpleSteps(query);
  if (steps === null && stored.byteLength > TAPE_BYTES)
    throw tooLarge(`has ${formatBytes(stored.byteLength)}, over ${formatBytes(TAPE_BYTES)}`);
  const find = (shape: JsonShape, matches: MatchSink) =>
    steps === null
      ? findInMemory(stored, query, patterns, shape, matches)
      : findInStream(stored, steps, shape, matches);
  const matches = fresh();
  const failure = await find('document', matches);
  if (failure === null) return { matches, shape: 'document' };
  if (failure !== ANOTHER_VALUE) throw notJson(failure);
  const ofValues = fresh();
  const second = await find('values', ofValues);
  if (second !== null) throw notJson(second);
  return { matches: ofValues, shape: 'values' };
}

function notJson(why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `This part is not JSON (${why}), so json_path cannot be used. Ask by lines, chars or pattern.`,
  );
}

async function findInStream(
  stored: StoredText,
  steps: readonly PathSelector[],
  shape: JsonShape,
  matches: MatchSink,
): Promise<string | null> {
  const matcher = new SimpleMatcher(steps, matches);
  // Several values are items of an unwritten array.
  if (shape === 'values') matcher.open({ kind: Kind.array, start: 0, key: () => NO_BYTES });
  const failure = await walk(stored, shape, matcher, () => matches.enough);
  if (failure === null && shape === 'values') matcher.close({ end: stored.byteLength });
  return failure;
}

async function findInMemory(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  shape: JsonShape,
  matches: MatchSink,
): Promise<string | null> {
  const bytes = new Uint8Array(stored.byteLength);
  const tape = new JsonTape(bytes, shape === 'values');
  const begin = ({ start, keyAt, keyBytes }: TreeToken) => tape.begin(start, keyBytes === 0 ? -1 : keyAt);
  const sink: TreeSink = {
    open: begin,
    close: ({ end }) => tape.finish(end),
    leaf(token) {
      begin(token);
      tape.finish(token.end);
    },
  };
  if (shape === 'values') tape.begin(0, -1);
  const failure = await walk(
    stored,
    shape,
    sink,
    () => false,
    (piece, at) => bytes.set(piece, at),
  );
  if (failure !== null) return failure;
  if (shape === 'values') tape.finish(stored.byteLength);
  const run = new Filters(patterns).evaluation({ tape, meter: new Meter() });
  for (const node of select(run, query, ROOT)) {
    if (node !== PAUSE)
      matches.add(tape.start[node] as number, tape.end[node] as number, () => tape.label(node));
    if (matches.enough) break;
    if (node === PAUSE || run.meter.due) await setImmediate();
  }
  return null;
}

/** Returns why the text is not JSON, or null. */
async function walk(
  stored: StoredText,
  shape: JsonShape,
  sink: TreeSink,
  enough: () => boolean,
  take: (piece: Uint8Array, at: number) => void = () => {},
): Promise<string | null> {
  const scan = new JsonScan(sink, shape === 'values' ? 'many' : 'one');
  let position = 0;
  for await (const piece of stored.from(0)) {
    take(piece, position);
    scan.push(piece);
    if (scan.failure !== null) return scan.failure;
    position += piece.length;
    if (enough()) return null;
  }
  scan.finish();
  return scan.failure;
}
