/**
 * The two ends of a part, kept while it streams by. Invariant: after any number of pushes the first
 * `reachBytes` and the last `reachBytes` bytes can be read, and no more than that plus two pieces
 * is held. If nothing had to be dropped, the whole part is one run.
 */
import { type ByteRange, type Extent, NOTHING, sum } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import { isLineStart } from '../text/cut.ts';
import { Ruler } from '../text/ruler.ts';

/** A contiguous range of the part that is still in memory. */
export interface Run {
  readonly start: Extent;
  readonly bytes: Uint8Array;
  /** Measures places in its bytes. */
  readonly ruler: Ruler;
}

export function runOf(start: Extent, bytes: Uint8Array): Run {
  return { start, bytes, ruler: new Ruler(bytes) };
}

export class Ends {
  readonly #reachBytes: number;
  readonly #head: Piece[] = [];
  readonly #tail: Piece[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #dropped = false;
  #total: Extent = NOTHING;
  #runs: readonly [Run, Run] | undefined;

  constructor(reachBytes: number) {
    this.#reachBytes = reachBytes;
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    if (this.#headBytes < this.#reachBytes) {
      this.#head.push(piece);
      this.#headBytes += piece.bytes.length;
      return;
    }
    this.#tail.push(piece);
    this.#tailBytes += piece.bytes.length;
    for (let [oldest] = this.#tail; oldest !== undefined; [oldest] = this.#tail) {
      const left = this.#tailBytes - oldest.bytes.length;
      if (left < this.#reachBytes) break;
      this.#tail.shift();
      this.#tailBytes = left;
      this.#dropped = true;
    }
  }

  get total(): Extent {
    return this.#total;
  }

  /**
   * The run that begins at the part's beginning, and the one that ends at its end: the same one if
   * nothing was dropped.
   */
  get runs(): readonly [Run, Run] {
    this.#runs ??= this.#join();
    return this.#runs;
  }

  /** A place that is still held, measured. */
  extentAt(offset: number): Extent {
    const run = this.#runWith(offset);
    return sum(run.start, run.ruler.to(offset - run.start.bytes));
  }

  /** Whether a line begins at a place that is still held. */
  isLineStart(offset: number): boolean {
    const run = this.#runWith(offset);
    return offset === 0 || isLineStart(run.bytes, offset - run.start.bytes);
  }

  /** Whether all of a range is still held. */
  holds({ start, end }: ByteRange): boolean {
    return this.runs.some((run) => start >= run.start.bytes && end <= run.start.bytes + run.bytes.length);
  }

  #runWith(offset: number): Run {
    const [head, tail] = this.runs;
    return offset <= head.start.bytes + head.bytes.length ? head : tail;
  }

  bytes(range: ByteRange): Uint8Array {
    for (const run of this.runs) {
      const from = range.start - run.start.bytes;
      if (from >= 0 && range.end <= run.start.bytes + run.bytes.length)
        return run.bytes.subarray(from, range.end - run.start.bytes);
    }
    throw new RangeError('a selection may only keep what its selector still holds');
  }

  #join(): readonly [Run, Run] {
    if (!this.#dropped) {
      const whole = runOf(NOTHING, concat([...this.#head, ...this.#tail]));
      return [whole, whole];
    }
    const tailStart = this.#tail[0]?.start ?? this.#total;
    return [runOf(NOTHING, concat(this.#head)), runOf(tailStart, concat(this.#tail))];
  }
}

/**
 * Bytes to hold for so many chars: a char is at most three, and a safe cut looks a little beyond.
 */
export function reachBytes(chars: number): number {
  return chars * 3 + 256;
}

/** Whether the last line of a run that reaches the end has no line end. */
export function endsOpen(run: Run): boolean {
  return run.bytes.length > 0 && !isLineStart(run.bytes, run.bytes.length);
}

export function linesOf(ends: Ends): number {
  return ends.total.breaks + (endsOpen(ends.runs[1]) ? 1 : 0);
}

function concat(pieces: readonly Piece[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only.bytes;
  return Buffer.concat(pieces.map((piece) => piece.bytes));
}
