/** Orders in which units are tried: outermost first, and from both ends while there is room. */
import type { UnitChoice } from '../../model/line-grammar.ts';

/** 1st, last, 2nd, second last …, up to these numbers. */
export function outerFirst(indices: readonly number[], first: number, last: number): number[] {
  const order: number[] = [];
  for (let i = 0; i < Math.max(first, last); i++) {
    const head = indices[i];
    const tail = indices[indices.length - 1 - i];
    if (i < first && head !== undefined) order.push(head);
    if (i < last && tail !== undefined) order.push(tail);
  }
  return [...new Set(order)];
}

/** Larger units may be skipped when filling from an end. */
const LARGE = 0.25;

/** The head gets `headRatio`, until nothing more fits. */
export function fillEnds(choice: UnitChoice, indices: readonly number[], headRatio: number): void {
  let head = 0;
  let tail = indices.length - 1;
  let headChars = 0;
  let tailChars = 0;
  let headOpen = true;
  let tailOpen = true;
  while (head <= tail && (headOpen || tailOpen)) {
    const fromHead = headOpen && (!tailOpen || headChars * (1 - headRatio) <= tailChars * headRatio);
    const index = indices[fromHead ? head++ : tail--] ?? 0;
    const chars = choice.units[index]?.chars ?? 0;
    if (choice.add([index])) {
      if (fromHead) headChars += chars;
      else tailChars += chars;
    } else if (chars <= choice.share.chars * LARGE) {
      if (fromHead) headOpen = false;
      else tailOpen = false;
    }
  }
}

/** One of each list per round; ends when a round adds nothing. */
export function inTurns<T>(lists: readonly (readonly T[])[], add: (one: T) => boolean): void {
  let open = lists.filter((list) => list.length > 0);
  for (let round = 0; open.length > 0; round++) {
    let added = false;
    for (const list of open) {
      const one = list[round];
      if (one !== undefined && add(one)) added = true;
    }
    if (!added) return;
    open = open.filter((list) => list.length > round + 1);
  }
}
