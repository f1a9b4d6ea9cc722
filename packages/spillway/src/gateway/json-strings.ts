/**
 * The bodies of JSON strings, between their quotes, as they arrive: what they say, as bytes (lone surrogates as WTF-8). `plain` tells whether
 * writing it again as JSON.stringify would gives the same bytes, so that the written form need not be kept beside the text.
 */

const SHORT: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};
const WRITTEN: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

export class StringBody {
  /** An escape that is not complete yet, or half a pair. */
  #held = Buffer.alloc(0);
  #high = 0;
  #highWritten: Uint8Array = Buffer.alloc(0);
  #lastByte = 0;
  failed = false;
  /** False once something was written otherwise than JSON.stringify writes it. */
  plain = true;

  /** Bytes that were taken and have not come out yet. */
  get pending(): Uint8Array {
    return this.#high === 0 ? this.#held : Buffer.concat([this.#highWritten, this.#held]);
  }

  /** What these bytes say. */
  push(bytes: Uint8Array): Uint8Array {
    const input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = Buffer.alloc(0);
    // No escape makes more bytes than it takes; a high surrogate held back may add three.
    const out = Buffer.allocUnsafe(input.length + 3);
    let filled = 0;
    let at = 0;
    // A surrogate that is there as bytes would be written as an escape by us.
    if (this.plain && hasSurrogate(this.#lastByte, input)) this.plain = false;
    this.#lastByte = input.at(-1) ?? this.#lastByte;
    while (at < input.length) {
      if (input[at] !== 0x5c) {
        const next = input.indexOf(0x5c, at);
        const to = next === -1 ? input.length : next;
        if (this.#high !== 0) filled = this.#lone(out, filled);
        out.set(input.subarray(at, to), filled);
        filled += to - at;
        at = to;
        continue;
      }
      const length = input[at + 1] === 0x75 ? 6 : 2;
      if (at + length > input.length) {
        this.#held = Buffer.from(input.subarray(at));
        break;
      }
      filled =
        length === 2 ? this.#short(input[at + 1] as number, out, filled) : this.#long(input, at, out, filled);
      at += length;
    }
    return out.subarray(0, filled);
  }

  /** What was held back. */
  finish(): Uint8Array {
    if (this.#held.length > 0) this.failed = true;
    const out = Buffer.allocUnsafe(3);
    return this.#high === 0 ? out.subarray(0, 0) : out.subarray(0, this.#lone(out, 0));
  }

  #short(letter: number, out: Buffer, at: number): number {
    const filled = this.#high === 0 ? at : this.#lone(out, at);
    const byte = SHORT[letter];
    if (byte === undefined) this.failed = true;
    if (letter === 0x2f) this.plain = false;
    out[filled] = byte ?? 0x3f;
    return filled + 1;
  }

  #long(input: Uint8Array, at: number, out: Buffer, filled: number): number {
    const unit = this.#unit(input, at + 2);
    const low = unit >= 0xdc00 && unit <= 0xdfff;
    if (this.#high !== 0 && low) {
      const point = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
      this.#high = 0;
      this.plain = false;
      return writePoint(out, filled, point);
    }
    const from = this.#high === 0 ? filled : this.#lone(out, filled);
    const surrogate = unit >= 0xd800 && unit <= 0xdfff;
    if (!surrogate && (unit >= 0x20 || WRITTEN[unit] !== undefined)) this.plain = false;
    if (surrogate && !low) {
      this.#high = unit;
      this.#highWritten = Buffer.from(input.subarray(at, at + 6));
      return from;
    }
    return writeUnit(out, from, unit);
  }

  /** The four digits of an escape; we would write them in small letters. */
  #unit(input: Uint8Array, at: number): number {
    let unit = 0;
    for (let i = at; i < at + 4; i++) {
      const byte = input[i] as number;
      const letter = byte | 0x20;
      if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
      else if (letter >= 0x61 && letter <= 0x66) {
        if (byte !== letter) this.plain = false;
        unit = unit * 16 + letter - 0x57;
      } else this.failed = true;
    }
    return unit;
  }

  #lone(out: Buffer, at: number): number {
    const unit = this.#high;
    this.#high = 0;
    return writeUnit(out, at, unit);
  }
}

/** Bytes of a text (WTF-8) as JSON.stringify would write them in a string, without the quotes. */
export function written(bytes: Uint8Array): Uint8Array {
  const out: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const lone = byte === 0xed && (bytes[at + 1] ?? 0) >= 0xa0;
    if (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c && !lone) continue;
    out.push(bytes.subarray(from, at));
    const unit = lone ? 0xd000 | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f) : byte;
    out.push(Buffer.from(WRITTEN[unit] ?? `\\u${unit.toString(16).padStart(4, '0')}`));
    if (lone) at += 2;
    from = at + 1;
  }
  out.push(bytes.subarray(from));
  return Buffer.concat(out);
}

function hasSurrogate(before: number, bytes: Uint8Array): boolean {
  if (before === 0xed && (bytes[0] ?? 0) >= 0xa0) return true;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1))
    if ((bytes[at + 1] ?? 0) >= 0xa0) return true;
  return false;
}

/** A character of two units, which has four bytes. */
function writePoint(out: Buffer, at: number, point: number): number {
  out[at] = 0xf0 | (point >> 18);
  out[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  out[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  out[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}

/** One UTF-16 unit as UTF-8; a surrogate as WTF-8. */
function writeUnit(out: Buffer, at: number, unit: number): number {
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
