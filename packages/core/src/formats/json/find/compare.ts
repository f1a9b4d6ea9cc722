/**
 * Comparing what JSON says: numbers by value, long integers exactly, arrays by their items, objects
 * by their members in any order.
 */
import { children, type Evaluation, length, type Spot } from './query.ts';

export function sameNumber(one: string, other: string): boolean {
  if (isLong(one) && isLong(other)) return one === other;
  return Number(one) === Number(other);
}

export function lessNumber(one: string, other: string): boolean {
  if (!isLong(one) || !isLong(other)) return Number(one) < Number(other);
  const negative = one.startsWith('-');
  if (negative !== other.startsWith('-')) return negative;
  const shorter = one.length === other.length ? one < other : one.length < other.length;
  return one !== other && shorter !== negative;
}

/** An integer that a double may not hold. JSON writes each in one way. */
function isLong(written: string): boolean {
  return written.length > 15 && /^-?\d+$/.test(written);
}

export function equalTrees(
  run: Evaluation,
  one: number,
  other: number,
  equal: (one: number, other: number) => boolean,
): boolean {
  const { tape } = run;
  if (one === other) return true;
  if (tape.isArray(one) !== tape.isArray(other)) return false;
  const left = [...children(run, at(one))];
  if (left.length !== length(run, other)) return false;
  const right = [...children(run, at(other))];
  if (tape.isArray(one)) return left.every(({ node }, i) => equal(node, right[i]?.node ?? 0));
  const named = new Map(right.map(({ node }) => [tape.name(node), node]));
  return left.every(({ node }) => {
    const twin = named.get(tape.name(node));
    return twin !== undefined && equal(node, twin);
  });
}

function at(node: number): Spot {
  return { node, index: -1, up: null };
}
