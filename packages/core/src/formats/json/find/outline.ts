/**
 * Walks over JSON that is known to be valid (text/json-scan.ts checks the same pieces first) and
 * tells where keys and values are. A container may be passed over. Memory: one bit a level, and a
 * key that a piece cuts. Positions are bytes from the start of the text.
 */

export interface OutlineSink {
  /** The name of the member whose value follows, with its quotes; `at` is where they begin. */
  key(raw: Uint8Array, at: number): void;
  /** A value begins with that byte. False: tell nothing of what is inside it. */
  begin(at: number, firstByte: number): boolean;
  /** The innermost value that began is over, just before `at`. */
  end(at: number): void;
}

/** Bytes of a key that are remembered; a longer one is told as far as that. */
const KEY_BYTES = 65_536;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;

export class JsonOutline {
  readonly #sink: OutlineSink;
  /** One entry a level that is told of: true for an object. */
  readonly #objects: boolean[] = [];
  #position = 0;
  /** Containers open inside one that is passed over, itself included. */
  #passing = 0;
  #string: 'none' | 'value' | 'key' = 'none';
  #escaped = false;
  #scalar = false;
  #keyNext = false;
  #keyAt = 0;
  #key: Uint8Array[] = [];
  #keyBytes = 0;

  constructor(sink: OutlineSink) {
    this.#sink = sink;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    if (this.#position === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
    while (at < bytes.length) {
      if (this.#string !== 'none') at = this.#inString(bytes, at, at);
      else if (this.#passing > 0) at = this.#pass(bytes, at);
      else at = this.#between(bytes, at);
    }
    this.#position += bytes.length;
  }

  /** Nothing follows. */
  finish(): void {
    this.#endScalar(this.#position);
  }

  #between(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    const offset = this.#position + at;
    if (byte <= 0x20) this.#endScalar(offset);
    else if (byte === COMMA) {
      this.#endScalar(offset);
      this.#keyNext = this.#objects.at(-1) === true;
    } else if (byte === COLON) this.#keyNext = false;
    else if (byte === QUOTE) return this.#beginString(bytes, at, offset);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (this.#sink.begin(offset, byte)) {
        this.#objects.push(byte === OPEN_OBJECT);
        this.#keyNext = byte === OPEN_OBJECT;
      } else this.#passing = 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      this.#endScalar(offset);
      this.#objects.pop();
      this.#keyNext = false;
      this.#sink.end(offset + 1);
    } else if (!this.#scalar) {
      this.#scalar = true;
      this.#sink.begin(offset, byte);
    }
    return at + 1;
  }

  #endScalar(offset: number): void {
    if (!this.#scalar) return;
    this.#scalar = false;
    this.#sink.end(offset);
  }

  #beginString(bytes: Uint8Array, at: number, offset: number): number {
    if (this.#keyNext) {
      this.#string = 'key';
      this.#keyAt = offset;
      this.#key = [];
      this.#keyBytes = 0;
    } else {
      this.#string = 'value';
      this.#sink.begin(offset, QUOTE);
    }
    return this.#inString(bytes, at + 1, at);
  }

  /** `from` is where the string begins in these bytes. */
  #inString(bytes: Uint8Array, start: number, from: number): number {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#endString(bytes.subarray(from, at + 1), this.#position + at + 1);
        return at + 1;
      }
    }
    if (this.#string === 'key') this.#takeKey(bytes.subarray(from));
    return bytes.length;
  }

  #endString(last: Uint8Array, offset: number): void {
    const kind = this.#string;
    this.#string = 'none';
    if (this.#passing > 0) return;
    if (kind === 'value') this.#sink.end(offset);
    else if (this.#keyBytes === 0) this.#sink.key(last, this.#keyAt);
    else {
      this.#takeKey(last);
      this.#sink.key(Buffer.concat(this.#key), this.#keyAt);
    }
  }

  #takeKey(bytes: Uint8Array): void {
    const room = Math.max(0, KEY_BYTES - this.#keyBytes);
    this.#key.push(bytes.slice(0, room));
    this.#keyBytes += bytes.length;
  }

  /** Inside of what is passed over, outside of strings. */
  #pass(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#string = 'value';
        return this.#inString(bytes, at + 1, at);
      }
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#passing++;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#passing--;
        if (this.#passing > 0) continue;
        this.#keyNext = false;
        this.#sink.end(this.#position + at + 1);
        return at + 1;
      }
    }
    return bytes.length;
  }
}
