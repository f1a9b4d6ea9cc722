/**
 * Reads a part from a checkpoint, a few pieces a look-up. Nothing is held open between look-ups;
 * each is one by index.
 */
import { crc32 } from 'node:zlib';
import {
  type ArtifactId,
  type Codec,
  codecNamed,
  type Extent,
  noSuchOutput,
  noSuchPart,
  type ReadFrom,
  SpillwayError,
} from '@spillway/core/store';
import type { Connection } from './driver.ts';

/** Where a reading stands: the content and the byte at which its next piece begins. */
export interface ReadPosition {
  readonly content: string;
  readonly at: Extent;
}

export async function openPart(
  db: Connection,
  id: ArtifactId,
  part: number,
  from: ReadFrom,
): Promise<ReadPosition> {
  const row = await db.get<{ content: string | null }>(
    `SELECT p.content FROM @output o LEFT JOIN @part p ON p.output = o.seq AND p.idx = $2
     WHERE o.id = $1 AND o.purged_at IS NULL`,
    id,
    part,
  );
  if (row === undefined) throw noSuchOutput();
  if (row.content === null) throw noSuchPart(part);
  return { content: row.content, at: await checkpoint(db, row.content, from) };
}

interface PieceRow {
  /** Null where there is none. */
  readonly data: Uint8Array | null;
  readonly start: string;
  readonly codec: string | null;
  readonly crc: string | null;
  /** Of the whole content. */
  readonly bytes: string;
}

/** The next pieces as they are stored, at most so many; one row without data at the end. */
export async function piecesAt(
  db: Connection,
  { content, at }: ReadPosition,
  most: number,
): Promise<readonly PieceRow[]> {
  const rows = await db.all<PieceRow>(
    `SELECT p.data, p.start_bytes AS start, p.codec, p.crc, c.bytes FROM @content c LEFT JOIN LATERAL
       (SELECT * FROM @piece WHERE content = c.id AND start_bytes >= $2 ORDER BY start_bytes LIMIT $3) AS p ON true
     WHERE c.id = $1 AND c.hash IS NOT NULL ORDER BY p.start_bytes`,
    content,
    at.bytes,
    most,
  );
  // Purged since the last look-up.
  if (rows.length === 0) throw noSuchOutput();
  return rows;
}

/** The bytes of a row that should begin at a byte; undefined at the end of the content. */
export function bytesIn(row: PieceRow, at: number, id: ArtifactId, codec: Codec): Uint8Array | undefined {
  if (row.data === null && Number(row.bytes) === at) return undefined;
  const data = row.data === null || Number(row.start) !== at ? null : unpacked(row.data, row.codec, codec);
  if (data !== null && crc32(data) === Number(row.crc)) return data;
  throw new SpillwayError(
    'corrupt',
    `Stored bytes of ${id} do not match their checksum: restore the store from a copy.`,
  );
}

/** Null if it is damaged. */
function unpacked(data: Uint8Array, name: string | null, own: Codec): Uint8Array | null {
  if (name === null) return data;
  const codec = codecNamed(name, own);
  try {
    return codec.decompress(data);
  } catch {
    // Told like any other damage.
    return null;
  }
}

async function checkpoint(db: Connection, content: string, from: ReadFrom): Promise<Extent> {
  const [condition, value] =
    'breaks' in from
      ? (['start_breaks < $2 ORDER BY start_breaks DESC, start_bytes DESC', Math.ceil(from.breaks)] as const)
      : 'chars' in from
        ? (['start_chars <= $2 ORDER BY start_chars DESC, start_bytes DESC', Math.floor(from.chars)] as const)
        : (['start_bytes <= $2 ORDER BY start_bytes DESC', Math.floor(from.bytes)] as const);
  const found = await db.get<{ bytes: string; chars: string; breaks: string }>(
    `SELECT start_bytes AS bytes, start_chars AS chars, start_breaks AS breaks FROM @piece
     WHERE content = $1 AND ${condition} LIMIT 1`,
    content,
    Math.min(Math.max(value, -1), Number.MAX_SAFE_INTEGER),
  );
  return {
    bytes: Number(found?.bytes ?? 0),
    chars: Number(found?.chars ?? 0),
    breaks: Number(found?.breaks ?? 0),
  };
}
