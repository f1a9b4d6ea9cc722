/**
 * Whether a line says nothing: white space alone, or behind a line number (` 12→`, `12\t`, `12:`).
 */
const ARROW = [0xe2, 0x86, 0x92] as const;
const NUMBER_ENDS = new Set([0x09, 0x3a, 0x7c]);

/** The line is `bytes[from … to]`, its end included. */
export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  const at = skipWhite(bytes, from, to);
  if (at === to) return true;
  const after = afterNumber(bytes, at, to);
  return after !== null && skipWhite(bytes, after, to) === to;
}

/** Null if there is none. */
function afterNumber(bytes: Uint8Array, from: number, to: number): number | null {
  let at = from;
  while (at < to && isDigit(bytes[at] as number)) at++;
  if (at === from || at === to) return null;
  if (NUMBER_ENDS.has(bytes[at] as number)) return at + 1;
  return ARROW.every((byte, i) => bytes[at + i] === byte) ? at + ARROW.length : null;
}

function skipWhite(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] as number) <= 0x20) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
