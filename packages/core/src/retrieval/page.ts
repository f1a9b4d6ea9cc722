/**
 * Ranges of a stored part: one page of it, or all of its bytes. A page is contiguous, bounded by
 * `maxChars`, and ends at a line end where there is one; pages of a range put together are that
 * range, byte for byte. Reading starts at the nearest checkpoint and stops when the page is full, so
 * the cost does not depend on the size of the part. Stored pieces never end inside a character or
 * between CR and LF, so both ends of a range can be found piece by piece.
 */
import { invalidArgument } from '../model/errors.ts';
import { type Extent, sum } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import { redactedIn } from '../model/part.ts';
import type { ReadFrom, Reading, Store } from '../model/store.ts';
import { cutBefore, lineEndBefore } from '../text/cut.ts';
import { advance, characterStart, measure, offsetOfChar } from '../text/utf8.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { Cursor, FetchRequest, Want } from './request.ts';
import { isRead, positionIn, type StoredPartReader, StoredParts } from './stored-parts.ts';

const BYTES_PER_CHAR = 3;
const MARGIN_BYTES = 256;

type Reach = { readonly lines: number } | { readonly chars: number } | { readonly bytes: number };

/** Offsets: line 1 is 0. */
export interface WantedRange {
  readonly from: ReadFrom;
  readonly to: Reach;
}

export interface ReadRange {
  readonly bytes: Uint8Array;
  readonly start: Extent;
  readonly end: Extent;
  /** Where to go on, if the range asked for goes on. */
  readonly next: Cursor | null;
}

export function rangeOf(want: Exclude<Want, { kind: 'pattern' | 'structure' }>): WantedRange {
  if (want.kind === 'all') return { from: { bytes: 0 }, to: { bytes: Number.MAX_SAFE_INTEGER } };
  if (want.kind === 'cursor') return { from: { bytes: want.cursor.start }, to: { bytes: want.cursor.end } };
  if (want.kind === 'chars') return { from: { chars: want.first - 1 }, to: { chars: want.last } };
  return { from: { breaks: want.first - 1 }, to: { lines: want.last } };
}

export async function readRange(
  reader: StoredPartReader,
  { from, to }: WantedRange,
  maxChars: number,
): Promise<ReadRange> {
  const { run, start, ended } = await readRun(reader, from, maxChars * BYTES_PER_CHAR + MARGIN_BYTES);
  const limit = endWithin(run, start, to);
  const wanted = Math.min(limit, run.length);
  const fits = advance(run, 0, maxChars).bytes;
  // Back to a line end if there is one, else to a safe cut inside the line.
  const end = wanted <= fits ? wanted : (lineEndBefore(run, 0, fits) ?? (cutBefore(run, fits) || fits));
  const bytes = run.subarray(0, end);
  const reached = sum(start, measure(bytes));
  const done = (end === wanted && limit <= run.length) || (ended && end === run.length);
  if (done) return { bytes, start, end: reached, next: null };
  const last = await lastByte(reader, start, limit, to);
  return { bytes, start, end: reached, next: { part: reader.part.index, start: reached.bytes, end: last } };
}

/**
 * The exact bytes of what was asked for, without paging: for `--raw`, for plain copies and for
 * programs. Each part is opened and read once; memory holds one piece.
 */
export async function* readRaw(
  store: Store,
  output: OutputRecord,
  request: Pick<FetchRequest, 'part' | 'want'>,
): AsyncGenerator<Uint8Array> {
  const { want } = request;
  if (want.kind === 'pattern' || want.kind === 'structure')
    throw invalidArgument(
      REFUSED_ARGUMENT.noRawForm(want.kind === 'pattern' ? 'A pattern search' : want.address.argument),
    );
  const parts = new StoredParts(store, output);
  const isAll = request.part === null && want.kind === 'all';
  const chosen = isAll ? parts.content(isRead) : [await parts.choose(request)];
  for await (const found of chosen) {
    if (found === undefined) continue;
    const { part, isLate } = found;
    const isAsCame =
      want.kind === 'all' && !isLate && (part.encoding !== undefined || redactedIn([part]) > 0);
    yield* readWhole(parts.open(isAsCame ? { part } : found), rangeOf(want));
  }
}

async function* readWhole(reader: StoredPartReader, { from, to }: WantedRange): AsyncGenerator<Uint8Array> {
  const { at, pieces } = await opened(reader, from);
  const isWhole = 'bytes' in to && to.bytes >= reader.part.bytes;
  let start = at;
  for await (const piece of pieces) {
    const end = isWhole ? Number.POSITIVE_INFINITY : endWithin(piece, start, to);
    if (end > 0) yield piece.subarray(0, end);
    if (end <= piece.length) return;
    if (!isWhole) start = sum(start, measure(piece));
  }
}

interface OpenRun {
  readonly run: Uint8Array;
  readonly start: Extent;
  readonly ended: boolean;
}

async function readRun(reader: StoredPartReader, from: ReadFrom, enough: number): Promise<OpenRun> {
  const { at: start, pieces } = await opened(reader, from);
  const kept: Uint8Array[] = [];
  let size = 0;
  // The part ends where its stored bytes do, whatever its record says.
  let ended = true;
  for await (const piece of pieces) {
    kept.push(piece);
    size += piece.length;
    if (size < enough) continue;
    ended = start.bytes + size >= reader.part.bytes;
    break;
  }
  return { run: kept.length === 1 ? (kept[0] as Uint8Array) : Buffer.concat(kept), start, ended };
}

function opened(reader: StoredPartReader, from: ReadFrom): Promise<Reading> {
  return reader.exactly(from, undefined, (piece, at) =>
    'bytes' in from
      ? Math.min(piece.length, characterStart(piece, from.bytes - at.bytes))
      : positionIn(piece, at, from),
  );
}

/** Found without reading what lies between, for the cursor. */
async function lastByte(reader: StoredPartReader, start: Extent, limit: number, to: Reach): Promise<number> {
  const { bytes, lines, chars } = reader.part;
  if (limit !== Number.POSITIVE_INFINITY) return start.bytes + limit;
  if ('bytes' in to) return Math.min(to.bytes, bytes);
  if ('lines' in to ? to.lines >= lines : to.chars >= chars) return bytes;
  const end = await readRun(reader, 'lines' in to ? { breaks: to.lines } : { chars: to.chars }, 1);
  return end.start.bytes;
}

/** Infinity if it ends behind the run. */
function endWithin(run: Uint8Array, start: Extent, to: Reach): number {
  const later = Number.POSITIVE_INFINITY;
  if ('bytes' in to) {
    const end = Math.max(0, to.bytes - start.bytes);
    // Our own cursors never point into a character.
    return end <= run.length ? characterStart(run, end) : later;
  }
  if ('chars' in to) {
    const end = offsetOfChar(run, Math.max(0, to.chars - start.chars));
    return measure(run, 0, end).chars + start.chars >= to.chars ? end : later;
  }
  const breaks = Math.max(0, to.lines - start.breaks);
  const reached = advance(run, 0, Number.POSITIVE_INFINITY, breaks);
  return reached.breaks === breaks ? reached.bytes : later;
}
