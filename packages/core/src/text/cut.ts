/**
 * Where a text may be cut. Never inside a character, an escape sequence or a CRLF, and never inside
 * a grapheme (an emoji family, a flag, a letter with its marks) unless the grapheme is longer than
 * the window looked at. Positions are bytes.
 */
import { escapeAround } from './escapes.ts';
import { advance, byte, characterStart, decode, measure } from './utf8.ts';

const WINDOW_BYTES = 96;
const LF = 10;
const CR = 13;

export function cutBefore(bytes: Uint8Array, at: number): number {
  return escapeAround(bytes, at)?.start ?? graphemeAround(bytes, at).start;
}

export function cutAfter(bytes: Uint8Array, at: number): number {
  return escapeAround(bytes, at)?.end ?? graphemeAround(bytes, at).end;
}

/** The last line end in (`from`, `to`]: a place just behind LF, CRLF or CR. */
export function lineEndBefore(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = Math.min(to, bytes.length); at > from; at--) if (isLineStart(bytes, at)) return at;
  return undefined;
}

/** The first line start in [`from`, `to`]. */
export function lineStartAfter(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at <= to && at < bytes.length; at++) if (isLineStart(bytes, at)) return at;
  return undefined;
}

/** The last place in (`from`, `to`] just behind a space: where a word has ended. */
export function wordEndBefore(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = Math.min(to, bytes.length); at > from; at--) {
    const before = bytes[at - 1];
    if (before === 0x20 || before === 0x09) return at;
  }
  return undefined;
}

/** Whether a line begins at `at`; `at` > 0. */
export function isLineStart(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  return before === LF || (before === CR && bytes[at] !== LF);
}

let segmenter: Intl.Segmenter | undefined;

/** Empty if a cut at `at` is safe. */
function graphemeAround(bytes: Uint8Array, at: number): { start: number; end: number } {
  const before = byte(bytes, at - 1);
  const after = byte(bytes, at);
  if (before < 0x80 && after < 0x80 && !(before === CR && after === LF)) return { start: at, end: at };
  const start = characterStart(bytes, at);
  const from = characterStart(bytes, Math.max(0, at - WINDOW_BYTES));
  const to = characterStart(bytes, Math.min(bytes.length, at + WINDOW_BYTES));
  const window = bytes.subarray(from, to);
  const index = measure(bytes, from, start).chars;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const found = segmenter.segment(decode(window)).containing(index);
  if (found === undefined) return { start: at, end: at };
  if (found.index === index && start === at) return { start: at, end: at };
  return {
    start: from + advance(window, 0, found.index).bytes,
    end: from + advance(window, 0, found.index + found.segment.length).bytes,
  };
}
