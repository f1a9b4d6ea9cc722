/**
 * Terminal escape sequences as ECMA-48 has them: CSI (`ESC [ … letter`), control strings such as
 * OSC (`ESC ] … BEL` or `ESC ] … ESC \`), and short ones (`ESC ( B`, `ESC 7`). No sequence goes
 * over a line end, and none is longer than `MOST_ESCAPE_BYTES`: of anything longer, and of a string
 * without its end, only the first two bytes count as the sequence, so that no text can hide behind
 * it. Units: bytes.
 */
export const ESC = 0x1b;
const MOST_ESCAPE_BYTES = 4_096;
const MOST_CSI_BYTES = 256;
const MOST_SHORT_BYTES = 4;
const BEL = 0x07;
const BACKSLASH = 0x5c;

/** `to`: the end of the text; a sequence cut off there ends there. */
export function escapeEnd(bytes: Uint8Array, at: number, to: number = bytes.length): number {
  const kind = bytes[at + 1] ?? 0;
  if (at + 1 >= to) return to;
  if (kind === 0x5b) return csiEnd(bytes, at, to);
  if (isString(kind)) return stringEnd(bytes, at, to);
  if (kind >= 0x20 && kind <= 0x2f) return shortEnd(bytes, at, to);
  return kind >= 0x30 && kind <= 0x7e ? at + 2 : at + 1;
}

/** Returns to the first column, erases the line, or erases to the right. */
export function effectOf(
  bytes: Uint8Array,
  at: number,
  end: number,
): 'home' | 'erase' | 'erase right' | 'none' {
  if (bytes[at + 1] !== 0x5b || end - at > 4) return 'none';
  const last = bytes[end - 1];
  const digit = end - at === 4 ? (bytes[at + 2] as number) - 0x30 : end - at === 3 ? null : -1;
  if (last === 0x47) return digit === null || digit === 0 || digit === 1 ? 'home' : 'none';
  if (last === 0x4b && digit === 2) return 'erase';
  if (last === 0x4b || last === 0x4a) return digit === null || digit === 0 ? 'erase right' : 'none';
  return 'none';
}

/** What follows is drawn over it. */
export function isFrameEnd(bytes: Uint8Array, at: number, end: number): boolean {
  const does = effectOf(bytes, at, end);
  return does === 'home' || does === 'erase';
}

export function escapeAround(bytes: Uint8Array, at: number): { start: number; end: number } | null {
  const start = escapeBefore(bytes, at);
  if (start === -1) return null;
  const end = escapeEnd(bytes, start);
  if (end <= at) return null;
  // `ESC \` ends a string that begins further up.
  const opening = bytes[start + 1] === BACKSLASH ? escapeBefore(bytes, start) : -1;
  return opening !== -1 && escapeEnd(bytes, opening) === end ? { start: opening, end } : { start, end };
}

/** -1 if there is none. */
function escapeBefore(bytes: Uint8Array, at: number): number {
  if (at <= 0) return -1;
  const from = Math.max(0, at - MOST_ESCAPE_BYTES);
  const found = bytes.subarray(from, at).lastIndexOf(ESC);
  return found === -1 ? -1 : from + found;
}

/** OSC, DCS, SOS, PM and APC. */
function isString(kind: number): boolean {
  return kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f;
}

function csiEnd(bytes: Uint8Array, at: number, to: number): number {
  const most = Math.min(to, at + MOST_CSI_BYTES);
  let end = at + 2;
  while (end < most && (bytes[end] as number) >= 0x20 && (bytes[end] as number) <= 0x3f) end++;
  if (end === to) return to;
  if (end === most) return at + 2;
  const last = bytes[end] as number;
  return last >= 0x40 && last <= 0x7e ? end + 1 : end;
}

function stringEnd(bytes: Uint8Array, at: number, to: number): number {
  const most = Math.min(to, at + MOST_ESCAPE_BYTES);
  for (let end = at + 2; end < most; end++) {
    const byte = bytes[end] as number;
    if (byte === BEL) return end + 1;
    if (byte === ESC && bytes[end + 1] === BACKSLASH && end + 1 < most) return end + 2;
    if (byte === ESC || byte === 0x0a || byte === 0x0d || byte === 0x18 || byte === 0x1a) break;
  }
  return at + 2;
}

function shortEnd(bytes: Uint8Array, at: number, to: number): number {
  const most = Math.min(to, at + MOST_SHORT_BYTES);
  let end = at + 1;
  while (end < most && (bytes[end] as number) >= 0x20 && (bytes[end] as number) <= 0x2f) end++;
  if (end === most) return end;
  const last = bytes[end] as number;
  return last >= 0x30 && last <= 0x7e ? end + 1 : end;
}
