/**
 * Writes the bytes of a text (WTF-8) as the body of a JSON string, without the quotes, in a
 * spelling; in chunks of any size.
 */
import { BYTE, bytesAsSpelled, LETTERS, longEscape, type Spelling } from './spelling.ts';

export class StringWriter {
  readonly #spelling: Spelling;
  readonly #table: Uint8Array;
  /** The beginning of a character of which more is to come. */
  #held: Uint8Array = Buffer.alloc(0);

  constructor(spelling: Spelling) {
    this.#spelling = spelling;
    this.#table = bytesAsSpelled(spelling);
    this.#table[0x22] = BYTE.look;
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    const out: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; ) {
      if (this.#table[bytes[at] as number] === BYTE.itself) {
        at++;
        continue;
      }
      const length = lengthAt(bytes, at);
      if (at + length > bytes.length) {
        this.#held = Buffer.from(bytes.subarray(at));
        out.push(bytes.subarray(from, at));
        return Buffer.concat(out);
      }
      const written = this.#character(bytes, at, length);
      if (written !== null) {
        out.push(bytes.subarray(from, at), Buffer.from(written));
        from = at + length;
      }
      at += length;
    }
    out.push(bytes.subarray(from));
    return Buffer.concat(out);
  }

  /** Nothing follows: what was held back, as it is. */
  finish(): Uint8Array {
    return this.#held;
  }

  /** Null for a character that stays as it is. */
  #character(bytes: Uint8Array, at: number, length: number): string | null {
    const point = pointAt(bytes, at, length);
    const { wide, slash, long } = this.#spelling;
    if (length === 1 && point >= 0x80) return null;
    if (point < 0x80) {
      if (long.includes(point)) return longEscape(point, this.#spelling);
      if (point === 0x2f) return slash;
      const letter = LETTERS[point];
      return letter === undefined ? longEscape(point, this.#spelling) : `\\${letter}`;
    }
    if (point >= 0x10000) {
      const units = [0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff)];
      return units.map((unit) => longEscape(unit, this.#spelling)).join('');
    }
    const surrogate = point >= 0xd800 && point <= 0xdfff;
    const separator = point === 0x2028 || point === 0x2029;
    const escaped = wide === 'escaped' || surrogate || (wide === 'separators' && separator);
    return escaped ? longEscape(point, this.#spelling) : null;
  }
}

/** How many bytes the character has; one for a byte that is no part of any. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = at + 1; i < Math.min(at + length, bytes.length); i++)
    if (((bytes[i] as number) & 0xc0) !== 0x80) return 1;
  return length;
}

function pointAt(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] as number;
  if (length === 1) return first;
  let point = first & (0xff >> (length + 1));
  for (let i = at + 1; i < at + length; i++) point = (point << 6) | ((bytes[i] as number) & 0x3f);
  return point;
}
