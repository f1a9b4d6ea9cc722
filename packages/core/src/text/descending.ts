/**
 * The places of numbers, the largest number first; of equal ones the last. A merge sort over flat
 * arrays: no function is called for a comparison.
 */
export function descending(numbers: Float64Array): Uint32Array {
  const { length } = numbers;
  let from = new Uint32Array(length);
  let to = new Uint32Array(length);
  for (let i = 0; i < length; i++) from[i] = length - 1 - i;
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(middle + run, length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at++) {
        const isLeft =
          left < middle &&
          (right >= end ||
            (numbers[from[left] as number] as number) >= (numbers[from[right] as number] as number));
        to[at] = from[isLeft ? left++ : right++] as number;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
