/**
 * Reads JSON (RFC 8259) as it arrives, in chunks of any size, and tells where values begin and end,
 * by depth and key. Nothing is decoded but short keys near the top; memory is one bit a level of
 * nesting. Positions are bytes from the start of the text. Text that is not JSON sets `failed`, and
 * nothing more is told.
 */

export type ValueKind = 'object' | 'array' | 'string' | 'scalar';

/** Told of every value. `depth` counts the containers around it: 0 is the text's own value. */
export interface JsonWatcher {
  begin(kind: ValueKind, depth: number, at: number): void;
  /** `at` is the byte after the value. */
  end(kind: ValueKind, depth: number, at: number): void;
}

const AT = { value: 0, firstItem: 1, firstKey: 2, key: 3, colon: 4, after: 5, end: 6 } as const;
/** Levels whose keys are known; those below only need to be closed again. */
const KEYED_LEVELS = 16;
const LONGEST_KEY = 200;
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
/**
 * Chars of a number or word that are held; of longer ones the digits are left out that change
 * nothing about their form.
 */
const LONGEST_SCALAR = 1_000;
/** What may stand behind a backslash, beside `u`. */
const ESCAPED: readonly number[] = [0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74];

export class JsonReader {
  readonly #watcher: JsonWatcher;
  readonly #levels = new Levels();
  readonly #keys: string[] = [];
  readonly #stops = stops();
  #state: number = AT.value;
  #mode: 'between' | 'string' | 'escape' | 'scalar' = 'between';
  #isKey = false;
  /** Of an escape with digits. */
  #digitsLeft = 0;
  #text = '';
  #position = 0;
  failed = false;

  constructor(watcher: JsonWatcher) {
    this.#watcher = watcher;
  }

  /** Whether one value has been read to its end. */
  get done(): boolean {
    return !this.failed && this.#state === AT.end;
  }

  get depth(): number {
    return this.#levels.depth;
  }

  /** The number or word that was read last, as it is written. */
  get scalar(): string {
    return this.#text;
  }

  /** The key under which the value at that depth is, or the empty string for an element. */
  keyAt(depth: number): string {
    return this.#keys[depth - 1] ?? '';
  }

  push(bytes: Uint8Array): void {
    const base = this.#position;
    this.#position += bytes.length;
    for (let at = 0; at < bytes.length && !this.failed; ) at = this.#step(bytes, at, base);
  }

  /** Nothing follows. */
  finish(): void {
    if (this.#mode === 'scalar') this.#endScalar(this.#position);
    if (this.#state !== AT.end || this.#mode !== 'between') this.failed = true;
  }

  #step(bytes: Uint8Array, from: number, base: number): number {
    if (this.#mode === 'string') return this.#inString(bytes, from, base);
    if (this.#mode === 'scalar') return this.#inScalar(bytes, from, base);
    if (this.#mode === 'escape') {
      const to = this.#inEscape(bytes, from);
      if (this.#isKey) this.#keepKey(bytes, from, to);
      return to;
    }
    return this.#between(bytes, from, base);
  }

  #inString(bytes: Uint8Array, from: number, base: number): number {
    const stops = this.#stops;
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] as number;
      if (stops[byte] === 0) at++;
      else if (byte === 0x5c) at = this.#inEscape(bytes, at + 1);
      else break;
    }
    if (this.#isKey) this.#keepKey(bytes, from, at);
    if (at >= bytes.length || this.failed) return at;
    if (bytes[at] !== 0x22) return this.#fail(at);
    this.#mode = 'between';
    if (this.#isKey) this.#endKey();
    else this.#end('string', base + at + 1);
    return at + 1;
  }

  /** From behind a backslash to the end of the escape. */
  #inEscape(bytes: Uint8Array, from: number): number {
    this.#mode = 'escape';
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.#digitsLeft === 0 && byte === 0x75) this.#digitsLeft = 4;
      else if (this.#digitsLeft > 0 ? !isHex(byte) : !ESCAPED.includes(byte)) {
        this.failed = true;
        return bytes.length;
      } else if (this.#digitsLeft === 0 || --this.#digitsLeft === 0) {
        this.#mode = 'string';
        return at + 1;
      }
    }
    return bytes.length;
  }

  #keepKey(bytes: Uint8Array, from: number, to: number): void {
    if (this.#text.length < LONGEST_KEY)
      this.#text += Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
  }

  #endKey(): void {
    const { depth } = this.#levels;
    if (depth <= KEYED_LEVELS)
      this.#keys[depth - 1] = this.#text.includes('\\') ? unescaped(this.#text) : this.#text;
    this.#state = AT.colon;
  }

  #inScalar(bytes: Uint8Array, from: number, base: number): number {
    let at = from;
    while (at < bytes.length && isScalarByte(bytes[at] as number)) at++;
    this.#text += Buffer.from(bytes.buffer, bytes.byteOffset + from, at - from).toString('latin1');
    if (this.#text.length > LONGEST_SCALAR) this.#text = this.#text.replace(/(\d\d)\d+/g, '$1');
    // No number or word has that many other chars.
    if (this.#text.length > LONGEST_SCALAR) this.failed = true;
    if (at < bytes.length) this.#endScalar(base + at);
    return at;
  }

  #endScalar(at: number): void {
    this.#mode = 'between';
    if (SCALAR.test(this.#text)) this.#end('scalar', at);
    else this.failed = true;
  }

  #between(bytes: Uint8Array, from: number, base: number): number {
    const byte = bytes[from] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return from + 1;
    const at = base + from;
    switch (this.#state) {
      case AT.colon:
        if (byte !== 0x3a) return this.#fail(from);
        this.#state = AT.value;
        return from + 1;
      case AT.after:
        return this.#after(byte, at, from);
      case AT.firstKey:
      case AT.key:
        if (byte === 0x7d && this.#state === AT.firstKey) return this.#close(at, from);
        if (byte !== 0x22) return this.#fail(from);
        this.#text = '';
        this.#isKey = true;
        this.#mode = 'string';
        return from + 1;
      case AT.end:
        return this.#fail(from);
      default:
        if (byte === 0x5d && this.#state === AT.firstItem) return this.#close(at, from);
        return this.#beginValue(byte, at, from);
    }
  }

  #after(byte: number, at: number, from: number): number {
    const array = this.#levels.inArray;
    if (byte === (array ? 0x5d : 0x7d)) return this.#close(at, from);
    if (byte !== 0x2c) return this.#fail(from);
    this.#state = array ? AT.value : AT.key;
    return from + 1;
  }

  #beginValue(byte: number, at: number, from: number): number {
    const { depth } = this.#levels;
    if (byte === 0x22) {
      this.#watcher.begin('string', depth, at);
      this.#isKey = false;
      this.#mode = 'string';
      return from + 1;
    }
    if (byte === 0x7b || byte === 0x5b) {
      const array = byte === 0x5b;
      this.#watcher.begin(array ? 'array' : 'object', depth, at);
      this.#levels.push(array);
      if (depth < KEYED_LEVELS) this.#keys[depth] = '';
      this.#state = array ? AT.firstItem : AT.firstKey;
      return from + 1;
    }
    if (!isScalarByte(byte)) return this.#fail(from);
    this.#watcher.begin('scalar', depth, at);
    this.#text = '';
    this.#mode = 'scalar';
    return from;
  }

  #close(at: number, from: number): number {
    const kind = this.#levels.pop() ? 'array' : 'object';
    const { depth } = this.#levels;
    if (depth < this.#keys.length) this.#keys.length = depth;
    this.#end(kind, at + 1);
    return from + 1;
  }

  #end(kind: ValueKind, at: number): void {
    const { depth } = this.#levels;
    this.#state = depth === 0 ? AT.end : AT.after;
    this.#watcher.end(kind, depth, at);
  }

  #fail(from: number): number {
    this.failed = true;
    return from;
  }
}

/** Which containers are open, a bit each: a message may be nested as deep as it is long. */
class Levels {
  #arrays = new Uint8Array(16);
  depth = 0;

  get inArray(): boolean {
    return this.depth > 0 && this.#isArray(this.depth - 1);
  }

  push(array: boolean): void {
    const [byte, bit] = [this.depth >> 3, 1 << (this.depth & 7)];
    if (byte === this.#arrays.length) {
      const more = new Uint8Array(byte * 2);
      more.set(this.#arrays);
      this.#arrays = more;
    }
    const bits = this.#arrays[byte] ?? 0;
    this.#arrays[byte] = array ? bits | bit : bits & ~bit;
    this.depth++;
  }

  /** Whether the one that is closed is an array. */
  pop(): boolean {
    return this.#isArray(--this.depth);
  }

  #isArray(level: number): boolean {
    return ((this.#arrays[level >> 3] ?? 0) & (1 << (level & 7))) !== 0;
  }
}

/**
 * The bytes that end a range of a string: quotes, backslashes, and those that may not stand
 * there.
 */
function stops(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(1, 0, 0x20);
  table[0x22] = 1;
  table[0x5c] = 1;
  return table;
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  );
}

function unescaped(key: string): string {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return key;
    throw error;
  }
}
