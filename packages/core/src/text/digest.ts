/**
 * SHA-256 and CRC-32. The first few short texts of a process are hashed here: a program that stores
 * one small output and ends takes longer to load Node's `crypto` and `zlib` than for anything else
 * it does. All else goes to Node, which is faster by far. Both give the same. Sizes are bytes.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 as crc32OfNode } from 'node:zlib';

/** Up to here our own code is faster than loading Node's. */
const SHORT_BYTES = { sha256: 24_576, crc32: 65_536 };
const left = { sha256: 65_536, crc32: 262_144 };
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** A hash over what is given piece by piece; text counts as UTF-8. */
export class Sha256 {
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #hash: Hash | undefined;

  /** Adds content; the caller may use its buffer again. */
  update(content: Uint8Array | string): this {
    if (typeof content === 'string') return this.updateLasting(Buffer.from(content));
    // The caller may reuse its buffer.
    if (this.#hash === undefined && this.#heldBytes + content.length <= mostShort())
      return this.updateLasting(new Uint8Array(content));
    this.#begun().update(content);
    return this;
  }

  /** For bytes that will not change: a single piece is hashed in one call. */
  updateLasting(bytes: Uint8Array): this {
    const isFirst = this.#hash === undefined && this.#held.length === 0;
    if (isFirst || (this.#hash === undefined && this.#heldBytes + bytes.length <= mostShort())) {
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
    } else this.#begun().update(bytes);
    return this;
  }

  #begun(): Hash {
    if (this.#hash !== undefined) return this.#hash;
    this.#hash = createHash('sha256');
    for (const held of this.#held.splice(0)) this.#hash.update(held);
    return this.#hash;
  }

  /** In hexadecimal. Call once. */
  digest(): string {
    if (this.#hash !== undefined) return this.#hash.digest('hex');
    if (this.#heldBytes <= mostShort()) {
      left.sha256 -= this.#heldBytes;
      return sha256Short(this.#held, this.#heldBytes);
    }
    const [only = new Uint8Array(0)] = this.#held;
    return hash('sha256', this.#held.length > 1 ? Buffer.concat(this.#held) : only, 'hex');
  }
}

function mostShort(): number {
  return Math.min(SHORT_BYTES.sha256, left.sha256);
}

export function crc32(content: Uint8Array | string): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length > Math.min(SHORT_BYTES.crc32, left.crc32)) return crc32OfNode(bytes);
  left.crc32 -= bytes.length;
  return crc32Short(bytes);
}

export function crc32Short(bytes: Uint8Array): number {
  const table = crcTable();
  let crc = -1;
  for (let at = 0; at < bytes.length; at++)
    crc = (table[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

let table: Int32Array | undefined;

function crcTable(): Int32Array {
  if (table !== undefined) return table;
  table = new Int32Array(256);
  // Entries combine by xor, so only eight are computed.
  for (let bit = 128, crc = 1; bit > 0; bit >>= 1) {
    crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    for (let at = 0; at < 256; at += 2 * bit) table[at + bit] = (table[at] as number) ^ crc;
  }
  return table;
}

// FIPS 180-4: what the letters mean is said there. The constants are the first 32 bits of the
// fractional parts of the roots of the first 64 primes.
const PRIMES = primes(64);
const K = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const FIRST = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime > 0)) found.push(n);
  return found;
}

function fraction(root: number): number {
  return (root % 1) * 2 ** 32;
}

/** SHA-256 in hexadecimal, worked out here; `length` is that of all pieces. */
export function sha256Short(pieces: readonly Uint8Array[], length: number): string {
  const blocks = Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new DataView(new ArrayBuffer(blocks * BLOCK_BYTES));
  let filled = 0;
  for (const piece of pieces) {
    new Uint8Array(padded.buffer).set(piece, filled);
    filled += piece.length;
  }
  padded.setUint8(length, 0x80);
  padded.setUint32(padded.byteLength - 4, length * 8);
  const state = FIRST.slice();
  const schedule = new Int32Array(K.length);
  for (let block = 0; block < blocks; block++) compress(state, padded, block * BLOCK_BYTES, schedule);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Unrolled: before optimisation, calls cost more than the arithmetic. */
function compress(state: Int32Array, padded: DataView, start: number, w: Int32Array): void {
  for (let t = 0; t < 16; t++) w[t] = padded.getInt32(start + t * 4);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = s1 + (w[t - 7] as number) + s0 + (w[t - 16] as number);
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < 64; t++) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (w[t] as number)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const words = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < words.length; i++) state[i] = (state[i] as number) + (words[i] as number);
}
