/** Which bytes are blanks, and which may stand in a name. All bytes that are not ASCII may. */

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}

/** Letters, digits, `.`, `-`, `_`, `:` and all that is not ASCII. */
export function isNameByte(byte: number): boolean {
  return isNameStart(byte) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e;
}

export function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
