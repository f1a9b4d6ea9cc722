/** Escapes of JSON strings, digit by digit, and the bytes of what they name. */

/** Marks beside the value of a digit: which kind of letter it is, or that it is none. */
export const SMALL = 16;
export const CAPITAL = 32;
export const NO_DIGIT = 64;

/** A hexadecimal digit, with a mark for the kind of letter it is, or that it is none. */
export function digitAt(input: Uint8Array, at: number): number {
  const byte = input[at] as number;
  if (byte <= 0x39) return byte >= 0x30 ? byte - 0x30 : NO_DIGIT;
  if (byte >= 0x61 && byte <= 0x66) return (byte - 0x57) | SMALL;
  return byte >= 0x41 && byte <= 0x46 ? (byte - 0x37) | CAPITAL : NO_DIGIT;
}

/** The unit that four digits name; -1 if they are none. */
export function unitAt(input: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = digitAt(input, i);
    if (digit === NO_DIGIT) return -1;
    unit = (unit << 4) | (digit & 15);
  }
  return unit;
}

/** Which letters there are among four digits. */
export function casesAt(input: Uint8Array, at: number): number {
  let cases = 0;
  for (let i = at; i < at + 4; i++) cases |= digitAt(input, i) & (SMALL | CAPITAL);
  return cases;
}

/** A character of two units, which has four bytes. */
export function writePoint(out: Uint8Array, at: number, point: number): number {
  out[at] = 0xf0 | (point >> 18);
  out[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  out[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  out[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}

/** One UTF-16 unit as UTF-8; a surrogate as WTF-8. */
export function writeUnit(out: Uint8Array, at: number, unit: number): number {
  if (unit < 0x80) {
    out[at] = unit;
    return at + 1;
  }
  if (unit < 0x800) {
    out[at] = 0xc0 | (unit >> 6);
    out[at + 1] = 0x80 | (unit & 0x3f);
    return at + 2;
  }
  out[at] = 0xe0 | (unit >> 12);
  out[at + 1] = 0x80 | ((unit >> 6) & 0x3f);
  out[at + 2] = 0x80 | (unit & 0x3f);
  return at + 3;
}
