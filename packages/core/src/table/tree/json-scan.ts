/**
 * A strict JSON scanner (RFC 8259) over bytes in any chunking: it proves that a text is valid and
 * tells a sink of every value, in one pass and without recursion. Memory: a number a level, the end
 * of a chunk that cuts a number or an escape, and the beginning of a key that a chunk cuts. Bytes
 * above 0x7F are taken inside strings as they are.
 */
import { isSpace, Kind, NO_BYTES, PRIME, SEED, TreeScanner, type TreeSink } from './tree-sink.ts';

/** What is expected next. */
const AT = { value: 0, firstItem: 1, firstKey: 2, key: 3, colon: 4, after: 5, end: 6, string: 7 } as const;

/** Deeper nesting, and a longer number, are taken for broken: memory must not grow with them. */
const MOST_LEVELS = 100_000;
const LONGEST_NUMBER = 1 << 20;
/** Bytes of a string that its hash covers, and of a key that are remembered across chunks. */
const HASHED = 32;
/** The hash of a whole number with fewer digits is its value. */
const VALUE_DIGITS = 10;
const KEY_BYTES = 65_536;
/** The key under which we say what was left out of an object. */
const RESERVED = /^\$omitted(?:_(\d{1,6}))?$/;

const PLAIN = new Uint8Array(256).fill(1, 32, 128);
PLAIN[0x22] = 0;
PLAIN[0x5c] = 0;
const HEX = flags('0123456789abcdefABCDEF');
const ESCAPED = flags('"\\/bfnrt');
const WORDS: Readonly<Record<number, readonly [kind: number, word: Uint8Array]>> = {
  116: [Kind.true, Buffer.from('true')],
  102: [Kind.false, Buffer.from('false')],
  110: [Kind.null, Buffer.from('null')],
};

/** The scanner; `push` takes the next bytes, `finish` tells that nothing follows. */
export class JsonScan extends TreeScanner {
  readonly #shape: 'one' | 'many';
  #state: number = AT.value;
  #isKey = false;
  readonly #mostLevels: number;
  #isLast = false;
  /** Open containers: 1 for an object. */
  readonly #kinds: number[] = [];
  #isAny = false;
  /** Of the string that is read: chars that are fewer than bytes, and its hash so far. */
  #fewer = 0;
  #stringHash = SEED;
  #keyPieces: Uint8Array[] | null = null;
  /** Where the last value at the top ended; -1 before that. */
  valueEnd = -1;

  /**
   * `many`: several values may follow each other. A table cannot drop rows that are open, so it must
   * have more rows than `mostLevels`.
   */
  constructor(sink: TreeSink, shape: 'one' | 'many', mostLevels = MOST_LEVELS) {
    super(sink);
    this.#shape = shape;
    this.#mostLevels = mostLevels;
    this.#begin(0);
  }

  /** Bytes that were read, as far as they could be; where it failed, if it did. */
  get position(): number {
    return this.base;
  }

  get openString(): number {
    return this.#state === AT.string ? (this.#isKey ? this.keyAt : this.start) : -1;
  }

  key(): Uint8Array {
    if (this.keyBytes === 0) return NO_BYTES;
    if (this.#keyPieces !== null) return Buffer.concat(this.#keyPieces);
    const at = this.keyAt - this.base + 1;
    return this.window.subarray(at, at + Math.max(0, this.keyBytes - 2));
  }

  finish(): void {
    if (this.failure !== null) return;
    if (this.carry.length > 0) {
      // A number may end here; nothing else that was waited for can.
      this.#isLast = true;
      this.read(Buffer.concat([this.carry, Uint8Array.of(0x0a)]));
    }
    if (this.failure !== null) return;
    if (!this.#isAny || (this.#state !== AT.end && !(this.#state === AT.value && this.depth === 0)))
      this.failure = 'the text ends too early';
  }

  protected step(bytes: Uint8Array, at: number): number {
    return this.#state === AT.string ? this.#string(bytes, at) : this.#token(bytes, at);
  }

  protected leave(bytes: Uint8Array, at: number): void {
    if (this.#state === AT.string && this.#isKey) this.#keepKey(bytes, at);
    else if (this.keyBytes > 0 && this.#keyPieces === null) this.#keyPieces = [this.key().slice()];
    if (at === bytes.length) return;
    if (this.#isLast) this.failure = 'the text ends too early';
    else if (bytes.length - at > LONGEST_NUMBER) this.failure = 'a number is too long';
  }

  /** The part of a key that this window holds. */
  #keepKey(bytes: Uint8Array, to: number): void {
    this.#keyPieces ??= [];
    const held = this.#keyPieces.reduce((sum, piece) => sum + piece.length, 0);
    const from = Math.max(0, this.keyAt + 1 - this.base);
    if (held < KEY_BYTES && to > from)
      this.#keyPieces.push(bytes.slice(from, Math.min(to, from + KEY_BYTES)));
  }

  /** Reads tokens outside of strings; -1 - at where more bytes are needed to go on. */
  #token(bytes: Uint8Array, from: number): number {
    const base = this.base;
    const length = bytes.length;
    let at = from;
    for (;;) {
      const spaceFrom = at;
      while (at < length && ((bytes[at] as number) === 0x20 || isSpace(bytes[at] as number))) at++;
      this.pad += at - spaceFrom;
      if (at >= length) return at;
      const byte = bytes[at] as number;
      switch (this.#state) {
        case AT.after: {
          const isObject = this.#kinds[this.depth - 1] === 1;
          if (byte === 0x2c) {
            this.#state = isObject ? AT.key : AT.value;
            this.#begin(base + ++at);
          } else if (byte === (isObject ? 0x7d : 0x5d)) this.#close(base + ++at);
          else return this.fail('a comma or bracket is missing', at);
          continue;
        }
        case AT.colon:
          if (byte !== 0x3a) return this.fail('a colon is missing', at);
          at++;
          if (at + 1 >= length) return -at;
          // One blank behind the colon is shown.
          if (bytes[at] === 0x20 && !isSpace(bytes[at + 1] as number)) {
            this.keyChars++;
            at++;
          }
          this.#state = AT.value;
          continue;
        case AT.firstKey:
        case AT.key:
          if (byte === 0x7d && this.#state === AT.firstKey) {
            this.#close(base + ++at);
            continue;
          }
          if (byte !== 0x22) return this.fail('a key is missing', at);
          this.#beginString(true, base + at);
          return this.#string(bytes, at + 1);
        case AT.end:
          if (this.#shape === 'one') return this.fail('something follows the value', at);
          this.#begin(base + at);
          this.#state = AT.value;
          break;
        case AT.firstItem:
          if (byte === 0x5d) {
            this.#close(base + ++at);
            continue;
          }
          break;
        default:
      }
      this.#isAny = true;
      if (byte === 0x22) {
        this.#beginString(false, base + at);
        return this.#string(bytes, at + 1);
      }
      if (byte === 0x7b || byte === 0x5b) {
        if (this.depth >= this.#mostLevels) return this.fail('it is nested too deeply', at);
        this.#open(byte === 0x7b ? Kind.object : Kind.array, base + at);
        at++;
        continue;
      }
      const end =
        byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? this.#number(bytes, at) : this.#word(bytes, at);
      if (end < 0) return end;
      if (this.failure !== null) return at;
      this.start = base + at;
      this.#leaf(base + end, end - at);
      at = end;
    }
  }

  /** A unit begins: nothing is known of it. */
  #begin(at: number): void {
    this.from = at;
    this.pad = 0;
    this.keyBytes = 0;
    this.keyChars = 1;
    this.name = 0;
  }

  #beginString(isKey: boolean, at: number): void {
    this.#isKey = isKey;
    this.#state = AT.string;
    this.#fewer = 0;
    this.#stringHash = SEED;
    if (isKey) {
      this.keyAt = at;
      this.#keyPieces = null;
    } else this.start = at;
  }

  /** Reads on inside of a string, from behind its quote. */
  #string(bytes: Uint8Array, from: number): number {
    const base = this.base;
    const length = bytes.length;
    const hashed = (this.#isKey ? this.keyAt : this.start) + HASHED - base;
    let hash = this.#stringHash;
    let at = from;
    for (;;) {
      const few = hashed < length ? hashed : length;
      while (at < few && PLAIN[bytes[at] as number] === 1)
        hash = Math.imul(hash ^ ((bytes[at++] as number) | 0x20), PRIME);
      if (at >= hashed) while (at < length && PLAIN[bytes[at] as number] === 1) at++;
      const byte = at < length ? (bytes[at] as number) : -1;
      if (byte === 0x22) {
        this.#stringHash = hash;
        this.#endString(base + at + 1);
        return at + 1;
      }
      if (byte >= 0x80) {
        if (byte < 0xc0) this.#fewer++;
        else if (byte >= 0xf0) this.#fewer--;
        hash = Math.imul(hash ^ byte, PRIME);
        at++;
        continue;
      }
      this.#stringHash = hash;
      if (byte < 0) return at;
      if (byte !== 0x5c) return this.fail('a control character stands in a string', at);
      const next = bytes[at + 1];
      if (next === undefined) return -at - 1;
      let size = 2;
      if (next === 0x75) {
        if (at + 6 > length) return -at - 1;
        for (size = 2; size < 6; size++)
          if (HEX[bytes[at + size] as number] !== 1) return this.fail('an escape is not complete', at);
      } else if (ESCAPED[next] !== 1) return this.fail('an escape is not known', at + 1);
      hash = Math.imul(hash ^ (bytes[at + size - 1] as number), PRIME);
      at += size;
    }
  }

  #endString(end: number): void {
    if (!this.#isKey) {
      this.hash = this.#stringHash;
      this.kind = Kind.string;
      this.#leaf(end, end - this.start - this.#fewer);
      return;
    }
    if (this.#keyPieces !== null) this.#keepKey(this.window, end - 1 - this.base);
    this.keyBytes = end - this.keyAt;
    this.keyChars = this.keyBytes - this.#fewer + 2;
    this.name = this.#stringHash;
    this.#state = AT.colon;
    if (this.keyBytes >= 10 && this.keyBytes < 20) this.#checkReserved();
  }

  #checkReserved(): void {
    const key = this.key();
    if (key[0] !== 0x24) return;
    const found = RESERVED.exec(Buffer.from(key).toString('latin1'));
    if (found !== null) this.reserved = Math.max(this.reserved, Number(found[1] ?? 0) + 1);
  }

  #number(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    const first = bytes[from] === 0x2d ? from + 1 : from;
    let at = bytes[first] === 0x30 ? first + 1 : digitsEnd(bytes, first);
    const integerEnd = at;
    let isWhole = at > first;
    if (isWhole && bytes[at] === 0x2e) {
      const fraction = at + 1;
      at = digitsEnd(bytes, fraction);
      isWhole = at > fraction;
    }
    if (isWhole && ((bytes[at] ?? 0) | 0x20) === 0x65) {
      const exponent = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? at + 2 : at + 1;
      at = digitsEnd(bytes, exponent);
      isWhole = at > exponent;
    }
    if (at >= length) return -from - 1;
    if (!isWhole) return this.fail('a number is not complete', from);
    this.kind = Kind.number;
    const isShort = at === integerEnd && first === from && at - from < VALUE_DIGITS;
    this.hash = isShort ? 0 : -1;
    if (isShort)
      for (let digit = from; digit < at; digit++)
        this.hash = this.hash * 10 + (bytes[digit] as number) - 0x30;
    return at;
  }

  #word(bytes: Uint8Array, from: number): number {
    const known = WORDS[bytes[from] as number];
    if (known === undefined) return this.fail('a value is missing', from);
    const [kind, word] = known;
    for (let i = 1; i < word.length; i++) {
      if (from + i >= bytes.length) return -from - 1;
      if (bytes[from + i] !== word[i]) return this.fail('a value is not known', from);
    }
    this.kind = kind;
    this.hash = kind;
    return from + word.length;
  }

  #leaf(end: number, chars: number): void {
    this.end = end;
    this.chars = chars;
    this.sink.leaf(this);
    this.#over(end);
  }

  #open(kind: number, at: number): void {
    this.kind = kind;
    this.start = at;
    this.end = at + 1;
    this.chars = 0;
    this.sink.open(this);
    this.#kinds[this.depth++] = kind === Kind.object ? 1 : 0;
    this.#state = kind === Kind.object ? AT.firstKey : AT.firstItem;
    this.#begin(at + 1);
  }

  #close(end: number): void {
    // The separator behind the last child was counted, and is none.
    this.chars = this.#state === AT.after ? 1 : 2;
    this.depth--;
    this.start = end - 1;
    this.end = end;
    this.sink.close(this);
    this.#over(end);
  }

  /** A value is over. */
  #over(end: number): void {
    this.pad = 0;
    this.#state = this.depth > 0 ? AT.after : AT.end;
    if (this.depth > 0) return;
    this.valueEnd = end;
    this.#begin(end);
  }
}

function digitsEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
  return at;
}

/** Reads the value that some bytes begin with, as far as they are one. */
export function readValue(bytes: Uint8Array, mostLevels?: number): JsonScan {
  const scan = new JsonScan({ open() {}, close() {}, leaf() {} }, 'one', mostLevels);
  scan.push(bytes);
  return scan;
}

function flags(chars: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
}
