/**
 * What a query selects (RFC 9535, 2.3 and 2.5), lazily and in the order of the standard, on a
 * document in memory. Of members with the same name each is selected: nothing that is stored is out
 * of reach. A generator gives null when it has worked for a while without a result.
 */
import type { PathQuery, PathSelector } from '../../../model/path.ts';
import { pathLabel, pathStep } from './label.ts';
import type { Meter } from './meter.ts';
import type { JsonTape } from './tape.ts';

export interface Spot {
  readonly node: number;
  /** Position in an array; -1 for members and the root. */
  readonly index: number;
  readonly up: Spot | null;
}

export interface Evaluation {
  readonly tape: JsonTape;
  readonly meter: Meter;
  readonly holds: (test: Extract<PathSelector, { kind: 'filter' }>['test'], at: Spot) => boolean;
}

/** Relative to visiting a value. */
const KEY_STEPS = 0.25;
const HAND_UP_STEPS = 0.25;

export const ROOT: Spot = { node: 0, index: -1, up: null };

export function* select(run: Evaluation, query: PathQuery, from: Spot, depth = 0): Generator<Spot | null> {
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
        if (last || found === null) yield found;
        else yield* select(run, query, found, depth + 1);
      }
    }
  }
}

export function labelOf(tape: JsonTape, spot: Spot): string {
  const steps: string[] = [];
  for (let at: Spot | null = spot; at?.up != null; at = at.up)
    steps.push(pathStep(at.index < 0 ? tape.name(at.node) : at.index));
  return pathLabel(steps.reverse());
}

function* descend({ tape, meter }: Evaluation, from: Spot): Generator<Spot> {
  const end = tape.after[from.node] as number;
  const open: { spot: Spot; children: number }[] = [{ spot: from, children: 0 }];
  yield from;
  for (let node = from.node + 1; node < end; node++) {
    meter.spend(1);
    while ((tape.after[open.at(-1)?.spot.node ?? 0] as number) <= node) open.pop();
    const parent = open.at(-1);
    if (parent === undefined) return;
    const index = tape.isArray(parent.spot.node) ? parent.children++ : -1;
    if (!tape.isArray(node) && !tape.isObject(node)) continue;
    const spot = { node, index, up: parent.spot };
    open.push({ spot, children: 0 });
    yield spot;
  }
}

function pick(run: Evaluation, selector: PathSelector, parent: Spot): Iterable<Spot | null> {
  const { tape } = run;
  switch (selector.kind) {
    case 'name':
      return tape.isObject(parent.node) ? named(run, selector.name, parent) : [];
    case 'wildcard':
      return children(run, parent);
    case 'index':
      return tape.isArray(parent.node) ? indexed(run, selector.index, parent) : [];
    case 'slice':
      return tape.isArray(parent.node) ? slice(run, selector, parent) : [];
    default:
      return filtered(run, selector.test, parent);
  }
}

/** Looking at keys creates no spots. */
function named({ tape, meter }: Evaluation, text: string, parent: Spot): Spot[] {
  const name = Buffer.from(text);
  const end = tape.after[parent.node] as number;
  const found: Spot[] = [];
  for (let node = parent.node + 1; node < end; node = tape.after[node] as number) {
    meter.spend(KEY_STEPS);
    if (tape.hasName(node, name)) found.push({ node, index: -1, up: parent });
  }
  return found;
}

function indexed(run: Evaluation, index: number, parent: Spot): Spot[] {
  const { tape, meter } = run;
  const wanted = index < 0 ? length(run, parent.node) + index : index;
  const end = tape.after[parent.node] as number;
  let node = parent.node + 1;
  let at = 0;
  for (; node < end && at < wanted; node = tape.after[node] as number) at++;
  meter.spend(at);
  return node < end && at === wanted ? [{ node, index: at, up: parent }] : [];
}

function* filtered(
  run: Evaluation,
  test: Extract<PathSelector, { kind: 'filter' }>['test'],
  parent: Spot,
): Generator<Spot | null> {
  for (const child of children(run, parent)) {
    if (run.holds(test, child)) yield child;
    else if (run.meter.due) yield null;
  }
}

export function* children({ tape, meter }: Evaluation, parent: Spot): Generator<Spot> {
  const isArray = tape.isArray(parent.node);
  if (!isArray && !tape.isObject(parent.node)) return;
  const end = tape.after[parent.node] as number;
  let index = 0;
  for (let node = parent.node + 1; node < end; node = tape.after[node] as number) {
    meter.spend(1);
    yield { node, index: isArray ? index++ : -1, up: parent };
  }
}

export function length({ tape, meter }: Evaluation, parent: number): number {
  const end = tape.after[parent] as number;
  let size = 0;
  for (let node = parent + 1; node < end; node = tape.after[node] as number) size++;
  meter.spend(size);
  return size;
}

/** RFC 9535, 2.3.4.2. */
function* slice(
  run: Evaluation,
  { start, end, step }: Extract<PathSelector, { kind: 'slice' }>,
  parent: Spot,
): Generator<Spot> {
  if (step === 0) return;
  const size = length(run, parent.node);
  const normal = (index: number) => (index < 0 ? size + index : index);
  const within = (index: number, least: number, most: number) => Math.min(Math.max(index, least), most);
  if (step > 0) {
    const lower = within(normal(start ?? 0), 0, size);
    const upper = within(normal(end ?? size), 0, size);
    for (const child of children(run, parent))
      if (child.index >= lower && child.index < upper && (child.index - lower) % step === 0) yield child;
    return;
  }
  const upper = within(normal(start ?? size - 1), -1, size - 1);
  const lower = end === null ? -1 : within(normal(end), -1, size - 1);
  const kept: Spot[] = [];
  for (const child of children(run, parent))
    if (child.index <= upper && child.index > lower && (upper - child.index) % -step === 0) kept.push(child);
  yield* kept.reverse();
}
