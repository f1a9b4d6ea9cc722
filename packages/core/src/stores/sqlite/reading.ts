/**
 * Reads a part from a checkpoint, one piece a pull. Nothing is held open between pulls, neither
 * transaction nor statement, so a slow reader costs writers nothing. Each step is one look-up by
 * index: the end of a gigabyte costs what its beginning does.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import { type Extent, NOTHING } from '../../model/extent.ts';
import type { ReadFrom } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { type Codec, codecNamed } from '../codecs.ts';
import { noSuchOutput, noSuchPart } from '../refusals.ts';
import { contentBytes } from './contents.ts';
import type { Connection } from './driver.ts';

/** Where a reading stands: the content and the byte at which its next piece begins. */
export interface ReadPosition {
  readonly content: number;
  readonly at: Extent;
}

/** A piece as it is stored; nothing in it is believed before `bytesOf` has looked at it. */
export interface Piece {
  readonly bytes: number;
  /** The bytes, from the row or from a file; none where they were compressed or are missing. */
  readonly data: Uint8Array;
  readonly crc: number;
  /** Set where the bytes were compressed. */
  readonly codec: string | null;
  readonly packed: Uint8Array | null;
  /** Set where the bytes are in a file, and where that begins. */
  readonly file: string | null;
  readonly file_start: number | null;
}

export function openPart(db: Connection, id: ArtifactId, part: number, from: ReadFrom): ReadPosition {
  const output = db.get<{ seq: number }>('SELECT seq FROM output WHERE id = ? AND purged_at IS NULL', id);
  if (output === undefined) throw noSuchOutput();
  const row = db.get<{ content: number }>(
    'SELECT content FROM output_part WHERE output = ? AND idx = ?',
    output.seq,
    part,
  );
  if (row === undefined) throw noSuchPart(part);
  return { content: row.content, at: checkpoint(db, row.content, from) };
}

/** The piece at a place; none at the end of the content. */
export function pieceAt(db: Connection, content: number, startBytes: number): Piece | undefined {
  const piece = locatedPiece(db, content, startBytes);
  // A file that is gone was given up a moment ago: the row says where the bytes are now.
  return piece?.file != null && piece.data.length === 0 ? locatedPiece(db, content, startBytes) : piece;
}

function locatedPiece(db: Connection, content: number, startBytes: number): Piece | undefined {
  const row = db.get<Piece>(
    `SELECT p.bytes, p.crc, p.data, a.codec, a.data AS packed, f.name AS file, f.start_bytes AS file_start FROM piece p
     LEFT JOIN archived a ON length(p.data) = 0 AND a.content = p.content AND a.start_bytes = p.start_bytes
     LEFT JOIN content_file f ON length(p.data) = 0 AND a.codec IS NULL AND f.content = p.content AND f.removed = 0
     WHERE p.content = ? AND p.start_bytes = ?`,
    content,
    startBytes,
  );
  if (row?.file == null || row.file_start === null) return row;
  return { ...row, data: db.files.read(row.file, startBytes - row.file_start, row.bytes) };
}

/**
 * The bytes as they were appended; null where they are damaged. Never empty, so that a reader who
 * goes on behind them gets on. `own`: the codec of the store, asked for where one is needed.
 */
export function bytesOf(piece: Piece, own: () => Codec): Uint8Array | null {
  const data = unpacked(piece, own);
  const isWhole = data instanceof Uint8Array && data.length > 0 && data.length === piece.bytes;
  return isWhole && crc32(data) === piece.crc ? data : null;
}

/** Null where what was compressed cannot be brought back. */
function unpacked({ data, codec, packed }: Piece, own: () => Codec): Uint8Array | null {
  if (codec === null || packed === null) return data;
  const { decompress } = codecNamed(codec, own());
  try {
    // A copy of its own: whoever gets it may hand it to another thread.
    return new Uint8Array(decompress(packed));
  } catch {
    // Damaged.
    return null;
  }
}

/**
 * Whether the content is still whole when a piece is missing at `startBytes`, i.e. whether that is
 * its end.
 */
export function isEnd(db: Connection, content: number, startBytes: number): boolean {
  return (
    db.get('SELECT 1 FROM content WHERE id = ? AND hash IS NOT NULL AND bytes = ?', content, startBytes) !==
    undefined
  );
}

/** Whether it was not purged meanwhile. */
export function isKept(db: Connection, content: number): boolean {
  return db.get('SELECT 1 FROM content WHERE id = ? AND hash IS NOT NULL', content) !== undefined;
}

export function damagedPiece(id: ArtifactId, part: number): SpillwayError {
  return new SpillwayError(
    'corrupt',
    `Stored bytes of ${id}, part ${part}, do not match their checksum: restore the store from a copy.`,
  );
}

export function missingPiece(id: ArtifactId, part: number): SpillwayError {
  return new SpillwayError(
    'corrupt',
    `Stored bytes of ${id}, part ${part}, are missing: restore the store from a copy.`,
  );
}

/**
 * The last piece that starts at or before the place. Chars and line ends grow with the bytes, so it
 * is found by halving.
 */
function checkpoint(db: Connection, content: number, from: ReadFrom): Extent {
  if ('bytes' in from) return lastStart(db, content, from.bytes) ?? NOTHING;
  const isBefore = ({ chars, breaks }: Extent) =>
    'breaks' in from ? breaks < from.breaks : chars <= from.chars;
  let found = NOTHING;
  for (let end = contentBytes(db, content); ; ) {
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
