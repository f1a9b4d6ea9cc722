/**
 * Simple queries over a part of any size, in one pass and without holding it: child segments with
 * one name, index, slice or wildcard each, nothing counted from the end. At most one container a
 * level is on the way to a match; all others are passed over.
 */

import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { Match, MatchSink } from '../../../model/stored-text.ts';
import { nameOf, pathLabel, pathStep } from './label.ts';
import type { OutlineSink } from './outline.ts';

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

export class SimpleMatcher implements OutlineSink {
  readonly #steps: readonly Step[];
  readonly #matches: MatchSink;
  readonly #levels: Level[] = [];
  #key: Uint8Array | null = null;
  /** Whether the value that was begun last is told of inside, and whether it is a match. */
  #match: Match | null = null;
  #matching = false;
  #inside = false;

  constructor(steps: readonly PathSelector[], matches: MatchSink) {
    this.#steps = steps.map((selector) => ({
      selector,
      name: Buffer.from(selector.kind === 'name' ? selector.name : ''),
    }));
    this.#matches = matches;
  }

  key(raw: Uint8Array): void {
    this.#key = raw;
  }

  begin(at: number, firstByte: number): boolean {
    const level = this.#levels.at(-1);
    const selected = level === undefined || this.#enters(level);
    const isArray = firstByte === 0x5b;
    this.#inside = selected && this.#levels.length < this.#steps.length && (isArray || firstByte === 0x7b);
    this.#matching = selected && this.#levels.length === this.#steps.length;
    if (this.#matching) this.#match = this.#matches.begin(at, () => this.#label());
    if (this.#inside) this.#levels.push({ isArray, children: 0, key: null });
    return this.#inside;
  }

  end(at: number): void {
    if (this.#matching) this.#matches.end(this.#match, at);
    else if (this.#inside) this.#levels.pop();
    // What was passed over has ended; the container around it is told of.
    this.#matching = false;
    this.#inside = this.#levels.length > 0;
  }

  /** Whether the child of the container that begins now is on the way. */
  #enters(level: Level): boolean {
    const index = level.children++;
    level.key = level.isArray ? null : this.#key;
    const step = this.#steps[this.#levels.length - 1];
    if (step === undefined) return false;
    if (step.selector.kind === 'wildcard') return true;
    if (step.selector.kind !== 'name') return level.isArray && holds(step.selector, index);
    return level.key !== null && standsFor(level.key, step.name);
  }

  #label(): string {
    return pathLabel(
      this.#levels.map(({ key, children }) => pathStep(key === null ? children - 1 : nameOf(key))),
    );
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

/** Whether a key with its quotes stands for a name. Without a backslash it is the name itself. */
function standsFor(key: Uint8Array, name: Buffer): boolean {
  if (key.includes(0x5c)) return nameOf(key) === name.toString();
  return key.length === name.length + 2 && name.equals(key.subarray(1, -1));
}
