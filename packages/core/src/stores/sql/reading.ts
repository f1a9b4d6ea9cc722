/**
 * Stored content. A part is read from a checkpoint, a few pieces a look-up. Nothing is held open
 * between look-ups, so a slow reader costs writers nothing, and the end of a gigabyte costs what its
 * beginning does.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import { type Extent, NOTHING } from '../../model/extent.ts';
import type { ReadFrom } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { packed, unpacked } from '../records.ts';
import { noSuchOutput, noSuchPart } from '../refusals.ts';
import {
  type ArchiveStep,
  all,
  answer,
  type Dialect,
  get,
  type Query,
  run,
  type StoredPiece,
} from './dialect.ts';

export interface ReadPosition {
  readonly content: number;
  readonly bytes: number;
  readonly at: Extent;
}

export function* openPart(id: ArtifactId, part: number, from: ReadFrom): Query<ReadPosition> {
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
    at: yield* checkpoint(row.content, row.bytes, from),
  };
}

/**
 * The last piece that starts at or before the position, by bisection: chars and line ends grow with
 * bytes.
 */
function* checkpoint(content: number, bytes: number, from: ReadFrom): Query<Extent> {
  if ('bytes' in from)
    return (yield* startNear(content, 'start_bytes <= ? ORDER BY start_bytes DESC', from.bytes)) ?? NOTHING;
  const isBefore = ({ chars, breaks }: Extent) =>
    'breaks' in from ? breaks < from.breaks : chars <= from.chars;
  let found = NOTHING;
  for (let end = bytes; ; ) {
    const middle = Math.floor((found.bytes + end) / 2);
    const last = yield* startNear(content, 'start_bytes <= ? ORDER BY start_bytes DESC', middle);
    const next =
      last !== undefined && last.bytes > found.bytes
        ? last
        : yield* startNear(content, 'start_bytes > ? ORDER BY start_bytes', middle);
    if (next === undefined || next.bytes >= end) return found;
    if (isBefore(next)) found = next;
    else end = next.bytes;
  }
}

function* startNear(content: number, condition: string, position: number): Query<Extent | undefined> {
  const start = yield* get<Extent>(
    `SELECT start_bytes AS bytes, start_chars AS chars, start_breaks AS breaks FROM @piece
     WHERE content = ? AND ${condition} LIMIT 1`,
    content,
    Math.floor(Math.min(Math.max(position, -1), Number.MAX_SAFE_INTEGER)),
  );
  // Some drivers return rows that are not plain objects.
  return start && { bytes: start.bytes, chars: start.chars, breaks: start.breaks };
}

/** Drops the references of an output to its content; returns the bytes freed. */
export function* release(d: Dialect, output: number): Query<number> {
  const parts = yield* all<{ content: number }>(
    'DELETE FROM @part WHERE output = ? RETURNING content',
    output,
  );
  let freed = 0;
  // In one order everywhere, because the rows are locked.
  for (const { content } of parts.sort((a, b) => a.content - b.content)) {
    const left = yield* get<{ refs: number; bytes: number }>(
      'UPDATE @content SET refs = refs - 1 WHERE id = ? RETURNING refs, bytes',
      content,
    );
    if (left === undefined || left.refs > 0) continue;
    freed += left.bytes;
    yield* d.drop(content, left.bytes);
  }
  return freed;
}

const PIECES_A_STEP = 8;

/** Compresses the next pieces of a content; pieces that are kept elsewhere come into rows. */
export function* archiveSome(d: Dialect, content: number, from: number): Query<ArchiveStep> {
  const pieces = yield* d.pieces(content, from, PIECES_A_STEP);
  const total = { before: 0, after: 0 };
  for (const { start, crc, data, codec, isElsewhere } of pieces) {
    // Damaged pieces stay as they are.
    if (codec !== null || data === null || crc32(data) !== crc) continue;
    const smaller = packed(data);
    if (smaller === null && isElsewhere !== true) continue;
    const changed = yield* run(
      'UPDATE @piece SET codec = ?, data = ? WHERE content = ? AND start_bytes = ? AND codec IS NULL',
      smaller?.codec ?? null,
      smaller?.data ?? data,
      content,
      start,
    );
    // Another machine may have been there first.
    if (smaller === null || changed === 0) continue;
    total.before += data.length;
    total.after += smaller.data.length;
  }
  const last = pieces.at(-1);
  if (last !== undefined) return { ...total, next: last.start + 1 };
  yield* d.archived?.(content) ?? answer(undefined);
  return total;
}

/** False if it was purged meanwhile. */
export function* isKept(content: number): Query<boolean> {
  return (yield* get('SELECT 1 FROM @content WHERE id = ? AND hash IS NOT NULL', content)) !== undefined;
}

/**
 * The bytes as they were appended; null where they are damaged. Never empty, so a reader that
 * continues behind them always advances.
 */
export function pieceBytes({ data: stored, codec, bytes, crc }: StoredPiece): Uint8Array | null {
  const data = stored === null || codec === null ? stored : unpacked(stored, codec);
  // The type of a column can be forged.
  const isWhole = data instanceof Uint8Array && data.length > 0 && data.length === bytes;
  return isWhole && crc32(data) === crc ? data : null;
}

export function damagedPiece(id: ArtifactId, part: number, what: 'damaged' | 'missing'): SpillwayError {
  const wrong = what === 'missing' ? 'are missing' : 'do not match their checksum';
  return new SpillwayError(
    'corrupt',
    `Stored bytes of ${id}, part ${part}, ${wrong}: restore the store from a copy.`,
  );
}
