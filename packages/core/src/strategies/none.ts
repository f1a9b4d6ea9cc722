/** Keeps everything. The one strategy that no cap bounds; it is never chosen by detection. */
import type { Strategy } from '../model/strategy.ts';
import { Ends } from './ends.ts';

export const none: Strategy = {
  name: 'none',
  start() {
    const ends = new Ends(Number.POSITIVE_INFINITY);
    return {
      push: (piece) => ends.push(piece),
      bytes: (range) => ends.bytes(range),
      select() {
        const { bytes, chars, breaks } = ends.total;
        const open = bytes > 0 && !endsWithBreak(ends.bytes({ start: bytes - 1, end: bytes }));
        return bytes === 0
          ? []
          : [{ kind: 'keep', start: 0, end: bytes, chars, lines: breaks + (open ? 1 : 0) }];
      },
    };
  },
};

function endsWithBreak(last: Uint8Array): boolean {
  return last[0] === 10 || last[0] === 13;
}
