/**
 * How many of the first things something holds of: a binary search, so it must not hold again of
 * anything behind the first that it does not hold of.
 */
export function countWhile(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
