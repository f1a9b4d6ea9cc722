/**
 * Checks a selection against the text it was made from: segments lie end to end, their counts are
 * those of the text, and what is kept comes back byte for byte. Places are bytes of the text.
 */
import assert from 'node:assert/strict';
import type { Selection } from '../../model/selection.ts';
import type { Selector, Share } from '../../model/strategy.ts';
import { measureText } from '../../text/measure.ts';
import { PieceCutter } from '../../text/pieces.ts';
import { decode } from '../../text/utf8.ts';

const GAP = { chars: 80, lines: 2 };

/** Little room, and some. */
export const SHARES: readonly Share[] = [600, 4_000].map((chars) => ({
  chars,
  lines: Number.POSITIVE_INFINITY,
  gap: GAP,
}));

/** Gives a selector all of a text, in chunks of `size` bytes; each is a piece of its own. */
export function offered(selector: Selector, bytes: Uint8Array, size = bytes.length): Selector {
  const cutter = new PieceCutter('text');
  for (let at = 0; at < bytes.length; at += size)
    for (const piece of [...cutter.push(bytes.subarray(at, at + size)), ...cutter.flush()])
      selector.push(piece);
  for (const piece of cutter.finish()) selector.push(piece);
  return selector;
}

export function mustCover(bytes: Uint8Array, selector: Selector, selection: Selection): void {
  let at = 0;
  let lines = 0;
  for (const segment of selection) {
    const { kind, start, end, chars } = segment;
    assert.equal(start, at, 'segments lie end to end');
    const part = bytes.subarray(start, end);
    assert.equal(chars, decode(part).length, 'the chars of a segment are those of its text');
    if (kind === 'keep')
      assert.deepEqual(
        Buffer.from(selector.bytes({ start, end })),
        Buffer.from(part),
        'kept text is the text',
      );
    lines += segment.lines;
    at = end;
  }
  assert.equal(at, bytes.length, 'segments reach the end of the text');
  assert.equal(lines, measureText(decode(bytes)).lines, 'segments have the lines of the text');
}
