/**
 * Content: bytes under their hash, stored once, with the number of parts that refer to it. While it
 * is being written it has no hash; when an equal one exists already, that one wins. Content that is
 * given up is marked and deleted in small steps. Each function is one step inside a
 * transaction. Sizes are bytes.
 * Invariant: the two counters in `meta` are the bytes being written and the bytes kept.
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

/** The parts of an output refer no longer; returns the bytes freed. */
export function releaseParts(db: Connection, output: number): number {
  const parts = db.all<{ content: number }>('SELECT content FROM output_part WHERE output = ?', output);
  db.run('DELETE FROM output_part WHERE output = ?', output);
  return parts.reduce((bytes, { content }) => bytes + releaseContent(db, content), 0);
}

/** One part fewer refers to it; returns the bytes freed, 0 if others still do. */
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

/** A piece with its bytes at hand, as they are stored. */
export type PieceWithBytes = StoredPiece & { readonly data: Uint8Array };

/** The piece at a place; none at the end of the content. */
export function pieceAt(db: Connection, content: number, start: number): PieceWithBytes | undefined {
  const piece = locatedPiece(db, content, start);
  // A file that is gone was given up a moment ago: the row says where the bytes are now.
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
 * The start of the last piece that begins at or before the place. Chars and line ends grow with the
 * bytes, so it is found by halving.
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

/** Rows of some drivers are no plain objects. */
function extentOf(row: Extent | undefined): Extent | undefined {
  return row && { bytes: row.bytes, chars: row.chars, breaks: row.breaks };
}

/**
 * Content that continues in a file has a row in `content_file`. `removed` is 0 while the file is in
 * use, 1 once nothing refers to it, and 2 once that is durable, so that the file may go.
 */
export interface ContentFile {
  readonly name: string;
  /** Where in the content the file begins. */
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

/** Nothing refers to the content any more, or all of it is in rows. */
function giveUpFile(db: Connection, content: number): void {
  db.run('UPDATE content_file SET removed = 1 WHERE content = ? AND removed = 0', content);
}

export function hasFilesToRemove(db: Connection): boolean {
  return db.get('SELECT 1 FROM content_file WHERE removed > 0 LIMIT 1') !== undefined;
}

/** The names of files that may go once this is durable. */
export function releaseFiles(db: Connection): readonly string[] {
  db.run('UPDATE content_file SET removed = 2 WHERE removed = 1');
  return db.all<{ name: string }>('SELECT name FROM content_file WHERE removed = 2').map(({ name }) => name);
}

/** After the files are gone. */
export function forgetFiles(db: Connection, names: readonly string[]): void {
  for (const name of names) db.run('DELETE FROM content_file WHERE removed = 2 AND name = ?', name);
}

const PIECES_A_STEP = 8;

/** Compresses the next few pieces of a content; those in a file come back into rows. */
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
  // What is damaged stays where it is, and its file with it.
  if (db.get(`SELECT 1 FROM piece WHERE content = ? AND ${IN_FILE} LIMIT 1`, content) === undefined)
    giveUpFile(db, content);
  return { before, after };
}

/** That the bytes of a piece are in a file: neither in its row nor compressed. */
const IN_FILE = `(length(data) = 0 AND NOT EXISTS
  (SELECT 1 FROM archived a WHERE a.content = piece.content AND a.start_bytes = piece.start_bytes))`;
