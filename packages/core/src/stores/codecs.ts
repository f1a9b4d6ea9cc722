/**
 * How old content is compressed. A piece says by which codec, so that another one may be chosen
 * later without a change to what is there.
 */
import zlib from 'node:zlib';
import { SpillwayError } from '../model/errors.ts';
import { PIECE_BYTES } from '../model/piece.ts';

/** A few KB can unfold into gigabytes; nothing stored is larger than a piece. */
const BOUND = { maxOutputLength: PIECE_BYTES };

/**
 * Compresses a piece of at most 64 KB, and brings it back byte for byte. The name is stored with
 * the piece. What would unfold into more than a piece throws.
 */
export interface Codec {
  /** Stored with each piece: it chooses the codec that reads it. */
  readonly name: string;
  /** Makes a piece smaller. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Gives the piece back. */
  decompress(bytes: Uint8Array): Uint8Array;
}

const deflate: Codec = {
  name: 'deflate',
  compress: (bytes) => zlib.deflateRawSync(bytes),
  decompress: (bytes) => zlib.inflateRawSync(bytes, BOUND),
};

/** The best that this Node has: zstd from 22.15 on. */
export function nodeCodec(): Codec {
  const { zstdCompressSync, zstdDecompressSync } = zlib;
  if (typeof zstdCompressSync !== 'function') return deflate;
  return {
    name: 'zstd',
    compress: (bytes) => zstdCompressSync(bytes),
    decompress: (bytes) => zstdDecompressSync(bytes, BOUND),
  };
}

/** Smaller pieces are not worth compressing. */
const LEAST_PACKED_BYTES = 256;
/** A piece that does not get smaller than this share of itself stays as it is. */
const WORTH_IT = 0.9;

/** A piece as it is archived; null if it stays as it is. */
export function packed(data: Uint8Array, codec: Codec): Uint8Array | null {
  if (data.length < LEAST_PACKED_BYTES) return null;
  const smaller = codec.compress(data);
  return smaller.length > data.length * WORTH_IT ? null : smaller;
}

/** The codec of that name: the store's own, or one of Node's. */
export function codecNamed(name: string, own: Codec): Codec {
  const found = [own, deflate, nodeCodec()].find((codec) => codec.name === name);
  if (found !== undefined) return found;
  throw new SpillwayError(
    'store_unavailable',
    `Some content is compressed with ${JSON.stringify(name)}, which is not known here: use Node 22.15 or later, or give the store that codec.`,
  );
}
