/**
 * Checks a selection against the text it was made from: segments lie end to end, their counts are
 * those of the text, and what is kept comes back byte for byte. Places are bytes of the text.
 */
import assert from 'node:assert/strict';
import type { PartText, Selected, Share } from '../../model/strategy.ts';
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

/** What is kept of a text that arrives in chunks of `size` bytes; each is a piece of its own. */
export function selectedOf(part: PartText, bytes: Uint8Array, share: Share, size = bytes.length): Selected {
  const cutter = new PieceCutter('text');
  for (let at = 0; at < bytes.length; at += size)
    for (const piece of [...cutter.push(bytes.subarray(at, at + size)), ...cutter.flush()]) part.push(piece);
  for (const piece of cutter.finish()) part.push(piece);
  return part.select(share);
}

export function mustCover(bytes: Uint8Array, { selection, texts, error }: Selected): void {
  assert.equal(error, null, 'the format does not throw');
  let at = 0;
  let lines = 0;
  selection.forEach((segment, i) => {
    const { kind, start, end, chars } = segment;
    assert.equal(start, at, 'segments lie end to end');
    const text = decode(bytes.subarray(start, end));
    assert.equal(chars, text.length, 'the chars of a segment are those of its text');
    if (kind === 'keep') assert.equal(texts[i], text, 'kept text is the text');
    lines += segment.lines;
    at = end;
  });
  assert.equal(at, bytes.length, 'segments reach the end of the text');
  assert.equal(lines, measureText(decode(bytes)).lines, 'segments have the lines of the text');
}
