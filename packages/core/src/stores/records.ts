/**
 * How a store keeps records and old content. Records are JSON text, with a checksum behind it where a
 * store asks for one. Old content is compressed a piece at a time by the best codec that this Node
 * has; a piece names its codec, so another Node reads it, or says what it lacks.
 */
import zlib from 'node:zlib';
import { SpillwayError } from '../model/errors.ts';
import { PIECE_BYTES } from '../model/piece.ts';
import { crc32 } from '../text/digest.ts';

const HEX_DIGITS = 8;

export function checkedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n${sum(json)}`;
}

/**
 * The value as its parser gives it, or undefined if it is damaged: by its checksum, or because the
 * parser refuses it.
 */
export function readChecked<T>(text: string | null, parse: (value: unknown) => T): T | undefined {
  if (typeof text !== 'string') return undefined;
  const at = text.length - HEX_DIGITS - 1;
  const json = text.endsWith('}') ? text : text.slice(0, Math.max(0, at));
  if (json !== text && (text[at] !== '\n' || text.slice(at + 1) !== sum(json))) return undefined;
  try {
    return parse(JSON.parse(json));
  } catch {
    // The message of JSON.parse would quote the text.
    return undefined;
  }
}

function sum(json: string): string {
  return crc32(json).toString(16).padStart(HEX_DIGITS, '0');
}

/** A few KB can unfold into gigabytes; nothing stored is larger than a piece. */
const BOUND = { maxOutputLength: PIECE_BYTES };
/** Smaller pieces are not worth compressing. */
const LEAST_PACKED_BYTES = 256;
/** A piece that does not get smaller than this share of itself stays as it is. */
const WORTH_IT = 0.9;

/** zstd is there from Node 22.15 on. */
const hasZstd = () => typeof zlib.zstdCompressSync === 'function';

/** A piece as it is archived; null if it stays as it is. */
export function packed(
  data: Uint8Array,
): { readonly codec: 'zstd' | 'deflate'; readonly data: Uint8Array } | null {
  if (data.length < LEAST_PACKED_BYTES) return null;
  const smaller = hasZstd() ? zlib.zstdCompressSync(data) : zlib.deflateRawSync(data);
  if (smaller.length > data.length * WORTH_IT) return null;
  return { codec: hasZstd() ? 'zstd' : 'deflate', data: smaller };
}

/** The bytes of a piece; null where they are damaged. */
export function unpacked(data: Uint8Array, codec: string): Uint8Array | null {
  if (codec !== 'deflate' && !(codec === 'zstd' && hasZstd()))
    throw new SpillwayError(
      'store_unavailable',
      `Some content is compressed with ${JSON.stringify(codec)}, which is not known here: use Node 22.15 or later.`,
    );
  try {
    const bytes = codec === 'zstd' ? zlib.zstdDecompressSync(data, BOUND) : zlib.inflateRawSync(data, BOUND);
    // A copy of its own: the caller may transfer it to another thread.
    return new Uint8Array(bytes);
  } catch {
    return null;
  }
}
