/**
 * What the library takes from Node, made of what every browser has: `Buffer` as far as it is used,
 * hashes, random bytes, a turn of the event loop. The bundle for browsers is built with this in
 * place of `node:buffer`, `node:crypto`, `node:zlib` and `node:timers/promises`
 * (scripts/libraries.mjs). Nothing here is fast; all of it gives what Node gives.
 */
import { crc32Short, sha256Short } from '../text/digest.ts';

type Encoding = 'utf8' | 'latin1' | 'base64' | 'hex' | 'utf16le';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });
/** Chars that a call takes as arguments. */
const MOST_ARGUMENTS = 8_192;

/** Its own static members would forbid ours. */
const Bytes: new (content: ArrayBuffer | number, at?: number, length?: number) => Uint8Array<ArrayBuffer> =
  Uint8Array;

class BytesOfText extends Bytes {
  static from(
    content: string | ArrayBuffer | Iterable<number>,
    how?: Encoding | number,
    length?: number,
  ): BytesOfText {
    if (typeof content === 'string') return viewOf(bytesOf(content, how as Encoding | undefined));
    if (content instanceof ArrayBuffer) return new BytesOfText(content, how as number | undefined, length);
    return viewOf(Uint8Array.from(content));
  }

  static alloc(length: number): BytesOfText {
    return new BytesOfText(length);
  }

  static allocUnsafe(length: number): BytesOfText {
    return new BytesOfText(length);
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length;
  }

  static compare(a: Uint8Array, b: Uint8Array): number {
    const shorter = Math.min(a.length, b.length);
    for (let at = 0; at < shorter; at++)
      if (a[at] !== b[at]) return (a[at] as number) < (b[at] as number) ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  static concat(pieces: readonly Uint8Array[]): BytesOfText {
    const all = new BytesOfText(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let filled = 0;
    for (const piece of pieces) {
      all.set(piece, filled);
      filled += piece.length;
    }
    return all;
  }

  override toString(encoding: Encoding = 'utf8', from = 0, to = this.length): string {
    const bytes = this.subarray(from, to);
    if (encoding === 'utf8') return decoder.decode(bytes);
    if (encoding === 'utf16le') return utf16.decode(bytes.subarray(0, bytes.length & ~1));
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const text = latin1(bytes);
    return encoding === 'base64' ? btoa(text) : text;
  }

  override indexOf(sought: number | string | Uint8Array, from = 0): number {
    if (typeof sought === 'number') return super.indexOf(sought, from);
    return latin1(this).indexOf(latin1(typeof sought === 'string' ? bytesOf(sought) : sought), from);
  }

  equals(other: Uint8Array): boolean {
    return BytesOfText.compare(this, other) === 0;
  }

  copy(target: Uint8Array, at = 0, from = 0, to = this.length): number {
    const copied = this.subarray(from, Math.min(to, from + target.length - at));
    target.set(copied, at);
    return copied.length;
  }

  swap16(): this {
    for (let at = 0; at + 1 < this.length; at += 2)
      [this[at], this[at + 1]] = [this[at + 1] as number, this[at] as number];
    return this;
  }

  readUIntBE(from: number, count: number): number {
    return this.subarray(from, from + count).reduce((sum, byte) => sum * 256 + byte, 0);
  }
}

export { BytesOfText as Buffer };

function viewOf({ buffer, byteOffset, length }: Uint8Array): BytesOfText {
  return new BytesOfText(buffer as ArrayBuffer, byteOffset, length);
}

function bytesOf(text: string, encoding: Encoding = 'utf8'): Uint8Array {
  if (encoding === 'utf8') return encoder.encode(text);
  if (encoding === 'hex')
    return Uint8Array.from(text.match(/[\da-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16));
  const chars = encoding === 'base64' ? decodedBase64(text) : text;
  if (encoding !== 'utf16le') return Uint8Array.from(chars, (char) => char.charCodeAt(0));
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return new Uint8Array(units.buffer);
}

/** As Node reads it: both alphabets, and whatever is no letter of them is passed over. */
function decodedBase64(text: string): string {
  const letters = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z\d+/]/g, '');
  return atob(letters.length % 4 === 1 ? letters.slice(0, -1) : letters);
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS)
    text += String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS));
  return text;
}

/** As of `node:buffer`. */
export function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

/** As of `node:buffer`. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

class Sha256OfPieces {
  readonly #pieces: Uint8Array[] = [];

  update(content: Uint8Array | string): this {
    this.#pieces.push(typeof content === 'string' ? encoder.encode(content) : content.slice());
    return this;
  }

  digest(encoding?: Encoding): string | BytesOfText {
    const length = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    const digest = BytesOfText.from(sha256Short(this.#pieces, length), 'hex');
    return encoding === undefined ? digest : digest.toString(encoding);
  }
}

/** As of `node:crypto`, for SHA-256, the only one that is asked for. */
export function createHash(_name: 'sha256'): Sha256OfPieces {
  return new Sha256OfPieces();
}

/** As of `node:crypto`. */
export function hash(name: 'sha256', content: Uint8Array | string, encoding: Encoding): string | Uint8Array {
  return createHash(name).update(content).digest(encoding);
}

/** As of `node:crypto`. */
export function randomFillSync(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  return crypto.getRandomValues(bytes);
}

/** As of `node:crypto`. */
export function randomBytes(count: number): BytesOfText {
  return crypto.getRandomValues(BytesOfText.alloc(count));
}

/** As of `node:zlib`. */
export const crc32 = crc32Short;

/** As of `node:timers/promises`. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
