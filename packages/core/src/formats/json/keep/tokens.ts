/** Where the tokens of valid JSON end. Units: bytes. */

/** Just behind the closing quote. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  for (let at = from + 1; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) return at + 1;
    if (byte === 0x5c) at++;
  }
  return end;
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** Just behind a number or literal. */
export function scalarEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d) break;
    at++;
  }
  return at;
}

/** Where the value of a member begins that begins with its key at `from`. */
export function memberValue(bytes: Uint8Array, from: number): number {
  return skipSpace(bytes, skipSpace(bytes, stringEnd(bytes, from)) + 1);
}
