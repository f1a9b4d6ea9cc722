/**
 * What a query selects (RFC 9535, 2.3 and 2.5) of a document in memory, lazily and in the order of
 * the standard. Of members with the same name each is selected: nothing that is stored is out of
 * reach. A node is a row of the table. Numbers are compared as doubles, long integers digit by
 * digit; regular expressions run on the pattern engine, in linear time.
 */
import { SpillwayError } from '../../../model/errors.ts';
import type { FilterQuery, PathOperand, PathQuery, PathSelector, PathTest } from '../../../model/path.ts';
import type { Pattern, PatternEngine } from '../../../model/pattern.ts';
import { Kind } from '../../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../../table/tree/tree-table.ts';
import { standsFor, textIn } from './label.ts';

/** A generator gives it when it has worked for a while without a result: others may run. */
export const PAUSE = -1;

/** A step is about one value visited; all of them take some seconds. */
const MOST_STEPS = 8_000_000;
const MOST_MS = 10_000;
const STEPS_BETWEEN_PAUSES = 250_000;
const STEPS_BETWEEN_LOOKS = 10_000;
/** Relative to visiting a value. */
const KEY_STEPS = 0.25;
const HAND_UP_STEPS = 0.25;
/** For a pattern that has to be compiled. */
const COMPILE_STEPS = 5_000;
/** Chars that cost one step, for a pattern of one char, and for a string that is read. */
const CHARS_PER_STEP = { pattern: 8, string: 64 };
/** Cached patterns; a document may bring many. */
const MOST_PATTERNS = 100;
/** More digits than a double holds. */
const LONG_INTEGER = /^-?\d{16,}$/;

interface Box {
  readonly row: number;
}

/** Undefined is Nothing. */
type Comparable = undefined | null | boolean | string | number | bigint | Box;

export class Evaluation {
  readonly #table: TreeTable;
  readonly #root: number;
  readonly #patterns: PatternEngine | null;
  readonly #compiled = new Map<string, Pattern | null>();
  #steps = 0;
  #pause = STEPS_BETWEEN_PAUSES;
  #look = STEPS_BETWEEN_LOOKS;
  readonly #until = performance.now() + MOST_MS;

  constructor(table: TreeTable, root: number, patterns: PatternEngine | null) {
    this.#table = table;
    this.#root = root;
    this.#patterns = patterns;
  }

  *select(query: PathQuery, from = this.#root, depth = 0): Generator<number> {
    const segment = query.segments[depth];
    if (segment === undefined) {
      yield from;
      return;
    }
    const isLast = depth + 1 === query.segments.length;
    for (const visited of segment.reach === 'child' ? [from] : this.#descend(from))
      for (const selector of segment.selectors)
        for (const found of this.#pick(selector, visited)) {
          // A result passes through every segment.
          if (isLast) this.#spend(depth * HAND_UP_STEPS);
          if (isLast || found === PAUSE) yield found;
          else yield* this.select(query, found, depth + 1);
        }
  }

  /** True once in a while. */
  isPauseDue(): boolean {
    if (this.#steps < this.#pause) return false;
    this.#pause = this.#steps + STEPS_BETWEEN_PAUSES;
    return true;
  }

  /** Bounds the work, whatever is asked of whatever document. */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#look) return;
    this.#look = this.#steps + STEPS_BETWEEN_LOOKS;
    if (this.#steps > MOST_STEPS || performance.now() > this.#until)
      throw new SpillwayError(
        'invalid_argument',
        'This query takes too much work on a document of this size. Name the keys that lead to what you need instead of .., or filter fewer values.',
      );
  }

  #isBox(row: number): boolean {
    return (this.#table.kind[row] as number) <= Kind.array;
  }

  #isObject(row: number): boolean {
    return this.#table.kind[row] === Kind.object;
  }

  /** A value and all containers in it. */
  *#descend(from: number): Generator<number> {
    yield from;
    const end = this.#table.next[from] as number;
    for (let row = from + 1; row < end; row++) {
      this.#spend(1);
      if (this.#isBox(row)) yield row;
    }
  }

  *#children(parent: number, steps = 1): Generator<number> {
    const { next } = this.#table;
    const end = next[parent] as number;
    for (let row = parent + 1; row < end; row = next[row] as number) {
      this.#spend(steps);
      yield row;
    }
  }

  #pick(selector: PathSelector, parent: number): Iterable<number> {
    if (selector.kind === 'wildcard') return this.#children(parent);
    if (selector.kind === 'filter') return this.#filtered(selector.test, parent);
    if (selector.kind === 'name') return this.#isObject(parent) ? this.#named(selector.name, parent) : [];
    if (!this.#isBox(parent) || this.#isObject(parent)) return [];
    return selector.kind === 'index' ? this.#at(selector.index, parent) : this.#slice(selector, parent);
  }

  #named(text: string, parent: number): number[] {
    const name = Buffer.from(text);
    return [...this.#children(parent, KEY_STEPS)].filter((row) => standsFor(this.#table.key(row), name));
  }

  *#filtered(test: PathTest, parent: number): Generator<number> {
    for (const row of this.#children(parent))
      if (this.#holds(test, row)) yield row;
      else if (this.isPauseDue()) yield PAUSE;
  }

  #at(index: number, parent: number): Iterable<number> {
    const wanted = index < 0 ? (this.#table.count[parent] as number) + index : index;
    return wanted < 0 ? [] : this.#children(parent).drop(wanted).take(1);
  }

  /** RFC 9535, 2.3.4.2. */
  #slice({ start, end, step }: Extract<PathSelector, { kind: 'slice' }>, parent: number): Iterable<number> {
    const { index, count } = this.#table;
    const size = count[parent] as number;
    const within = (given: number | null, other: number, least: number, most: number) =>
      given === null ? other : Math.min(Math.max(given < 0 ? size + given : given, least), most);
    const isForward = step > 0;
    const first = isForward ? within(start, 0, 0, size) : within(start, size - 1, -1, size - 1);
    const limit = isForward ? within(end, size, 0, size) : within(end, -1, -1, size - 1);
    const found = this.#children(parent).filter((row) => {
      const at = index[row] as number;
      const isWithin = isForward ? at >= first && at < limit : at <= first && at > limit;
      return isWithin && (at - first) % step === 0;
    });
    return isForward ? found : step === 0 ? [] : [...found].reverse();
  }

  #holds(test: PathTest, at: number): boolean {
    switch (test.kind) {
      case 'and':
        return this.#holds(test.left, at) && this.#holds(test.right, at);
      case 'or':
        return this.#holds(test.left, at) || this.#holds(test.right, at);
      case 'not':
        return !this.#holds(test.test, at);
      case 'exists':
        return !this.#nodes(test.query, at).next().done;
      case 'compare':
        return this.#compares(test.operator, this.#operand(test.left, at), this.#operand(test.right, at));
      default:
        return this.#matches(test, at);
    }
  }

  /** What a query inside of a filter selects. */
  #nodes(query: FilterQuery, at: number): IteratorObject<number> {
    return this.select(query, query.from === 'root' ? this.#root : at).filter((row) => row !== PAUSE);
  }

  /** Of members with the same name a comparison takes the last. */
  #operand(operand: PathOperand, at: number): Comparable {
    switch (operand.kind) {
      case 'string':
      case 'constant':
        return operand.value;
      case 'number':
        return numberOf(operand.written);
      case 'node':
        return this.#valueOf([...this.#nodes(operand.query, at)].at(-1));
      case 'count':
        return this.#nodes(operand.query, at).reduce((size) => size + 1, 0);
      case 'value': {
        const [only, another] = this.#nodes(operand.query, at).take(2);
        return another === undefined ? this.#valueOf(only) : undefined;
      }
      default:
        return this.#lengthOf(this.#operand(operand.of, at));
    }
  }

  #valueOf(row: number | undefined): Comparable {
    if (row === undefined) return undefined;
    const { kind, start, end } = this.#table;
    const [from, to] = [start[row] as number, end[row] as number];
    switch (kind[row]) {
      case Kind.string:
        this.#spend((to - from) / CHARS_PER_STEP.string);
        return textIn(this.#table.slice(from + 1, to - 1));
      case Kind.number:
        this.#spend((to - from) / CHARS_PER_STEP.string);
        return numberOf(this.#table.slice(from, to).toString('latin1'));
      case Kind.true:
        return true;
      case Kind.false:
        return false;
      case Kind.null:
        return null;
      default:
        return { row };
    }
  }

  #lengthOf(value: Comparable): Comparable {
    if (isBox(value)) return this.#table.count[value.row] as number;
    if (typeof value !== 'string') return undefined;
    this.#spend(value.length / CHARS_PER_STEP.string);
    let size = 0;
    for (const _ of value) size++;
    return size;
  }

  #compares(operator: string, left: Comparable, right: Comparable): boolean {
    if (operator === '==') return this.#equal(left, right);
    if (operator === '!=') return !this.#equal(left, right);
    const [one, other] = operator.startsWith('<') ? [left, right] : [right, left];
    return less(one, other) || (operator.endsWith('=') && this.#equal(one, other));
  }

  /** Arrays by items, objects by members in any order. */
  #equal(left: Comparable, right: Comparable): boolean {
    if (isNumber(left) && isNumber(right)) return !(left < right) && !(left > right);
    if (!isBox(left) || !isBox(right)) return left === right;
    const isObject = this.#isObject(left.row);
    if (left.row === right.row) return true;
    if (isObject !== this.#isObject(right.row)) return false;
    const [ours, theirs] = [[...this.#children(left.row)], [...this.#children(right.row)]];
    if (ours.length !== theirs.length) return false;
    const nameOf = (row: number) => textIn(this.#table.key(row));
    const named = isObject ? new Map(theirs.map((row) => [nameOf(row), row])) : null;
    return ours.every((row, at) => {
      const twin = named === null ? theirs[at] : named.get(nameOf(row));
      return twin !== undefined && this.#equal(this.#valueOf(row), this.#valueOf(twin));
    });
  }

  #matches({ kind, text, pattern }: Extract<PathTest, { kind: 'match' | 'search' }>, at: number): boolean {
    const subject = this.#operand(text, at);
    const wanted = this.#operand(pattern, at);
    if (typeof subject !== 'string' || typeof wanted !== 'string') return false;
    this.#spend(1 + (subject.length * Math.min(1_000, wanted.length)) / CHARS_PER_STEP.pattern);
    // In an I-Regexp (RFC 9485) a dot matches no line end.
    const dotted = wanted.replace(/\\.|\[(?:\\.|[^\]\\])*\]?|\./gs, (found) =>
      found === '.' ? '[^\\n\\r]' : found,
    );
    const compiled = this.#compile(kind === 'match' ? `^(?:${dotted})$` : dotted, pattern.kind === 'string');
    return compiled !== null && compiled.find(subject) >= 0;
  }

  /** Invalid patterns of the query are reported; those of the document match nothing. */
  #compile(pattern: string, isOfQuery: boolean): Pattern | null {
    if (this.#patterns === null)
      throw new SpillwayError('invalid_argument', 'match() and search() are not available here.');
    let compiled = this.#compiled.get(pattern);
    if (compiled !== undefined) return compiled;
    this.#spend(COMPILE_STEPS);
    if (this.#compiled.size >= MOST_PATTERNS) this.#compiled.clear();
    try {
      compiled = this.#patterns.compile(pattern);
    } catch (error) {
      if (isOfQuery || !(error instanceof SpillwayError)) throw error;
      compiled = null;
    }
    this.#compiled.set(pattern, compiled);
    return compiled;
  }
}

function isBox(value: Comparable): value is Box {
  return typeof value === 'object' && value !== null;
}

function isNumber(value: Comparable): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function numberOf(written: string): number | bigint {
  return LONG_INTEGER.test(written) ? BigInt(written) : Number(written);
}

function less(left: Comparable, right: Comparable): boolean {
  if (isNumber(left) && isNumber(right)) return left < right;
  // By Unicode scalar values: UTF-8 keeps that order, UTF-16 does not.
  return typeof left === 'string' && typeof right === 'string'
    ? Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0
    : false;
}
