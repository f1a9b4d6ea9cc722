/**
 * Content: bytes under their hash, stored once, with a count of the parts that refer to it. It has
 * no hash while it is written; if equal content exists by then, that one is used. Released content
 * is marked and deleted in small steps. Each function is one step inside a transaction. Sizes are
 * bytes. Invariant: the counters in `meta` are the bytes being written and the bytes kept.
 */
import { type Extent, NOTHING } from '../../model/extent.ts';
import type { PartTotals } from '../../model/part.ts';
import { PIECE_BYTES, type Piece } from '../../model/piece.ts';
import type { ReadFrom } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { type Codec, LEAST_PACKED_BYTES, packed } from '../codecs.ts';
import type { ArchiveStep, StoredPiece } from '../sql/dialect.ts';
import type { Connection } from './driver.ts';
import { GARBAGE, KEPT, WRITING } from './schema.ts';

/** Content up to this size is deleted at once. On a full disk a deletion must be small. */
const AT_ONCE_BYTES = PIECE_BYTES;

export function beginContent(db: Connection): number {
  return db.insert(`INSERT INTO content (state, bytes, refs) VALUES (${WRITING}, 0, 0)`);
}

export function contentBytes(db: Connection, content: number): number {
  return db.get<{ bytes: number }>('SELECT bytes FROM content WHERE id = ?', content)?.bytes ?? 0;
}

/** Adds the next pieces; the bytes of those in a file are there already. */
export function addPieces(
  db: Connection,
  content: number,
  pieces: readonly Piece[],
  isInFile: (piece: Piece) => boolean,
): void {
  for (const piece of pieces) insertPiece(db, content, piece, isInFile(piece) ? NO_BYTES : piece.bytes);
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

export function dropWritten(db: Connection, content: number): void {
  const bytes = contentBytes(db, content);
  count(db, 'open_bytes', -bytes);
  giveUp(db, content, bytes);
}

export function releaseParts(db: Connection, output: number): number {
  const parts = db.all<{ content: number }>('SELECT content FROM output_part WHERE output = ?', output);
  db.run('DELETE FROM output_part WHERE output = ?', output);
  return parts.reduce((bytes, { content }) => bytes + releaseContent(db, content), 0);
}

function releaseContent(db: Connection, content: number): number {
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

function referToEqual(db: Connection, hash: string): number | undefined {
  const equal = db.get<{ id: number }>('SELECT id FROM content WHERE hash = ?', hash);
  if (equal !== undefined) db.run('UPDATE content SET refs = refs + 1 WHERE id = ?', equal.id);
  return equal?.id;
}

/** Truncates content that is still being written. */
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

export type PieceWithBytes = StoredPiece & { readonly data: Uint8Array };

export function pieceAt(db: Connection, content: number, start: number): PieceWithBytes | undefined {
  const piece = locatedPiece(db, content, start);
  // The file was removed a moment ago: read the row again to find where the bytes are now.
  return piece?.isInFile && piece.data.length === 0 ? locatedPiece(db, content, start) : piece;
}

function locatedPiece(
  db: Connection,
  content: number,
  start: number,
): (PieceWithBytes & { readonly isInFile: boolean }) | undefined {
  const row = db.get<{
    readonly bytes: number;
    readonly crc: number;
    readonly data: Uint8Array;
    readonly codec: string | null;
    readonly packed: Uint8Array | null;
    readonly file: string | null;
    readonly file_start: number;
  }>(
    `SELECT p.bytes, p.crc, p.data, a.codec, a.data AS packed, f.name AS file, f.start_bytes AS file_start FROM piece p
     LEFT JOIN archived a ON length(p.data) = 0 AND a.content = p.content AND a.start_bytes = p.start_bytes
     LEFT JOIN content_file f ON length(p.data) = 0 AND a.codec IS NULL AND f.content = p.content AND f.removed = 0
     WHERE p.content = ? AND p.start_bytes = ?`,
    content,
    start,
  );
  if (row === undefined) return undefined;
  const { bytes, crc, codec, packed, file } = row;
  const data = file === null ? (packed ?? row.data) : db.files.read(file, start - row.file_start, bytes);
  return { start, bytes, crc, data, codec, isInFile: file !== null };
}

/**
 * The last piece that starts at or before the position, by bisection: chars and line ends grow with
 * bytes.
 */
export function checkpoint(db: Connection, content: number, bytes: number, from: ReadFrom): Extent {
  if ('bytes' in from) return lastStart(db, content, from.bytes) ?? NOTHING;
  const isBefore = ({ chars, breaks }: Extent) =>
    'breaks' in from ? breaks < from.breaks : chars <= from.chars;
  let found = NOTHING;
  for (let end = bytes; ; ) {
    const middle = Math.floor((found.bytes + end) / 2);
    const last = lastStart(db, content, middle);
    const next = last !== undefined && last.bytes > found.bytes ? last : nextStart(db, content, middle);
    if (next === undefined || next.bytes >= end) return found;
    if (isBefore(next)) found = next;
    else end = next.bytes;
  }
}

const START =
  'SELECT start_bytes AS bytes, start_chars AS chars, start_breaks AS breaks FROM piece WHERE content = ?';

function lastStart(db: Connection, content: number, upTo: number): Extent | undefined {
  const sql = `${START} AND start_bytes <= ? ORDER BY start_bytes DESC LIMIT 1`;
  return extentOf(db.get<Extent>(sql, content, upTo));
}

function nextStart(db: Connection, content: number, after: number): Extent | undefined {
  return extentOf(
    db.get<Extent>(`${START} AND start_bytes > ? ORDER BY start_bytes LIMIT 1`, content, after),
  );
}

/** Some drivers return rows that are not plain objects. */
function extentOf(row: Extent | undefined): Extent | undefined {
  return row && { bytes: row.bytes, chars: row.chars, breaks: row.breaks };
}

/**
 * A row of `content_file`. `removed`: 0 in use, 1 released, 2 the release is durable and the file
 * may go.
 */
export interface ContentFile {
  readonly name: string;
  readonly start: number;
}

export function nameFile(db: Connection, content: number, { name, start }: ContentFile): void {
  db.run('INSERT INTO content_file VALUES (?, ?, ?, 0)', content, name, start);
}

export function fileOf(db: Connection, content: number): ContentFile | undefined {
  return db.get<ContentFile>(
    'SELECT name, start_bytes AS start FROM content_file WHERE content = ? AND removed = 0',
    content,
  );
}

function giveUpFile(db: Connection, content: number): void {
  db.run('UPDATE content_file SET removed = 1 WHERE content = ? AND removed = 0', content);
}

export function hasFilesToRemove(db: Connection): boolean {
  return db.get('SELECT 1 FROM content_file WHERE removed > 0 LIMIT 1') !== undefined;
}

export function releaseFiles(db: Connection): readonly string[] {
  db.run('UPDATE content_file SET removed = 2 WHERE removed = 1');
  return db.all<{ name: string }>('SELECT name FROM content_file WHERE removed = 2').map(({ name }) => name);
}

export function forgetFiles(db: Connection, names: readonly string[]): void {
  for (const name of names) db.run('DELETE FROM content_file WHERE removed = 2 AND name = ?', name);
}

const PIECES_A_STEP = 8;

/** Compresses the next pieces of a content; pieces in a file move back into rows. */
export function archiveSome(db: Connection, content: number, from: number, codec: Codec): ArchiveStep {
  const pieces = db.all<{ start_bytes: number; crc: number; data: Uint8Array }>(
    `SELECT start_bytes, crc, data FROM piece WHERE content = ? AND start_bytes >= ?
     AND (length(data) >= ${LEAST_PACKED_BYTES} OR ${IN_FILE}) ORDER BY start_bytes LIMIT ?`,
    content,
    from,
    PIECES_A_STEP,
  );
  let [before, after] = [0, 0];
  for (const { start_bytes: start, crc, data: inRow } of pieces) {
    const data = inRow.length > 0 ? inRow : (pieceAt(db, content, start)?.data ?? inRow);
    const smaller = packed(data, crc, codec);
    if (smaller !== null) {
      db.run('INSERT OR REPLACE INTO archived VALUES (?, ?, ?, ?)', content, start, codec.name, smaller);
      db.run("UPDATE piece SET data = x'' WHERE content = ? AND start_bytes = ?", content, start);
      before += data.length;
      after += smaller.length;
    } else if (inRow.length === 0 && crc32(data) === crc)
      db.run('UPDATE piece SET data = ? WHERE content = ? AND start_bytes = ?', data, content, start);
  }
  const last = pieces.at(-1);
  if (pieces.length === PIECES_A_STEP && last !== undefined)
    return { before, after, next: last.start_bytes + 1 };
  // Damaged pieces stay where they are, and so does their file.
  if (db.get(`SELECT 1 FROM piece WHERE content = ? AND ${IN_FILE} LIMIT 1`, content) === undefined)
    giveUpFile(db, content);
  return { before, after };
}

const IN_FILE = `(length(data) = 0 AND NOT EXISTS
  (SELECT 1 FROM archived a WHERE a.content = piece.content AND a.start_bytes = piece.start_bytes))`;
