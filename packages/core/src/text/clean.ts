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
/** CSI, OSC and two-byte escapes, also one that is cut off at the end, with stand-ins for ESC and BEL. */
const ESCAPE =
  /\uE01B\[[0-?]*[ -/]*[@-~]|\uE01B\][^\uE007\uE01B]*(?:\uE007|\uE01B\\)|\uE01B[@-Z\\-_]|\uE01B(?:\[[0-?]*[ -/]*|\][^\uE007\uE01B]{0,200})?$/g;
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

/** What of some lines is formatting: escapes, and (`stamps`) the time stamps of lines that begin here. */
export function formattingIn(
  bytes: Uint8Array,
  { stamps, lineStart }: { readonly stamps: boolean; readonly lineStart: boolean },
): CleanRange[] {
  const escapes = escapesIn(bytes);
  if (!stamps) return escapes;
  const ranges: CleanRange[] = [];
  for (let at = lineStart ? 0 : afterBreak(bytes, 0); at < bytes.length; at = afterBreak(bytes, at)) {
    const length = stampBytes(bytes, at, bytes.length);
    if (length > 0) ranges.push({ from: at, to: at + length, why: 'timestamp' });
  }
  return [...ranges, ...escapes].sort((a, b) => a.from - b.from);
}

/** Where the next line begins. */
function afterBreak(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 0x0a || (bytes[at] === 0x0d && bytes[at + 1] !== 0x0a)) return at + 1;
  }
  return bytes.length;
}

/** Bytes of the time stamp that a line begins with; 0 if there is none. */
export function stampBytes(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  const first = bytes[at];
  if (first === undefined || at >= to || !(first === 0x5b || (first >= 0x30 && first <= 0x39))) return 0;
  const length = dateTimeBytes(bytes, at, to);
  if (length > 0) return at + length - from;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(to - from, 60)).toString(
    'latin1',
  );
  return TIMESTAMP.exec(start)?.[0].length ?? 0;
}

/** The commonest stamp, `2026-01-31T10:00:00.123Z ` without brackets, by its bytes; 0 if it is another one or none. */
function dateTimeBytes(bytes: Uint8Array, from: number, to: number): number {
  const isDateTime =
    from + 19 <= to &&
    bytes[from + 4] === 0x2d &&
    bytes[from + 7] === 0x2d &&
    (bytes[from + 10] === 0x54 || bytes[from + 10] === 0x20) &&
    bytes[from + 13] === 0x3a &&
    bytes[from + 16] === 0x3a &&
    areDigits(bytes, from, 4) &&
    areDigits(bytes, from + 5, 2) &&
    areDigits(bytes, from + 8, 2) &&
    areDigits(bytes, from + 11, 2) &&
    areDigits(bytes, from + 14, 2) &&
    areDigits(bytes, from + 17, 2);
  if (!isDateTime) return 0;
  let at = from + 19;
  if (at + 1 < to && (bytes[at] === 0x2e || bytes[at] === 0x2c) && isDigit(bytes[at + 1])) {
    at++;
    while (at < to && isDigit(bytes[at])) at++;
  }
  // Other zones are left to the general way.
  if (bytes[at] === 0x5a) at++;
  return at < to && bytes[at] === 0x20 ? at + 1 - from : 0;
}

function areDigits(bytes: Uint8Array, from: number, count: number): boolean {
  for (let at = from; at < from + count; at++) if (!isDigit(bytes[at])) return false;
  return true;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
