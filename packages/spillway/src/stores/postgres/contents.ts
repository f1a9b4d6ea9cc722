/**
 * Content: bytes under their hash, stored once, with the number of parts that refer to it. Sizes
 * are bytes.
 */
import { crc32 } from 'node:zlib';
import { notWhole, type Piece } from '@spillway/core/store';
import type { Connection } from './driver.ts';

/** Pieces of one part, in order, and the content that the first ones of it began. */
export interface PieceRun {
  readonly content: number | undefined;
  readonly pieces: readonly Piece[];
}

const COLUMNS = 6;

/** Appends pieces in one statement; without `content` they begin one. Returns the content. */
export async function addPieces(db: Connection, { content, pieces }: PieceRun): Promise<number> {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const grown =
    content === undefined
      ? 'INSERT INTO @content (bytes) SELECT $3::bigint WHERE $1::bigint IS NULL AND $2::bigint = 0 RETURNING id'
      : 'UPDATE @content SET bytes = bytes + $3, written_at = now() WHERE id = $1 AND bytes = $2 AND hash IS NULL RETURNING id';
  const values = pieces.flatMap(({ bytes, start }) => [
    start.bytes,
    bytes.length,
    start.chars,
    start.breaks,
    crc32(bytes),
    bytes,
  ]);
  const rows = pieces.map((_, i) => {
    const [a, b, c, d, e, f] = Array.from({ length: COLUMNS }, (_, k) => 4 + i * COLUMNS + k);
    return `($${a}::bigint, $${b}::bigint, $${c}::bigint, $${d}::bigint, $${e}::bigint, $${f}::bytea)`;
  });
  const row = await db.get<{ content: number }>(
    `WITH grown AS (${grown})
     INSERT INTO @piece (content, start_bytes, bytes, start_chars, start_breaks, crc, data)
     SELECT id, p.* FROM grown, (VALUES ${rows.join(', ')}) AS p RETURNING content`,
    content ?? null,
    pieces[0]?.start.bytes ?? 0,
    total,
    ...values,
  );
  if (row !== undefined) return row.content;
  // Given again after an answer that was lost: then it is there already.
  const known = await db.get<{ bytes: number }>(
    'SELECT bytes FROM @content WHERE id = $1 AND hash IS NULL',
    content ?? null,
  );
  if (content === undefined || known?.bytes !== (pieces[0]?.start.bytes ?? 0) + total) throw notWhole();
  return content;
}

/** What writers left that died: content that nobody has added to for a day. */
export const ABANDONED = "hash IS NULL AND written_at < now() - interval '1 day'";

export async function sweepAbandoned(db: Connection): Promise<number> {
  return db.run(`DELETE FROM @content WHERE ${ABANDONED}`);
}

/** Gives up content that was never kept. */
export async function dropWritten(db: Connection, contents: readonly number[]): Promise<void> {
  await db.run('DELETE FROM @content WHERE id = ANY($1::bigint[]) AND hash IS NULL', contents);
}
