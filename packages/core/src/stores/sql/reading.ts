/**
 * Reads a part from a checkpoint, a few pieces a look-up. Nothing is held open between look-ups, so
 * a slow reader costs writers nothing, and the end of a gigabyte costs what its beginning does.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { Extent } from '../../model/extent.ts';
import type { ReadFrom } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { type Codec, codecNamed } from '../codecs.ts';
import { noSuchOutput, noSuchPart } from '../refusals.ts';
import type { Dialect, StoredPiece } from './dialect.ts';
import { get, type Query } from './statement.ts';

export interface ReadPosition {
  readonly content: number;
  readonly bytes: number;
  readonly at: Extent;
}

export function* openPart(d: Dialect, id: ArtifactId, part: number, from: ReadFrom): Query<ReadPosition> {
  const row = yield* get<{ content: number | null; bytes: number }>(
    `SELECT p.content, c.bytes FROM @output o LEFT JOIN @part p ON p.output = o.seq AND p.idx = ?
     LEFT JOIN @content c ON c.id = p.content WHERE o.id = ? AND o.purged_at IS NULL`,
    part,
    id,
  );
  if (row === undefined) throw noSuchOutput();
  if (row.content === null) throw noSuchPart(part);
  return {
    content: row.content,
    bytes: row.bytes ?? 0,
    at: yield* d.checkpoint(row.content, row.bytes, from),
  };
}

/** False if it was purged meanwhile. */
export function* isKept(content: number): Query<boolean> {
  return (yield* get('SELECT 1 FROM @content WHERE id = ? AND hash IS NOT NULL', content)) !== undefined;
}

/**
 * The bytes as they were appended; null where they are damaged. Never empty, so a reader that
 * continues behind them always advances. `own`: the codec of the store.
 */
export function pieceBytes(piece: StoredPiece, own: () => Codec): Uint8Array | null {
  const data = unpacked(piece, own);
  // The type of a column can be forged.
  const isWhole = data instanceof Uint8Array && data.length > 0 && data.length === piece.bytes;
  return isWhole && crc32(data) === piece.crc ? data : null;
}

function unpacked({ data, codec }: StoredPiece, own: () => Codec): Uint8Array | null {
  if (codec === null || data === null) return data;
  const { decompress } = codecNamed(codec, own());
  try {
    // A copy of its own: the caller may transfer it to another thread.
    return new Uint8Array(decompress(data));
  } catch {
    return null;
  }
}

export function damagedPiece(id: ArtifactId, part: number, what: 'damaged' | 'missing'): SpillwayError {
  const wrong = what === 'missing' ? 'are missing' : 'do not match their checksum';
  return new SpillwayError(
    'corrupt',
    `Stored bytes of ${id}, part ${part}, ${wrong}: restore the store from a copy.`,
  );
}
