/**
 * Content: bytes under their hash, stored once, with a count of the parts that refer to it. It has no
 * hash while it is written; if equal content exists by then, that one is used. Released content is
 * marked (`refs`) and deleted later, a bounded number of pieces per commit, so that purging gigabytes
 * never holds the lock for long; its file goes once the release is durable. Sizes are bytes.
 * Invariant: the counters in `meta` are the bytes being written and the bytes kept.
 */
import type { PartTotals } from '../../model/part.ts';
import { PIECE_BYTES, type Piece } from '../../model/piece.ts';
import { crc32, Sha256 } from '../../text/digest.ts';
import type { StoredPiece } from '../sql/dialect.ts';
import { pieceBytes } from '../sql/reading.ts';
import type { Write } from './commits.ts';
import type { Connection } from './driver.ts';
import { GARBAGE, GARBAGE_WITHOUT_FILE } from './schema.ts';

/** Content up to this size is deleted at once. On a full disk a deletion must be small. */
const AT_ONCE_BYTES = PIECE_BYTES;
const NO_BYTES = new Uint8Array();

export function beginContent(db: Connection): number {
  return db.insert('INSERT INTO content (bytes) VALUES (0)');
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

function insertPiece(db: Connection, content: number, { bytes, start }: Piece, data: Uint8Array): void {
  db.run(
    'INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?, NULL, ?)',
    content,
    start.bytes,
    start.chars,
    start.breaks,
    bytes.length,
    crc32(bytes),
    data,
  );
}

/** Content that was written before, as a draft, or that comes with the seal, as pieces. */
type NewContent = { readonly written: number | undefined } | { readonly pieces: readonly Piece[] };

/** Keeps content under its hash. Where equal content is kept already, that one is used. */
export function keepContent(db: Connection, { hash, bytes }: PartTotals, given: NewContent): number {
  const written = 'written' in given ? given.written : undefined;
  const equal = db.get<{ id: number }>('SELECT id FROM content WHERE hash = ?', hash);
  if (equal !== undefined) {
    db.run('UPDATE content SET refs = refs + 1 WHERE id = ?', equal.id);
    if (written !== undefined) dropWritten(db, written);
    return equal.id;
  }
  if (written !== undefined) {
    db.run('UPDATE content SET hash = ?, refs = 1 WHERE id = ?', hash, written);
    count(db, 'open_bytes', -bytes);
  }
  count(db, 'kept_bytes', bytes);
  if (written !== undefined) return written;
  const content = db.insert('INSERT INTO content (hash, bytes, refs) VALUES (?, ?, 1)', hash, bytes);
  for (const piece of 'pieces' in given ? given.pieces : []) insertPiece(db, content, piece, piece.bytes);
  return content;
}

export function dropWritten(db: Connection, content: number): void {
  const bytes = contentBytes(db, content);
  count(db, 'open_bytes', -bytes);
  giveUp(db, content, bytes);
}

export function dropKept(db: Connection, content: number, bytes: number): void {
  count(db, 'kept_bytes', -bytes);
  giveUp(db, content, bytes);
}

/** Truncates content that is still being written. */
export function cutWritten(db: Connection, content: number, bytes: number): void {
  db.run('DELETE FROM piece WHERE content = ? AND start_bytes >= ?', content, bytes);
  count(db, 'open_bytes', bytes - contentBytes(db, content));
  db.run('UPDATE content SET bytes = ? WHERE id = ?', bytes, content);
}

function giveUp(db: Connection, content: number, bytes: number): void {
  if (bytes > AT_ONCE_BYTES || fileOf(db, content) !== undefined) {
    db.run(`UPDATE content SET refs = ${GARBAGE}, hash = NULL WHERE id = ?`, content);
    return;
  }
  db.run('DELETE FROM piece WHERE content = ?', content);
  db.run('DELETE FROM content WHERE id = ?', content);
}

function count(db: Connection, name: 'open_bytes' | 'kept_bytes', bytes: number): void {
  db.run('UPDATE meta SET value = value + ? WHERE name = ?', bytes, name);
}

/** The first piece from a position on. */
export function pieceFrom(db: Connection, content: number, start: number): StoredPiece | undefined {
  const piece = locatedPiece(db, content, start);
  // The file was removed a moment ago: read the row again to find where the bytes are now.
  return piece?.isElsewhere && piece.data?.length === 0 ? locatedPiece(db, content, start) : piece;
}

function locatedPiece(db: Connection, content: number, from: number): StoredPiece | undefined {
  const row = db.get<StoredPiece & { readonly file: string | null; readonly file_start: number }>(
    `SELECT p.start_bytes AS start, p.bytes, p.crc, p.codec, p.data, c.file, c.file_start FROM piece p
     JOIN content c ON c.id = p.content WHERE p.content = ? AND p.start_bytes >= ?
     ORDER BY p.start_bytes LIMIT 1`,
    content,
    from,
  );
  if (row === undefined) return undefined;
  const { start, bytes, crc, codec, file } = row;
  const isElsewhere = file !== null && codec === null && row.data?.length === 0;
  const data = isElsewhere ? db.files.read(file, start - row.file_start, bytes) : row.data;
  return { start, bytes, crc, data, codec, isElsewhere };
}

/** The file that holds a content from byte `start` on. */
export interface ContentFile {
  readonly name: string;
  readonly start: number;
}

export function nameFile(db: Connection, content: number, { name, start }: ContentFile): void {
  db.run('UPDATE content SET file = ?, file_start = ? WHERE id = ?', name, start, content);
}

export function fileOf(db: Connection, content: number): ContentFile | undefined {
  return db.get<ContentFile>(
    'SELECT file AS name, file_start AS start FROM content WHERE id = ? AND file IS NOT NULL',
    content,
  );
}

/** Gives up the file of a content whose pieces are all in rows. Damaged ones stay where they are. */
export function leaveFile(db: Connection, content: number): void {
  const file = fileOf(db, content);
  const inFile =
    'SELECT 1 FROM piece WHERE content = ? AND codec IS NULL AND length(data) = 0 AND bytes > 0 LIMIT 1';
  if (file === undefined || db.get(inFile, content) !== undefined) return;
  db.run('UPDATE content SET file = NULL WHERE id = ?', content);
  db.run(`INSERT INTO content (bytes, refs, file) VALUES (0, ${GARBAGE}, ?)`, file.name);
}

/** Marks garbage whose file may be removed once this is durable. */
function releaseFiles(db: Connection): readonly string[] {
  db.run(`UPDATE content SET refs = ${GARBAGE_WITHOUT_FILE} WHERE refs = ${GARBAGE} AND file IS NOT NULL`);
  const rows = db.all<{ file: string }>(
    `SELECT file FROM content WHERE refs = ${GARBAGE_WITHOUT_FILE} AND file IS NOT NULL`,
  );
  return rows.map(({ file }) => file);
}

function forgetFiles(db: Connection, names: readonly string[]): void {
  for (const name of names)
    db.run(
      `UPDATE content SET refs = ${GARBAGE}, file = NULL WHERE refs = ${GARBAGE_WITHOUT_FILE} AND file = ?`,
      name,
    );
}

const PIECES_A_STEP = 8;
const PAGES_A_STEP = 256;
const FREE_SHARE = 0.25;

export interface Sweeping {
  readonly stopped: () => boolean;
  readonly eager: () => boolean;
  readonly onStep?: ((freeBytes: number) => void) | undefined;
}

export async function sweep(db: Connection, write: Write, how: Sweeping): Promise<void> {
  await removeFiles(db, write);
  for (let more = true; more && !how.stopped(); how.onStep?.(freeBytes(db)))
    more = await write({ durable: false, run: (db) => sweepStep(db, how.eager) });
}

export function hasGarbage(db: Connection): boolean {
  return db.get('SELECT 1 FROM content WHERE refs < 0 LIMIT 1') !== undefined;
}

export function freeBytes(db: Connection): number {
  return db.pragma('freelist_count') * db.pragma('page_size');
}

/** Files go first: that frees the most. */
async function removeFiles(db: Connection, write: Write): Promise<void> {
  if (db.get('SELECT 1 FROM content WHERE refs < 0 AND file IS NOT NULL LIMIT 1') === undefined) return;
  const names = await write({ durable: true, run: releaseFiles });
  const gone = names.filter((name) => db.files.remove(name));
  await write({ durable: false, run: (db) => forgetFiles(db, gone) });
}

function sweepStep(db: Connection, eager: () => boolean): boolean {
  const garbage = db.get<{ id: number }>(
    `SELECT id FROM content WHERE refs < 0 AND refs = ${GARBAGE} AND file IS NULL ORDER BY id LIMIT 1`,
  );
  if (garbage === undefined) return giveBack(db, eager);
  const deleted = db.run(
    'DELETE FROM piece WHERE rowid IN (SELECT rowid FROM piece WHERE content = ? ORDER BY start_bytes LIMIT ?)',
    garbage.id,
    PIECES_A_STEP,
  );
  if (deleted < PIECES_A_STEP) db.run('DELETE FROM content WHERE id = ?', garbage.id);
  return true;
}

function giveBack(db: Connection, eager: () => boolean): boolean {
  const free = db.pragma('freelist_count');
  const many = free >= PAGES_A_STEP && free >= db.pragma('page_count') * FREE_SHARE;
  if (!many && (free === 0 || !eager())) return false;
  db.exec(`PRAGMA incremental_vacuum(${PAGES_A_STEP})`);
  // A file created by another program may not support it.
  return db.pragma('freelist_count') < free;
}

/** Null if some of it is damaged. */
export async function hashOf(
  pieceFrom: (at: number) => Promise<StoredPiece | undefined>,
): Promise<string | null> {
  const hash = new Sha256();
  for (let at = 0; ; ) {
    const piece = await pieceFrom(at);
    if (piece === undefined) return hash.digest();
    const bytes = piece.start === at ? pieceBytes(piece) : null;
    if (bytes === null) return null;
    hash.update(bytes);
    at += bytes.length;
  }
}
