/** Writes chosen runs into a selection: their formatting elided, everything between them omitted; and remembers their bytes. */
import type { ByteRange, Extent } from '../../model/extent.ts';
import { NOTHING, sum } from '../../model/extent.ts';
import type { Selection } from '../../model/selection.ts';
import type { CleanRange } from '../../text/clean.ts';
import { CoverBuilder } from '../../text/cover.ts';
import { measure } from '../../text/utf8.ts';

export interface KeptRun {
  readonly start: Extent;
  readonly end: Extent;
  /** Where the lines begin that a carriage return overwrote with this one. */
  readonly hidden: Extent | null;
  /** The same line over again behind it. */
  readonly again: { readonly count: number; readonly end: Extent } | null;
  readonly bytes: Uint8Array;
  readonly clean: readonly CleanRange[];
  /** Whether it begins a line. */
  readonly first: boolean;
}

export class KeptRuns {
  readonly #runs: readonly KeptRun[];
  readonly #total: Extent;
  readonly #openLine: boolean;

  /** Runs in order, not overlapping. */
  constructor(runs: readonly KeptRun[], total: Extent, openLine: boolean) {
    this.#runs = runs;
    this.#total = total;
    this.#openLine = openLine;
  }

  selection(): Selection {
    const cover = new CoverBuilder();
    let at = NOTHING;
    let endsLine = true;
    for (const [i, run] of this.#runs.entries()) {
      if (run.hidden?.bytes === at.bytes) cover.elide(at, run.start, 'overwritten');
      else if (run.start.bytes > at.bytes) cover.omit(at, run.start, run.first);
      this.#keep(cover, run);
      at = run.end;
      endsLine = endsWithBreak(run.bytes);
      // Said only where nothing else is left out with it.
      const following = this.#runs[i + 1];
      const next = following?.hidden ?? following?.start ?? this.#total;
      if (run.again !== null && run.again.end.bytes === next.bytes) {
        cover.omit(at, next, true, { unit: 'repeat', count: run.again.count });
        at = next;
      }
    }
    if (at.bytes < this.#total.bytes) cover.omit(at, this.#total, !this.#openLine);
    return cover.finish(this.#openLine && !(at.bytes === this.#total.bytes && endsLine));
  }

  bytes({ start, end }: ByteRange): Uint8Array {
    const parts: Uint8Array[] = [];
    for (const run of this.#runs) {
      const from = Math.max(start, run.start.bytes);
      const to = Math.min(end, run.end.bytes);
      if (to > from) parts.push(run.bytes.subarray(from - run.start.bytes, to - run.start.bytes));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #keep(cover: CoverBuilder, { start, end, bytes, clean }: KeptRun): void {
    let at = start;
    let offset = 0;
    for (const { from, to, why } of clean) {
      const before = sum(at, measure(bytes, offset, from));
      cover.keep(at, before, false);
      at = sum(before, measure(bytes, from, to));
      cover.elide(before, at, why);
      offset = to;
    }
    cover.keep(at, end, endsWithBreak(bytes));
  }
}

/** Whether it is a line, or lines, from beginning to end. */
export function isWholeLine({ first, bytes }: KeptRun): boolean {
  return first && endsWithBreak(bytes);
}

function endsWithBreak(bytes: Uint8Array): boolean {
  const last = bytes[bytes.length - 1];
  return last === 10 || last === 13;
}
