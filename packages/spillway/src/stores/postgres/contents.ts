/**
 * Content: bytes under their hash, stored once, with the number of parts that refer to it. Sizes
 * are bytes.
 */
import { crc32 } from 'node:zlib';
import { type PartTotals, type Piece, SpillwayError } from '@spillway/core/store';
import type { Connection } from './driver.ts';

/** Appends a piece in one statement; without `content` it begins one. Returns the content. */
export async function addPiece(db: Connection, content: string | undefined, piece: Piece): Promise<string> {
  const { bytes, start } = piece;
  const grown =
    content === undefined
      ? 'INSERT INTO @content (bytes) SELECT $3::bigint WHERE $1::bigint IS NULL AND $2::bigint = 0 RETURNING id'
      : 'UPDATE @content SET bytes = bytes + $3 WHERE id = $1 AND bytes = $2 AND hash IS NULL RETURNING id';
  const row = await db.get<{ content: string }>(
    `WITH grown AS (${grown})
     INSERT INTO @piece (content, start_bytes, bytes, start_chars, start_breaks, crc, data)
     SELECT id, $2, $3, $4, $5, $6, $7 FROM grown RETURNING content`,
    content ?? null,
    start.bytes,
    bytes.length,
    start.chars,
    start.breaks,
    crc32(bytes),
    bytes,
  );
  if (row === undefined) throw notWhole();
  return row.content;
}

/** Gives what was written its place under its hash; returns the content to refer to. */
export async function keepContent(
  db: Connection,
  written: string | undefined,
  { hash, bytes }: PartTotals,
): Promise<string> {
  const equal = await db.get<{ id: string }>(
    'UPDATE @content SET refs = refs + 1 WHERE hash = $1 RETURNING id',
    hash,
  );
  if (equal !== undefined) {
    if (written !== undefined) await dropWritten(db, [written]);
    return equal.id;
  }
  const kept =
    written === undefined
      ? await db.get<{ id: string }>(
          'INSERT INTO @content (hash, bytes, refs) SELECT $1, 0, 1 WHERE $2::bigint = 0 RETURNING id',
          hash,
          bytes,
        )
      : await db.get<{ id: string }>(
          'UPDATE @content SET hash = $1, refs = 1 WHERE id = $2 AND bytes = $3 RETURNING id',
          hash,
          written,
          bytes,
        );
  if (kept === undefined) throw notWhole();
  return kept.id;
}

/** Gives up content that was never kept. */
export async function dropWritten(db: Connection, contents: readonly string[]): Promise<void> {
  await db.run('DELETE FROM @content WHERE id = ANY($1::bigint[]) AND hash IS NULL', contents);
}

/** Every part of an output refers no longer; returns the bytes freed. */
export async function releaseParts(db: Connection, output: string): Promise<number> {
  const parts = await db.all<{ content: string }>(
    'DELETE FROM @part WHERE output = $1 RETURNING content',
    output,
  );
  const contents = parts.map(({ content }) => content);
  await db.run(
    `UPDATE @content SET refs = refs - gone.parts
     FROM (SELECT id, count(*) AS parts FROM unnest($1::bigint[]) AS id GROUP BY id) AS gone WHERE gone.id = @content.id`,
    contents,
  );
  const freed = await db.all<{ bytes: string }>(
    'DELETE FROM @content WHERE id = ANY($1::bigint[]) AND refs = 0 RETURNING bytes',
    contents,
  );
  return freed.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

/** Bytes kept and bytes being written. */
export async function bytesHeld(db: Connection): Promise<{ readonly open: number; readonly kept: number }> {
  const row = await db.get<{ open: string | null; kept: string | null }>(
    'SELECT sum(bytes) FILTER (WHERE hash IS NULL) AS open, sum(bytes) FILTER (WHERE hash IS NOT NULL) AS kept FROM @content',
  );
  return { open: Number(row?.open ?? 0), kept: Number(row?.kept ?? 0) };
}

function notWhole(): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    'Not every piece of this output could be stored; discard it and store it again.',
  );
}
