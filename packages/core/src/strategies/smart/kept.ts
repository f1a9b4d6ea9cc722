/**
 * Writes chosen runs into a selection, everything between them omitted; and remembers their bytes.
 * A run may hold a value of which only a part is kept, as its own grammar has it.
 */

import type { Runs } from '../../formats/json/keep/runs.ts';
import type { ByteRange, Extent } from '../../model/extent.ts';
import { NOTHING } from '../../model/extent.ts';
import type { Selection } from '../../model/selection.ts';
import { CoverBuilder } from '../../text/cover.ts';
import { AlikeNotes } from './alike-notes.ts';
import type { DiagnosticGroup } from './diagnostics.ts';

export interface KeptRun {
  readonly start: Extent;
  readonly end: Extent;
  /** The same line over again behind it. */
  readonly again: { readonly count: number; readonly end: Extent } | null;
  readonly bytes: Uint8Array;
  /** Whether it begins a line. */
  readonly first: boolean;
  /**
   * The diagnostics that say the same, if it is one; `isFirst`: the first of them tells how many
   * more there are.
   */
  readonly group?: { readonly of: DiagnosticGroup; readonly isFirst: boolean };
  /** The time stamp it begins with, where that may be left out. */
  readonly stamp?: LineStamp;
}

/**
 * A time stamp at the beginning of a line: left out where the line above, which is shown, is of the
 * same second.
 */
export interface LineStamp {
  /** Also its bytes: stamps are ASCII. */
  readonly chars: number;
  /** Date and time up to the second. */
  readonly second: string;
  /** Whether a runner put it there: it is left out behind a gap too. */
  readonly isOfRunner: boolean;
}

/** A run with a value in it, and what is kept of that. */
export interface KeptBlock {
  readonly start: Extent;
  readonly end: Extent;
  readonly again: null;
  readonly first: boolean;
  /** What stands before the value in its first line, and behind it in its last. */
  readonly lead: KeptRun;
  readonly trail: KeptRun;
  readonly value: Runs;
}

export class KeptRuns {
  readonly #runs: readonly (KeptRun | KeptBlock)[];
  readonly #total: Extent;
  readonly #openLine: boolean;
  readonly #notes: number;

  /**
   * Runs in order, not overlapping. `notes`: the chars that markers may take to tell of diagnostics
   * that say the same.
   */
  constructor(runs: readonly (KeptRun | KeptBlock)[], total: Extent, openLine: boolean, notes = 0) {
    this.#notes = notes;
    this.#runs = runs;
    this.#total = total;
    this.#openLine = openLine;
  }

  selection(): Selection {
    const cover = new CoverBuilder();
    let at = NOTHING;
    let endsLine = true;
    let above: LineStamp | undefined;
    const alike = new AlikeNotes(this.#runs, this.#notes);
    for (const [i, run] of this.#runs.entries()) {
      if (run.start.bytes > at.bytes) {
        cover.omit(at, run.start, run.first, alike.atGap());
        if (above?.isOfRunner !== true) above = undefined;
      }
      const stamp = 'value' in run ? undefined : run.stamp;
      const isAgain = stamp !== undefined && stamp.second === above?.second;
      writeRun(cover, isAgain ? elideStamp(cover, run, stamp) : run);
      above = stamp;
      alike.add(run);
      at = run.end;
      endsLine = endsWithBreak('value' in run ? run.trail.bytes : run.bytes);
      // Said only where nothing else is left out with it.
      const following = this.#runs[i + 1];
      const next = following?.start ?? this.#total;
      if (run.again !== null && run.again.end.bytes === next.bytes) {
        cover.omit(at, next, true, { unit: 'repeat', count: run.again.count });
        at = next;
      }
    }
    if (at.bytes < this.#total.bytes) cover.omit(at, this.#total, !this.#openLine, alike.atGap());
    return cover.finish(this.#openLine && !(at.bytes === this.#total.bytes && endsLine));
  }

  bytes({ start, end }: ByteRange): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let i = this.#firstBehind(start); i < this.#runs.length; i++) {
      const run = this.#runs[i] as KeptRun | KeptBlock;
      if (run.start.bytes >= end) break;
      if ('value' in run) parts.push(...bytesIn(run, start, end));
      else parts.push(bytesOf(run, start, end));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  /** The first run that ends behind an offset. */
  #firstBehind(offset: number): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle] as KeptRun | KeptBlock).end.bytes <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Elides the stamp of a run; gives what is left of it. */
function elideStamp<T extends KeptRun | KeptBlock>(cover: CoverBuilder, run: T, { chars }: LineStamp): T {
  const { start } = run;
  const behind = { bytes: start.bytes + chars, chars: start.chars + chars, breaks: start.breaks };
  cover.elide(start, behind, 'timestamp');
  return { ...run, start: behind };
}

/** Writes one run: it follows what was written before. */
export function writeRun(cover: CoverBuilder, run: KeptRun | KeptBlock): void {
  if (!('value' in run)) {
    writeText(cover, run);
    return;
  }
  writeText(cover, run.lead);
  run.value.writeTo(cover, run.lead.end);
  writeText(cover, run.trail);
}

function writeText(cover: CoverBuilder, { start, end, bytes }: KeptRun): void {
  cover.keep(start, end, endsWithBreak(bytes));
}

/** What a run holds of a range. */
function bytesOf({ start, bytes }: KeptRun, from: number, to: number): Uint8Array {
  return bytes.subarray(Math.max(0, from - start.bytes), Math.max(0, to - start.bytes));
}

/** The same for a block: all of the range that lies in its value is kept. */
function bytesIn({ lead, value, trail }: KeptBlock, from: number, to: number): Uint8Array[] {
  const base = lead.end.bytes;
  const inside = [Math.max(from, base) - base, Math.min(to, trail.start.bytes) - base] as const;
  return [
    bytesOf(lead, from, to),
    ...(inside[1] > inside[0] ? [value.bytes(...inside)] : []),
    bytesOf(trail, from, to),
  ].filter((bytes) => bytes.length > 0);
}

/** Whether it is a line, or lines, from beginning to end. */
export function isWholeLine({ first, bytes }: KeptRun): boolean {
  return first && endsWithBreak(bytes);
}

function endsWithBreak(bytes: Uint8Array): boolean {
  const last = bytes[bytes.length - 1];
  return last === 10 || last === 13;
}
