/**
 * What a query selects (RFC 9535, 2.3 and 2.5), lazily and in the order of the standard, on a
 * document in memory. Of members with the same name each is selected: nothing that is stored is out
 * of reach. A node is its number on the tape; a generator gives `PAUSE` when it has worked for a
 * while without a result.
 */
import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { Meter } from './meter.ts';
import type { JsonTape } from './tape.ts';

export interface Evaluation {
  readonly tape: JsonTape;
  readonly meter: Meter;
  readonly holds: (test: Extract<PathSelector, { kind: 'filter' }>['test'], node: number) => boolean;
}

/** Relative to visiting a value. */
const KEY_STEPS = 0.25;
const HAND_UP_STEPS = 0.25;

export const ROOT = 0;
export const PAUSE = -1;

export function* select(run: Evaluation, query: PathQuery, from: number, depth = 0): Generator<number> {
  const segment = query.segments[depth];
  if (segment === undefined) {
    yield from;
    return;
  }
  const last = depth + 1 === query.segments.length;
  for (const visited of segment.reach === 'child' ? [from] : descend(run, from)) {
    for (const selector of segment.selectors) {
      for (const found of pick(run, selector, visited)) {
        // A result passes through every segment.
        if (last) run.meter.spend(depth * HAND_UP_STEPS);
        if (last || found === PAUSE) yield found;
        else yield* select(run, query, found, depth + 1);
      }
    }
  }
}

/** A value and all containers in it. */
function* descend({ tape, meter }: Evaluation, from: number): Generator<number> {
  yield from;
  const end = tape.after[from] as number;
  for (let node = from + 1; node < end; node++) {
    meter.spend(1);
    if (tape.isContainer(node)) yield node;
  }
}

function pick(run: Evaluation, selector: PathSelector, parent: number): Iterable<number> {
  const { tape } = run;
  switch (selector.kind) {
    case 'name':
      return tape.isContainer(parent) && !tape.isArray(parent) ? named(run, selector.name, parent) : [];
    case 'wildcard':
      return children(run, parent);
    case 'index':
      return tape.isArray(parent) ? indexed(run, selector.index, parent) : [];
    case 'slice':
      return tape.isArray(parent) ? slice(run, selector, parent) : [];
    default:
      return filtered(run, selector.test, parent);
  }
}

function named(run: Evaluation, text: string, parent: number): number[] {
  const name = Buffer.from(text);
  return [...children(run, parent, KEY_STEPS)].filter((node) => run.tape.hasName(node, name));
}

function indexed(run: Evaluation, index: number, parent: number): number[] {
  const wanted = index < 0 ? length(run, parent) + index : index;
  return wanted < 0 ? [] : [...children(run, parent).drop(wanted).take(1)];
}

function* filtered(
  run: Evaluation,
  test: Extract<PathSelector, { kind: 'filter' }>['test'],
  parent: number,
): Generator<number> {
  for (const child of children(run, parent)) {
    if (run.holds(test, child)) yield child;
    else if (run.meter.due) yield PAUSE;
  }
}

export function* children({ tape, meter }: Evaluation, parent: number, steps = 1): Generator<number> {
  if (!tape.isContainer(parent)) return;
  const end = tape.after[parent] as number;
  for (let node = parent + 1; node < end; node = tape.after[node] as number) {
    meter.spend(steps);
    yield node;
  }
}

export function length(run: Evaluation, parent: number): number {
  let size = 0;
  for (const _ of children(run, parent)) size++;
  return size;
}

/** RFC 9535, 2.3.4.2. */
function* slice(
  run: Evaluation,
  { start, end, step }: Extract<PathSelector, { kind: 'slice' }>,
  parent: number,
): Generator<number> {
  if (step === 0) return;
  const size = length(run, parent);
  const normal = (index: number) => (index < 0 ? size + index : index);
  const within = (index: number, least: number, most: number) => Math.min(Math.max(index, least), most);
  const isForward = step > 0;
  const first = isForward
    ? within(normal(start ?? 0), 0, size)
    : within(normal(start ?? size - 1), -1, size - 1);
  const limit = isForward
    ? within(normal(end ?? size), 0, size)
    : end === null
      ? -1
      : within(normal(end), -1, size - 1);
  const isMeant = (index: number) =>
    (isForward ? index >= first && index < limit : index <= first && index > limit) &&
    (index - first) % step === 0;
  const found = children(run, parent).filter((node) => isMeant(run.tape.index[node] as number));
  yield* isForward ? found : [...found].reverse();
}
