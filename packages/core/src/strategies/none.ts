/** Keeps everything. The one strategy that no cap bounds; it is never chosen by detection. */
import type { Strategy } from '../model/strategy.ts';
import { Ends, linesOf } from './ends.ts';

export const none: Strategy = {
  name: 'none',
  start() {
    const ends = new Ends(Number.POSITIVE_INFINITY);
    return {
      push: (piece) => ends.push(piece),
      bytes: (range) => ends.bytes(range),
      select() {
        const { bytes, chars } = ends.total;
        return bytes === 0 ? [] : [{ kind: 'keep', start: 0, end: bytes, chars, lines: linesOf(ends) }];
      },
    };
  },
};
