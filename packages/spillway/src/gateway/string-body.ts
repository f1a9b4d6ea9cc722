/**
 * The body of a JSON string, between its quotes, as it arrives: what it says, as bytes (lone
 * surrogates as WTF-8), and how it was written (string-runs.ts). Any chunks give the same. Memory:
 * a chunk, and at most eleven bytes that cannot be told yet.
 */
import { BYTE, LETTERS, type Spelling, UNITS } from './spelling.ts';
import {
  CAPITAL,
  casesAt,
  digitAt,
  NO_DIGIT,
  SMALL,
  unitAt,
  writePoint,
  writeUnit,
} from './string-escapes.ts';
import { type Run, SpellingRuns } from './string-runs.ts';

/** Shorter ranges are copied byte by byte: a call costs more. */
const SHORT_RUN = 32;
const LETTER_U = 0x75;
const BACKSLASH = 0x5c;
const NOTHING = Buffer.alloc(0);

export class StringBody {
  failed = false;
  readonly #runs = new SpellingRuns();
  /**
   * The beginning of something that cannot be told yet: an escape, a pair, a character. At most
   * eleven bytes.
   */
  #held: Uint8Array = NOTHING;
  #ending = false;
  #input: Uint8Array = NOTHING;
  #out: Uint8Array = NOTHING;
  #filled = 0;
  /** How much of that is counted already. */
  #counted = 0;

  /** What these bytes say. */
  push(bytes: Uint8Array): Uint8Array {
    this.#runs.written(bytes);
    return this.#decode(this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]));
  }

  /** Nothing follows: what was held back. */
  finish(): Uint8Array {
    this.#ending = true;
    const decoded = this.#decode(this.#held);
    if (this.#held.length > 0) {
      this.failed = true;
      this.#runs.giveUp(this.#held);
    }
    this.#runs.close();
    return decoded;
  }

  /** How it was written, as far as that is known since it was last asked. */
  runs(): readonly Run[] {
    return this.#runs.taken();
  }

  #decode(input: Uint8Array): Uint8Array {
    this.#input = input;
    // Nothing is longer decoded than it is written.
    this.#out = Buffer.allocUnsafe(input.length);
    this.#filled = 0;
    this.#counted = 0;
    let at = 0;
    while (at < input.length) {
      at = this.#asSpelled(at);
      const next = at === input.length ? at : this.#step(at);
      if (next === at) break;
      at = next;
    }
    this.#held = at === input.length ? NOTHING : Buffer.from(input.subarray(at));
    this.#count();
    return this.#out.subarray(0, this.#filled);
  }

  /**
   * Takes what is written as the spelling says and needs no second look: nearly everything, so
   * nothing is called here.
   */
  #asSpelled(from: number): number {
    const input = this.#input;
    const table = this.#runs.table;
    const letters = this.#runs.letters;
    const out = this.#out;
    const other = this.#runs.spelling.digits === 'small' ? CAPITAL : SMALL;
    const isWide = this.#runs.spelling.wide === 'escaped';
    let filled = this.#filled;
    let at = from;
    while (at < input.length) {
      let to = at;
      while (to < input.length && table[input[to] as number] === BYTE.itself) to++;
      if (to - at > SHORT_RUN) {
        out.set(input.subarray(at, to), filled);
        filled += to - at;
        at = to;
      } else while (at < to) out[filled++] = input[at++] as number;
      if (at + 1 >= input.length || input[at] !== BACKSLASH) break;
      const letter = letters[input[at + 1] as number] as number;
      if (letter !== 0) {
        out[filled++] = letter;
        at += 2;
        continue;
      }
      if (!isWide || at + 6 > input.length || input[at + 1] !== LETTER_U) break;
      const first = digitAt(input, at + 2);
      const second = digitAt(input, at + 3);
      const third = digitAt(input, at + 4);
      const fourth = digitAt(input, at + 5);
      // Surrogates begin with D, and what is ASCII with 00.
      if (((first | second | third | fourth) & (other | NO_DIGIT)) !== 0 || (first & 15) === 13) break;
      const unit = ((first & 15) << 12) | ((second & 15) << 8) | ((third & 15) << 4) | (fourth & 15);
      if (unit < 0x80) break;
      if (unit < 0x800) out[filled++] = 0xc0 | (unit >> 6);
      else {
        out[filled++] = 0xe0 | (unit >> 12);
        out[filled++] = 0x80 | ((unit >> 6) & 0x3f);
      }
      out[filled++] = 0x80 | (unit & 0x3f);
      at += 6;
    }
    this.#filled = filled;
    return at;
  }

  /** Takes what begins at a place; the same place if more is needed to tell what that is. */
  #step(at: number): number {
    const kind = this.#runs.table[this.#input[at] as number];
    return kind === BYTE.escape ? this.#escape(at) : this.#look(at);
  }

  /** A byte that this spelling does not write, or that may begin what none writes. */
  #look(at: number): number {
    const byte = this.#input[at] as number;
    if (byte < 0x20) return this.#as(at, at + 1, byte);
    if (byte >= 0x80 && this.#runs.spelling.wide === 'escaped') {
      this.#change(at, { wide: 'plain' });
      // In the other spelling it may be one to look at, too.
      if (this.#runs.table[byte] !== BYTE.itself) return this.#look(at);
    } else if (byte === 0xed || byte === 0xe2) {
      const more = byte === 0xed ? 2 : 3;
      if (at + more > this.#input.length && !this.#ending) return at;
      const second = this.#input[at + 1] ?? 0;
      const third = this.#input[at + 2] ?? 0;
      if (byte === 0xed && second >= 0xa0) return this.#as(at, at + 1, byte);
      if (byte === 0xe2 && second === 0x80 && (third | 1) === 0xa9) this.#change(at, { wide: 'plain' });
    } else if (byte === 0x2f && this.#runs.spelling.slash !== '/') this.#change(at, { slash: '/' });
    else this.#change(at, { long: this.#runs.spelling.long.filter((unit) => unit !== byte) });
    this.#out[this.#filled++] = byte;
    return at + 1;
  }

  #escape(at: number): number {
    const input = this.#input;
    const letter = input[at + 1];
    if (letter === undefined) return at;
    if (letter === LETTER_U) return this.#longEscape(at);
    const unit = UNITS[letter];
    if (unit === undefined) {
      this.failed = true;
      return this.#as(at, at + 2, 0x3f);
    }
    if (unit === 0x2f && this.#runs.spelling.slash === '/') this.#change(at, { slash: '\\/' });
    if (this.#runs.spelling.long.includes(unit))
      this.#change(at, { long: this.#runs.spelling.long.filter((one) => one !== unit) });
    this.#out[this.#filled++] = unit;
    return at + 2;
  }

  #longEscape(at: number): number {
    const input = this.#input;
    if (at + 6 > input.length) return at;
    const unit = unitAt(input, at + 2);
    if (unit === -1) {
      this.failed = true;
      return this.#as(at, at + 6, 0x3f);
    }
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    if (!isHigh) return this.#unit(at, unit);
    const mayPair = at + 12 > input.length && (input[at + 6] ?? BACKSLASH) === BACKSLASH;
    if (mayPair && (input[at + 7] ?? LETTER_U) === LETTER_U && !this.#ending) return at;
    const low =
      at + 12 <= input.length && input[at + 6] === BACKSLASH && input[at + 7] === LETTER_U
        ? unitAt(input, at + 8)
        : -1;
    return low >= 0xdc00 && low < 0xe000 ? this.#pair(at, unit, low) : this.#unit(at, unit);
  }

  #unit(at: number, unit: number): number {
    const { wide, long } = this.#runs.spelling;
    if (unit < 0x80) {
      const needed = unit < 0x20 && LETTERS[unit] === undefined;
      if (!needed && !long.includes(unit)) this.#change(at, { long: [...long, unit] });
    } else if (wide !== 'escaped' && (unit < 0xd800 || unit > 0xdfff)) {
      const separator = unit === 0x2028 || unit === 0x2029;
      if (!separator) this.#change(at, { wide: 'escaped' });
      else if (wide === 'plain') this.#change(at, { wide: 'separators' });
    }
    this.#digits(at, casesAt(this.#input, at + 2));
    this.#filled = writeUnit(this.#out, this.#filled, unit);
    return at + 6;
  }

  #pair(at: number, high: number, low: number): number {
    if (this.#runs.spelling.wide !== 'escaped') this.#change(at, { wide: 'escaped' });
    this.#digits(at, casesAt(this.#input, at + 2) | casesAt(this.#input, at + 8));
    this.#filled = writePoint(this.#out, this.#filled, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    return at + 12;
  }

  /** Holds the digits of the character at a place to the spelling. */
  #digits(at: number, cases: number): void {
    if (cases === 0) return;
    if (cases === (SMALL | CAPITAL)) this.#giveUp(at);
    else if ((cases === SMALL) !== (this.#runs.spelling.digits === 'small'))
      this.#change(at, { digits: cases === SMALL ? 'small' : 'capital' });
  }

  /** Says a byte for something that no spelling writes. */
  #as(at: number, to: number, byte: number): number {
    this.#giveUp(at);
    this.#out[this.#filled++] = byte;
    return to;
  }

  #change(at: number, change: Partial<Spelling>): void {
    this.#count();
    this.#runs.change(change, this.#input.subarray(at));
  }

  #giveUp(at: number): void {
    this.#count();
    this.#runs.giveUp(this.#input.subarray(at));
  }

  /** Adds what came out since it was last counted to the run that is open. */
  #count(): void {
    this.#runs.addDecoded(this.#filled - this.#counted);
    this.#counted = this.#filled;
  }
}
