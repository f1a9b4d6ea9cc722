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
// fractional parts of the roots of the first 64 primes: cube roots, and square roots of the first 8.
// biome-ignore format: a table
const K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
// biome-ignore format: a table
const FIRST = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);

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
