/**
 * Reads one page of a stored part: contiguous, bounded by `pageLimit` chars with its notice, ending
 * at a line end where there is one. Pages of a range put together are that range, byte for byte.
 * The cost does not depend on the size of the part: reading starts at the nearest checkpoint and
 * stops when the page is full.
 */
import type { Extent } from '../model/extent.ts';
import { sum } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import type { ReadFrom, StoredBytes } from '../model/store.ts';
import { cutBefore, lineEndBefore } from '../text/cut.ts';
import { advance, measure } from '../text/utf8.ts';
import { endWithin, type Reach, startWithin } from './range.ts';
import type { Cursor } from './request.ts';

const BYTES_PER_CHAR = 3;
const MARGIN_BYTES = 256;

/** A range of one part. */
export interface ReadRange {
  readonly part: PartRecord;
  readonly bytes: Uint8Array;
  readonly start: Extent;
  readonly end: Extent;
  /** Where to go on, if the range asked for goes on. */
  readonly next: Cursor | null;
}

/**
 * From a place (an offset, not a position: line 1 is 0) up to another, as far as `maxChars` allow.
 */
export async function readRange(
  store: StoredBytes,
  output: OutputRecord,
  part: PartRecord,
  from: ReadFrom,
  to: Reach,
  maxChars: number,
): Promise<ReadRange> {
  const { run, start, ended } = await readRun(
    store,
    output,
    part,
    from,
    maxChars * BYTES_PER_CHAR + MARGIN_BYTES,
  );
  const limit = endWithin(run, start, to);
  const wanted = Math.min(limit, run.length);
  const fits = cutWithin(run, maxChars);
  const end = wanted <= fits ? wanted : pageEnd(run, fits);
  const bytes = run.subarray(0, end);
  const reached = sum(start, measure(bytes));
  const done = (end === wanted && limit <= run.length) || (ended && end === run.length);
  return {
    part,
    bytes,
    start,
    end: reached,
    next: done
      ? null
      : {
          part: part.index,
          start: reached.bytes,
          end: await lastByte(store, output, part, start, limit, to),
        },
  };
}

interface OpenRun {
  readonly run: Uint8Array;
  readonly start: Extent;
  /** Whether the run reaches the end of the part. */
  readonly ended: boolean;
}

/** Collects bytes from a place on until there are enough for a page. */
async function readRun(
  store: StoredBytes,
  output: OutputRecord,
  part: PartRecord,
  from: ReadFrom,
  enough: number,
): Promise<OpenRun> {
  const reading = await store.read(output.id, part.index, from);
  let at = reading.at;
  let started = false;
  const kept: Uint8Array[] = [];
  let size = 0;
  // Where the stored bytes end, the part does, also if its record says that there are more: nobody
  // asks for ever.
  let ended = true;
  for await (const piece of reading.pieces) {
    let bytes = piece;
    if (!started) {
      const skip = startWithin(piece, at, from);
      at = sum(at, measure(piece, 0, skip));
      started = skip < piece.length;
      bytes = piece.subarray(skip);
    }
    kept.push(bytes);
    size += bytes.length;
    if (size >= enough) {
      ended = at.bytes + size >= part.bytes;
      break;
    }
  }
  return {
    run: kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept),
    start: at,
    ended,
  };
}

/** Where the whole range ends, for the cursor: found without reading what lies between. */
async function lastByte(
  store: StoredBytes,
  output: OutputRecord,
  part: PartRecord,
  start: Extent,
  limit: number,
  to: Reach,
): Promise<number> {
  if (limit !== Number.POSITIVE_INFINITY) return start.bytes + limit;
  if ('bytes' in to) return Math.min(to.bytes, part.bytes);
  const beyond = 'lines' in to ? to.lines >= part.lines : to.chars >= part.chars;
  if (beyond) return part.bytes;
  const end = await readRun(
    store,
    output,
    part,
    'lines' in to ? { breaks: to.lines } : { chars: to.chars },
    1,
  );
  return end.start.bytes;
}

function cutWithin(run: Uint8Array, maxChars: number): number {
  return advance(run, 0, maxChars).bytes;
}

/** Back to a line end if the page has one, else to a safe place inside the line. */
function pageEnd(run: Uint8Array, fits: number): number {
  return lineEndBefore(run, 0, fits) ?? (cutBefore(run, fits) || fits);
}
