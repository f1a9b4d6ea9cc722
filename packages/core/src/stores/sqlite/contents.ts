/**
 * Content: bytes under their hash, stored once, with the number of parts that refer to it. While it
 * is being written it has no hash; when an equal one exists already, that one wins. Large content
 * is not deleted where it is given up but marked, and swept in small steps (see sweeping.ts).
 * Invariant: the two counters in `meta` are the bytes being written and the bytes kept.
 */
import type { PartTotals } from '../../model/part.ts';
import { PIECE_BYTES, type Piece } from '../../model/piece.ts';
import { crc32 } from '../../text/digest.ts';
import type { Connection } from './driver.ts';
import { giveUpFile } from './large-content.ts';
import { GARBAGE, KEPT, WRITING } from './schema.ts';

/**
 * Content up to this size is deleted at once: not more, since on a full disk a deletion must be
 * small.
 */
const AT_ONCE_BYTES = PIECE_BYTES;

export function beginContent(db: Connection): number {
  return db.insert(`INSERT INTO content (state, bytes, refs) VALUES (${WRITING}, 0, 0)`);
}

export function contentBytes(db: Connection, content: number): number {
  return db.get<{ bytes: number }>('SELECT bytes FROM content WHERE id = ?', content)?.bytes ?? 0;
}

/** Adds the next pieces; the bytes of those `in file` are there already. */
export function addPieces(
  db: Connection,
  content: number,
  pieces: readonly Piece[],
  where: 'in rows' | 'in file',
): void {
  for (const piece of pieces) insertPiece(db, content, piece, where === 'in rows' ? piece.bytes : NO_BYTES);
  const bytes = pieces.reduce((sum, { extent }) => sum + extent.bytes, 0);
  db.run('UPDATE content SET bytes = bytes + ? WHERE id = ?', bytes, content);
  count(db, 'open_bytes', bytes);
}

const NO_BYTES = new Uint8Array();

function insertPiece(
  db: Connection,
  content: number,
  { bytes, start, extent, illFormed }: Piece,
  data: Uint8Array,
): void {
  db.run(
    'INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    content,
    start.bytes,
    start.chars,
    start.breaks,
    extent.bytes,
    extent.chars,
    extent.breaks,
    illFormed,
    crc32(bytes),
    data,
  );
}

/** Adds content that is whole, under its hash; returns the content to refer to. */
export function addContent(db: Connection, totals: PartTotals, pieces: readonly Piece[]): number {
  const equal = referToEqual(db, totals.hash);
  if (equal !== undefined) return equal;
  const content = db.insert(
    `INSERT INTO content (state, hash, bytes, refs) VALUES (${KEPT}, ?, ?, 1)`,
    totals.hash,
    totals.bytes,
  );
  for (const piece of pieces) insertPiece(db, content, piece, piece.bytes);
  count(db, 'kept_bytes', totals.bytes);
  return content;
}

/** Gives what was written its place under its hash; returns the content to refer to. */
export function keepContent(db: Connection, written: number | undefined, totals: PartTotals): number {
  const equal = referToEqual(db, totals.hash);
  if (equal !== undefined) {
    if (written !== undefined) dropWritten(db, written);
    return equal;
  }
  const content = written ?? beginContent(db);
  db.run(`UPDATE content SET state = ${KEPT}, hash = ?, refs = 1 WHERE id = ?`, totals.hash, content);
  count(db, 'open_bytes', -totals.bytes);
  count(db, 'kept_bytes', totals.bytes);
  return content;
}

/** Gives up content that was never kept. */
export function dropWritten(db: Connection, content: number): void {
  const bytes = contentBytes(db, content);
  count(db, 'open_bytes', -bytes);
  giveUp(db, content, bytes);
}

/** One part fewer refers to it; returns the bytes freed, 0 if others still do. */
export function releaseContent(db: Connection, content: number): number {
  db.run('UPDATE content SET refs = refs - 1 WHERE id = ?', content);
  const row = db.get<{ refs: number; bytes: number }>(
    'SELECT refs, bytes FROM content WHERE id = ?',
    content,
  );
  if (row === undefined || row.refs > 0) return 0;
  count(db, 'kept_bytes', -row.bytes);
  giveUp(db, content, row.bytes);
  return row.bytes;
}

/** Bytes that count against the limit: kept and being written. */
export function bytesHeld(db: Connection): { readonly open: number; readonly kept: number } {
  const rows = db.all<{ name: string; value: number }>(
    "SELECT name, value FROM meta WHERE name IN ('open_bytes', 'kept_bytes')",
  );
  const value = (name: string) => rows.find((row) => row.name === name)?.value ?? 0;
  return { open: value('open_bytes'), kept: value('kept_bytes') };
}

/** One part more refers to the content under this hash, if there is one. */
function referToEqual(db: Connection, hash: string): number | undefined {
  const equal = db.get<{ id: number }>('SELECT id FROM content WHERE hash = ?', hash);
  if (equal !== undefined) db.run('UPDATE content SET refs = refs + 1 WHERE id = ?', equal.id);
  return equal?.id;
}

/** Forgets what comes behind the first so many bytes of content that was never kept. */
export function cutWritten(db: Connection, content: number, bytes: number): void {
  db.run('DELETE FROM piece WHERE content = ? AND start_bytes >= ?', content, bytes);
  count(db, 'open_bytes', bytes - contentBytes(db, content));
  db.run('UPDATE content SET bytes = ? WHERE id = ?', bytes, content);
}

function giveUp(db: Connection, content: number, bytes: number): void {
  giveUpFile(db, content);
  if (bytes > AT_ONCE_BYTES) {
    db.run(`UPDATE content SET state = ${GARBAGE}, hash = NULL WHERE id = ?`, content);
    return;
  }
  db.run('DELETE FROM piece WHERE content = ?', content);
  db.run('DELETE FROM content WHERE id = ?', content);
}

function count(db: Connection, name: 'open_bytes' | 'kept_bytes', bytes: number): void {
  db.run('UPDATE meta SET value = value + ? WHERE name = ?', bytes, name);
}
