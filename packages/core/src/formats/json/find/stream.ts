/**
 * Simple queries over a part of any size, in one pass and without holding it: child segments with
 * one name, index, slice or wildcard each, nothing counted from the end. At most one container a
 * level is on the way to a match; all others are passed over.
 */

import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { Match, MatchSink } from '../../../model/stored-text.ts';
import { Kind, type TreeSink, type TreeToken } from '../../../table/tree/tree-sink.ts';
import { nameOf, pathLabel, pathStep } from './label.ts';

const QUOTE = Buffer.from('"');

/** Null if the query needs more than one look at the document. */
export function simpleSteps({ segments }: PathQuery): PathSelector[] | null {
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
  /** How many children have begun. */
  children: number;
  /** The key of the child that began last; null in an array. */
  key: Uint8Array | null;
}

/** Is told of every value; looks at those on the way only. */
export class SimpleMatcher implements TreeSink {
  readonly #steps: readonly Step[];
  readonly #matches: MatchSink;
  readonly #levels: Level[] = [];
  /** Containers that are open inside one that is not on the way, itself included. */
  #passing = 0;
  /** The match that is open: what is passed over is it. */
  #match: { readonly of: Match | null } | null = null;

  constructor(steps: readonly PathSelector[], matches: MatchSink) {
    this.#steps = steps.map((selector) => ({
      selector,
      name: Buffer.from(selector.kind === 'name' ? selector.name : ''),
    }));
    this.#matches = matches;
  }

  open(token: TreeToken): void {
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

  /** Whether the child that begins now is on the way. */
  #begins(token: TreeToken): boolean {
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

/** Whether a key as written stands for a name. Without a backslash it is the name itself. */
function standsFor(key: Uint8Array, name: Buffer): boolean {
  return key.includes(0x5c) ? nameOf(quoted(key)) === name.toString() : name.equals(key);
}
