/**
 * A strict JSON scanner (RFC 8259) over bytes in any chunking: no values, no recursion, a few bytes
 * of memory per level of nesting, and a ceiling on the levels (a megabyte of brackets is no
 * document). It tells where the children of one watched container begin and where that container
 * closes; everything else it only checks. Bytes above 0x7F are taken inside strings as they are.
 * Positions are bytes from the start of the text.
 */

import { BitStack } from '../../text/bit-stack.ts';
import { isEscaped, isHex, plainEnd, scalarEnd } from './scalar-end.ts';

export interface JsonHooks {
  /** A child of the watched container begins: an element, or a member with its key. */
  child(at: number): void;
  /** The watched container closes; `at` is its bracket. */
  close(at: number): void;
  /** A value at the top is over, just before `at`. */
  valueEnd(at: number): void;
}

/** What is expected next. */
const AT = {
  value: 0,
  firstItem: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  after: 5,
  string: 6,
  escape: 7,
  hex: 8,
  number: 9,
  literal: 10,
  end: 11,
} as const;

/** States of a number: what has been read of it. */
const NUMBER = { minus: 0, zero: 1, integer: 2, point: 3, fraction: 4, e: 5, sign: 6, exponent: 7 } as const;
const MAY_END = [false, true, true, false, true, false, false, true];

/** Deeper nesting is taken for broken: memory must not grow with a text of brackets. */
const MOST_LEVELS = 200_000;

export class JsonScanner {
  readonly #hooks: JsonHooks;
  readonly #many: boolean;
  #state: number = AT.value;
  /** One bit a level: set for an array. */
  readonly #arrays = new BitStack();
  #watch = -1;
  #number = 0;
  #hexLeft = 0;
  #literal = '';
  #literalAt = 0;
  #isKey = false;
  #started = false;
  #position = 0;
  failure: string | null = null;
  /** Where it failed, or as far as it has come. */
  get position(): number {
    return this.#position;
  }

  /** With `many`, several values may follow each other, separated by white space. */
  constructor(hooks: JsonHooks, many: boolean) {
    this.#hooks = hooks;
    this.#many = many;
  }

  get depth(): number {
    return this.#arrays.length;
  }

  /** Whether the innermost open container is an array; meaningless at the top. */
  get inArray(): boolean {
    return this.#arrays.top;
  }

  /** Whether a string, number or literal is open. */
  get inScalar(): boolean {
    return this.#state >= AT.string && this.#state <= AT.literal;
  }

  /** Watches the container at that depth (1 is the outermost), 0 the values at the top. */
  watch(depth: number): void {
    this.#watch = depth;
  }

  push(bytes: Uint8Array): void {
    if (this.failure !== null) return;
    let at = 0;
    const base = this.#position;
    if (base === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
    while (at < bytes.length && this.failure === null)
      at = this.inScalar ? this.#step(bytes, at, base) : this.#tokens(bytes, at, base);
    this.#position = base + at;
  }

  /** Nothing follows. */
  finish(): void {
    if (this.failure !== null) return;
    if (this.#state === AT.number && MAY_END[this.#number] === true) this.#scalarOver(this.#position);
    const over =
      this.#state === AT.end || (this.#many && this.#state === AT.value && this.#arrays.length === 0);
    if (!over || !this.#started) this.failure = 'the text ends too early';
  }

  #step(bytes: Uint8Array, from: number, base: number): number {
    switch (this.#state) {
      case AT.string:
        return this.#inString(bytes, from, base);
      case AT.escape:
        return this.#inEscape(bytes, from);
      case AT.hex:
        return this.#inHex(bytes, from);
      case AT.number:
        return this.#inNumber(bytes, from, base);
      default:
        return this.#inLiteral(bytes, from, base);
    }
  }

  /**
   * Outside of scalars: white space, brackets, commas, colons, and scalars that are all there. One
   * that is not, or is not valid, is left to its state, which goes on from its first sign.
   */
  #tokens(bytes: Uint8Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; ) {
      const byte = bytes[at] as number;
      if (byte <= 0x20 && isSpace(byte)) {
        at++;
        continue;
      }
      switch (this.#state) {
        case AT.after: {
          const inArray = this.#arrays.top;
          if (byte === 0x2c) this.#state = inArray ? AT.value : AT.key;
          else if (byte === (inArray ? 0x5d : 0x7d)) this.#closeContainer(base + at);
          else return this.#fail('a comma or bracket is missing', at);
          at++;
          continue;
        }
        case AT.colon:
          if (byte !== 0x3a) return this.#fail('a colon is missing', at);
          this.#state = AT.value;
          at++;
          continue;
        case AT.firstKey:
        case AT.key:
          if (byte === 0x7d && this.#state === AT.firstKey) {
            this.#closeContainer(base + at);
            at++;
            continue;
          }
          if (byte !== 0x22) return this.#fail('a key is missing', at);
          if (this.#arrays.length === this.#watch) this.#hooks.child(base + at);
          this.#isKey = true;
          break;
        case AT.end:
          if (!this.#many) return this.#fail('something follows the value', at);
          this.#state = AT.value;
          continue;
        case AT.firstItem:
          if (byte === 0x5d) {
            this.#closeContainer(base + at);
            at++;
            continue;
          }
          this.#beginValue(base + at);
          break;
        default:
          this.#beginValue(base + at);
      }
      if (byte === 0x7b || byte === 0x5b) {
        if (this.#arrays.length === MOST_LEVELS) return this.#fail('it is nested too deeply', at);
        this.#arrays.push(byte === 0x5b);
        this.#state = byte === 0x5b ? AT.firstItem : AT.firstKey;
        at++;
        continue;
      }
      const end = scalarEnd(bytes, at);
      if (end < 0) return this.#beginScalar(byte, at);
      this.#scalarOver(base + end);
      at = end;
    }
    return bytes.length;
  }

  #beginValue(at: number): void {
    this.#started = true;
    this.#isKey = false;
    const depth = this.#arrays.length;
    if (depth === this.#watch && (depth === 0 || this.#arrays.top)) this.#hooks.child(at);
  }

  #beginScalar(byte: number, from: number): number {
    if (byte === 0x22) {
      this.#state = AT.string;
      return from + 1;
    }
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#number = byte === 0x2d ? NUMBER.minus : byte === 0x30 ? NUMBER.zero : NUMBER.integer;
      this.#state = AT.number;
      return from + 1;
    }
    const literal = byte === 0x74 ? 'true' : byte === 0x66 ? 'false' : byte === 0x6e ? 'null' : '';
    if (literal === '') return this.#fail('a value is missing', from);
    this.#literal = literal;
    this.#literalAt = 1;
    this.#state = AT.literal;
    return from + 1;
  }

  #closeContainer(at: number): void {
    if (this.#arrays.length === this.#watch) this.#hooks.close(at);
    this.#arrays.pop();
    this.#valueOver(at + 1);
  }

  #valueOver(at: number): void {
    if (this.#arrays.length > 0) {
      this.#state = AT.after;
      return;
    }
    this.#state = AT.end;
    this.#hooks.valueEnd(at);
  }

  #scalarOver(at: number): void {
    if (this.#isKey) {
      this.#isKey = false;
      this.#state = AT.colon;
    } else {
      this.#valueOver(at);
    }
  }

  #inString(bytes: Uint8Array, from: number, base: number): number {
    const at = plainEnd(bytes, from);
    if (at === bytes.length) return at;
    const byte = bytes[at];
    if (byte === 0x22) this.#scalarOver(base + at + 1);
    else if (byte === 0x5c) this.#state = AT.escape;
    else return this.#fail('a control character stands in a string', at);
    return at + 1;
  }

  #inEscape(bytes: Uint8Array, from: number): number {
    const byte = bytes[from] ?? 0;
    if (byte === 0x75) {
      this.#hexLeft = 4;
      this.#state = AT.hex;
    } else if (isEscaped(byte)) {
      this.#state = AT.string;
    } else {
      return this.#fail('an escape is not known', from);
    }
    return from + 1;
  }

  #inHex(bytes: Uint8Array, from: number): number {
    if (!isHex(bytes[from] ?? 0)) return this.#fail('an escape is not complete', from);
    this.#hexLeft--;
    if (this.#hexLeft === 0) this.#state = AT.string;
    return from + 1;
  }

  #inNumber(bytes: Uint8Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      const next = nextInNumber(this.#number, byte);
      if (next >= 0) {
        this.#number = next;
        continue;
      }
      if (MAY_END[this.#number] !== true) return this.#fail('a number is not complete', at);
      this.#scalarOver(base + at);
      return at;
    }
    return bytes.length;
  }

  #inLiteral(bytes: Uint8Array, from: number, base: number): number {
    if (bytes[from] !== this.#literal.charCodeAt(this.#literalAt))
      return this.#fail('a value is not known', from);
    this.#literalAt++;
    if (this.#literalAt === this.#literal.length) this.#scalarOver(base + from + 1);
    return from + 1;
  }

  #fail(why: string, from: number): number {
    this.failure = why;
    return from;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The state of a number after one more byte, or -1 if the byte is not part of it. */
function nextInNumber(state: number, byte: number): number {
  const digit = byte >= 0x30 && byte <= 0x39;
  switch (state) {
    case NUMBER.minus:
      return byte === 0x30 ? NUMBER.zero : digit ? NUMBER.integer : -1;
    case NUMBER.zero:
    case NUMBER.integer:
      if (digit && state === NUMBER.integer) return NUMBER.integer;
      return byte === 0x2e ? NUMBER.point : byte === 0x65 || byte === 0x45 ? NUMBER.e : -1;
    case NUMBER.point:
      return digit ? NUMBER.fraction : -1;
    case NUMBER.fraction:
      return digit ? NUMBER.fraction : byte === 0x65 || byte === 0x45 ? NUMBER.e : -1;
    case NUMBER.e:
      return byte === 0x2b || byte === 0x2d ? NUMBER.sign : digit ? NUMBER.exponent : -1;
    default:
      return digit ? NUMBER.exponent : -1;
  }
}
