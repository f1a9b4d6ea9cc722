/**
 * Time stamps at the beginning of lines, so that lines can be compared whenever they were said.
 * Units: bytes.
 */
const TIMESTAMP =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s?|\[\s*\d+\.\d{6}\]\s|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s)/;

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

/**
 * The commonest stamp, `2026-01-31T10:00:00.123Z ` without brackets, by its bytes; 0 if it is
 * another one or none.
 */
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

/** Where the second ends in a stamp; `from` if it tells none. */
export function secondEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at + 8 <= to; at++) {
    const isClock =
      bytes[at + 2] === 0x3a &&
      bytes[at + 5] === 0x3a &&
      areDigits(bytes, at, 2) &&
      areDigits(bytes, at + 3, 2);
    if (isClock && areDigits(bytes, at + 6, 2)) return at + 8;
  }
  const point = bytes.subarray(from, to).indexOf(0x2e);
  return bytes[from] === 0x5b && point > 0 ? from + point : from;
}

/** `2026-01-31T10:00:00.1234567Z `: what a CI system puts before each line, whoever wrote it. */
export function isOfRunner(bytes: Uint8Array, from: number, to: number): boolean {
  return (
    to - from > 21 &&
    isDigit(bytes[from]) &&
    bytes[from + 10] === 0x54 &&
    bytes[from + 19] === 0x2e &&
    bytes[to - 2] === 0x5a &&
    bytes[to - 1] === 0x20
  );
}
