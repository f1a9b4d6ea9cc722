/**
 * The tests of filters (RFC 9535, 2.3.5): existence, comparison, functions. Numbers are compared as
 * doubles, long integers digit by digit; regular expressions run on the pattern engine, in linear
 * time. Of members with the same name a comparison takes the last.
 */
import { SpillwayError } from '../../../model/errors.ts';
import type { FilterQuery, PathOperand, PathTest } from '../../../model/path.ts';
import type { Pattern, PatternEngine } from '../../../model/pattern.ts';
import { children, type Evaluation, length, PAUSE, ROOT, select } from './query.ts';

/** Undefined is Nothing. */
export type Comparable =
  | undefined
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly written: string }
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'tree'; readonly node: number };

/** Cached patterns; a document may bring many. */
const MOST_PATTERNS = 100;
/** Steps for a pattern that has to be compiled. */
const COMPILE_STEPS = 5_000;
/** Chars that cost one step, for a pattern of one char. */
const CHARS_PER_STEP = 8;

export class Filters {
  readonly #patterns: PatternEngine | null;
  readonly #compiled = new Map<string, Pattern | null>();

  constructor(patterns: PatternEngine | null) {
    this.#patterns = patterns;
  }

  evaluation(run: Omit<Evaluation, 'holds'>): Evaluation {
    const whole = { ...run, holds: (test: PathTest, at: number) => this.#holds(whole, test, at) };
    return whole;
  }

  #holds(run: Evaluation, test: PathTest, at: number): boolean {
    switch (test.kind) {
      case 'and':
        return this.#holds(run, test.left, at) && this.#holds(run, test.right, at);
      case 'or':
        return this.#holds(run, test.left, at) || this.#holds(run, test.right, at);
      case 'not':
        return !this.#holds(run, test.test, at);
      case 'exists':
        return !nodes(run, test.query, at).next().done;
      case 'compare':
        return compare(
          run,
          test.operator,
          this.#operand(run, test.left, at),
          this.#operand(run, test.right, at),
        );
      default:
        return this.#matches(run, test, at);
    }
  }

  #operand(run: Evaluation, operand: PathOperand, at: number): Comparable {
    switch (operand.kind) {
      case 'string':
      case 'number':
      case 'constant':
        return operand;
      case 'node': {
        let last: Comparable;
        for (const node of nodes(run, operand.query, at)) last = comparable(run, node);
        return last;
      }
      case 'count': {
        let size = 0;
        for (const _ of nodes(run, operand.query, at)) size++;
        return { kind: 'number', written: String(size) };
      }
      case 'value': {
        const [only, another] = nodes(run, operand.query, at).take(2);
        return only === undefined || another !== undefined ? undefined : comparable(run, only);
      }
      default:
        return lengthOf(run, this.#operand(run, operand.of, at));
    }
  }

  #matches(
    run: Evaluation,
    { kind, text, pattern }: Extract<PathTest, { kind: 'match' | 'search' }>,
    at: number,
  ): boolean {
    const subject = this.#operand(run, text, at);
    const wanted = this.#operand(run, pattern, at);
    if (subject?.kind !== 'string' || wanted?.kind !== 'string') return false;
    run.meter.spend(1 + (subject.value.length * Math.min(1_000, wanted.value.length)) / CHARS_PER_STEP);
    const compiled = this.#compile(run, wanted.value, kind, pattern.kind === 'string');
    return compiled !== null && compiled.find(subject.value) >= 0;
  }

  /** Invalid patterns of the query are reported; those of the document match nothing. */
  #compile(run: Evaluation, pattern: string, kind: 'match' | 'search', ofQuery: boolean): Pattern | null {
    if (this.#patterns === null)
      throw new SpillwayError('invalid_argument', 'match() and search() are not available here.');
    const whole = kind === 'match' ? `^(?:${withDots(pattern)})$` : withDots(pattern);
    const known = this.#compiled.get(whole);
    if (known !== undefined) return known;
    run.meter.spend(COMPILE_STEPS);
    if (this.#compiled.size >= MOST_PATTERNS) this.#compiled.clear();
    const compiled = compile(this.#patterns, whole, ofQuery);
    this.#compiled.set(whole, compiled);
    return compiled;
  }
}

function compile(patterns: PatternEngine, pattern: string, ofQuery: boolean): Pattern | null {
  try {
    return patterns.compile(pattern);
  } catch (error) {
    if (ofQuery || !(error instanceof SpillwayError)) throw error;
    return null;
  }
}

/** In an I-Regexp (RFC 9485) a dot matches no line end. */
function withDots(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]?|\./gs, (found) => (found === '.' ? '[^\\n\\r]' : found));
}

function nodes(run: Evaluation, query: FilterQuery, at: number): IteratorObject<number> {
  return select(run, query, query.from === 'root' ? ROOT : at).filter((node) => node !== PAUSE);
}

function comparable({ tape, meter }: Evaluation, node: number): Comparable {
  const byte = tape.firstByte(node);
  if (byte === 0x7b || byte === 0x5b) return { kind: 'tree', node };
  if (byte === 0x22) {
    meter.spend(((tape.end[node] as number) - (tape.start[node] as number)) / 64);
    return { kind: 'string', value: tape.string(node) };
  }
  if (byte === 0x74 || byte === 0x66) return { kind: 'constant', value: byte === 0x74 };
  return byte === 0x6e ? { kind: 'constant', value: null } : { kind: 'number', written: tape.text(node) };
}

function lengthOf(run: Evaluation, value: Comparable): Comparable {
  if (value?.kind === 'tree') return { kind: 'number', written: String(length(run, value.node)) };
  if (value?.kind !== 'string') return undefined;
  let size = 0;
  for (const _ of value.value) size++;
  run.meter.spend(size / 64);
  return { kind: 'number', written: String(size) };
}

function compare(run: Evaluation, operator: string, left: Comparable, right: Comparable): boolean {
  switch (operator) {
    case '==':
      return equal(run, left, right);
    case '!=':
      return !equal(run, left, right);
    case '<':
      return less(left, right);
    case '>':
      return less(right, left);
    case '<=':
      return less(left, right) || equal(run, left, right);
    default:
      return less(right, left) || equal(run, left, right);
  }
}

function equal(run: Evaluation, left: Comparable, right: Comparable): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left.kind === 'tree' && right.kind === 'tree')
    return equalTrees(run, left.node, right.node, (one, other) =>
      equal(run, comparable(run, one), comparable(run, other)),
    );
  if (left.kind === 'number' && right.kind === 'number') return sameNumber(left.written, right.written);
  return left.kind === right.kind && 'value' in left && 'value' in right && left.value === right.value;
}

function less(left: Comparable, right: Comparable): boolean {
  if (left?.kind === 'number' && right?.kind === 'number') return lessNumber(left.written, right.written);
  // By Unicode scalar values: UTF-8 keeps that order, UTF-16 does not.
  return left?.kind === 'string' && right?.kind === 'string'
    ? Buffer.compare(Buffer.from(left.value), Buffer.from(right.value)) < 0
    : false;
}

/** Numbers by value, long integers exactly, arrays by items, objects by members in any order. */
function sameNumber(one: string, other: string): boolean {
  if (isLong(one) && isLong(other)) return one === other;
  return Number(one) === Number(other);
}

function lessNumber(one: string, other: string): boolean {
  if (!isLong(one) || !isLong(other)) return Number(one) < Number(other);
  const negative = one.startsWith('-');
  if (negative !== other.startsWith('-')) return negative;
  const shorter = one.length === other.length ? one < other : one.length < other.length;
  return one !== other && shorter !== negative;
}

/** JSON writes each integer in one way. */
function isLong(written: string): boolean {
  return written.length > 15 && /^-?\d+$/.test(written);
}

function equalTrees(
  run: Evaluation,
  one: number,
  other: number,
  equal: (one: number, other: number) => boolean,
): boolean {
  const { tape } = run;
  if (one === other) return true;
  if (tape.isArray(one) !== tape.isArray(other)) return false;
  const left = [...children(run, one)];
  const right = [...children(run, other)];
  if (left.length !== right.length) return false;
  if (tape.isArray(one)) return left.every((node, i) => equal(node, right[i] as number));
  const named = new Map(right.map((node) => [tape.name(node), node]));
  return left.every((node) => {
    const twin = named.get(tape.name(node));
    return twin !== undefined && equal(node, twin);
  });
}
