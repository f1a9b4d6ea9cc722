/** Where the tokens of valid JSON end. Units: bytes. */

/** Just behind the closing quote. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x5c) at++;
    else if (bytes[at] === 0x22) return at + 1;
  }
  return bytes.length;
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
