/**
 * How text is measured. Everything Spillway counts is one of three things, always together: bytes
 * as stored, `chars` as a JavaScript string counts them (UTF-16 units of the decoded text), and
 * `breaks`, the number of line ends (LF, CRLF or CR; CRLF is one). A line range is breaks plus one.
 */
export interface Extent {
  /** Bytes as stored. */
  readonly bytes: number;
  /** UTF-16 units of the decoded text. */
  readonly chars: number;
  /** Line ends. */
  readonly breaks: number;
}

/** A run of bytes of one stored part: from `start` up to but not including `end`. */
export interface ByteRange {
  /** The first byte. */
  readonly start: number;
  /** The byte behind the last. */
  readonly end: number;
}

export const NOTHING: Extent = { bytes: 0, chars: 0, breaks: 0 };

export function sum(a: Extent, b: Extent): Extent {
  return { bytes: a.bytes + b.bytes, chars: a.chars + b.chars, breaks: a.breaks + b.breaks };
}
