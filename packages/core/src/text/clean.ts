/**
 * Formatting that a reader does without: terminal escapes, and a time stamp that stands before nearly every line. Nothing is changed: the
 * ranges that may be left out are found, in bytes of one line.
 */
export interface CleanRange {
  readonly from: number;
  readonly to: number;
  readonly why: 'ansi' | 'timestamp';
}

const ESC = 0x1b;
const BEL = 0x07;
/** CSI, OSC and two-byte escapes, with stand-ins for ESC and BEL. */
const ESCAPE = /\uE01B\[[0-?]*[ -/]*[@-~]|\uE01B\][^\uE007\uE01B]*(?:\uE007|\uE01B\\)|\uE01B[@-Z\\-_]/g;
const TIMESTAMP =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s?|\[\s*\d+\.\d{6}\]\s|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s)/;

/** The terminal escapes of a line. */
export function escapesIn(line: Uint8Array): CleanRange[] {
  if (!line.includes(ESC)) return [];
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
    .toString('latin1')
    .replaceAll(String.fromCharCode(ESC), '\uE01B')
    .replaceAll(String.fromCharCode(BEL), '\uE007');
  return [...text.matchAll(ESCAPE)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    why: 'ansi',
  }));
}

/** Chars of the time stamp that a line begins with; 0 if there is none. */
export function timestampLength(line: string): number {
  return TIMESTAMP.exec(line.slice(0, 60))?.[0].length ?? 0;
}
