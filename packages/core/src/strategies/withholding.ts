/** Bytes that are no text: nothing of them is shown, and everything counts. */
import type { Detected } from '../model/content.ts';
import { NOTHING, sum } from '../model/extent.ts';
import type { Format } from '../model/format.ts';
import type { Strategy } from '../model/strategy.ts';
import { isLineStart } from '../text/cut.ts';
import { measure } from '../text/utf8.ts';

/** Fewer bytes are shown as they are: a notice would be longer. */
const LEAST_BYTES = 1_000;

/** What a part is that is not shown; null if it is. */
export function withheldName(
  format: Format | undefined,
  detected: Detected,
  sample: Uint8Array,
): string | null {
  if (sample.length < LEAST_BYTES) return null;
  const name = format?.withheld?.(detected) ?? null;
  return name !== null && measure(sample).illFormed > 0 ? name : null;
}

export const WITHHOLDING: Strategy = {
  name: 'binary',
  start() {
    let total = NOTHING;
    let last: Uint8Array = new Uint8Array(0);
    return {
      push(piece) {
        total = sum(total, piece.extent);
        last = piece.bytes;
      },
      select() {
        const lines = total.breaks + (isLineStart(last, last.length) ? 0 : 1);
        const { bytes: end, chars } = total;
        return [{ kind: 'omit', start: 0, end, chars, lines, firstLine: 1, lastLine: lines }];
      },
      bytes() {
        throw new RangeError('nothing of it was kept');
      },
    };
  },
};
