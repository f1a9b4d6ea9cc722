/**
 * Takes formatting out of a text while it streams by: pieces go in, cleaned bytes come out, each
 * with where formatting stood and how much is missing there. A line is looked at when it is
 * complete, so that any chunking gives the same; of a very long one a range at a time, with a look
 * at what follows. Text without escape sequences and lone CRs passes as it is. Holds a line, at most
 * about 70 KB. Units: bytes.
 */
import type { Extent } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import { controlsIn, countBreaks } from './byte-scan.ts';
import { escapeAround } from './escapes.ts';
import { formattingIn, type Line, lastFrameEnd, leaveOutEscapes } from './frames.ts';
import { characterStart, measure } from './utf8.ts';

/** Longer lines are processed in ranges. */
const RUN_BYTES = 65_536;
const LOOK_AHEAD_BYTES = 8_192;
const LONG_BYTES = RUN_BYTES + LOOK_AHEAD_BYTES;
const SHORT_BYTES = 64;
const LF = 10;
const CR = 13;
const EMPTY = new Uint8Array(0);

export interface Elision {
  readonly offset: number;
  readonly missing: Extent;
}

export interface CleanBytes {
  readonly bytes: Uint8Array;
  readonly wellFormed: boolean;
  readonly elisions: readonly Elision[];
}

export class Cleaner {
  readonly #sink: (clean: CleanBytes) => void;
  #held: Uint8Array = EMPTY;
  /** What of the held line was processed. */
  #continues: 'frame' | 'line' | null = null;
  /** Then a CR draws over. */
  #sawLineFeed = false;
  #wellFormed = true;
  readonly counted = { lines: 0, controlled: 0 };

  constructor(sink: (clean: CleanBytes) => void) {
    this.#sink = sink;
  }

  push({ bytes, illFormed }: Piece): void {
    this.#wellFormed &&= illFormed === 0;
    const first = bytes.indexOf(LF) + 1;
    if (first === 0) {
      this.#held = this.#held.length === 0 ? bytes.slice() : Buffer.concat([this.#held, bytes]);
      while (this.#held.length >= LONG_BYTES) this.#takeRun();
      return;
    }
    const last = bytes.lastIndexOf(LF) + 1;
    const rest = bytes.subarray(last);
    let from = 0;
    if (this.#held.length > 0 || this.#continues !== null) {
      this.#endLine(bytes.subarray(0, first));
      from = first;
    }
    this.#lines(bytes.subarray(from, last));
    this.#held = rest.length === 0 ? EMPTY : rest.slice();
    this.#wellFormed = illFormed === 0;
    while (this.#held.length >= LONG_BYTES) this.#takeRun();
  }

  finish(): void {
    const held = this.#held;
    this.#held = EMPTY;
    if (held.length === 0) return;
    this.counted.lines++;
    this.#clean(held, held.length, held.length, this.#sawLineFeed);
  }

  #endLine(end: Uint8Array): void {
    this.#held = this.#held.length === 0 ? end : Buffer.concat([this.#held, end]);
    while (this.#held.length - 1 >= LONG_BYTES) this.#takeRun();
    const line = this.#held;
    this.#held = EMPTY;
    this.counted.lines++;
    this.#clean(line, line.length, line.length, true);
    this.#sawLineFeed = true;
    this.#continues = null;
  }

  /** Mostly without formatting. */
  #lines(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const controls = controlsIn(bytes, bytes.length);
    if (controls.length === 0) {
      this.counted.lines += countBreaks(bytes, 0, bytes.length);
      this.#sawLineFeed = true;
      this.#give(bytes);
      return;
    }
    const kept = new Kept(bytes);
    let from = 0;
    for (let first = 0, last = 0; first < controls.length; first = last) {
      const next = controls[first] as number;
      const start = next === from ? from : bytes.lastIndexOf(LF, next) + 1;
      const to = bytes.indexOf(LF, next) + 1;
      while (last < controls.length && (controls[last] as number) < to) last++;
      this.counted.lines += 1 + (start > from ? countBreaks(bytes, from, start) : 0);
      const line = { bytes, from: start, to, controls, first, last, seenTo: to };
      this.#leaveOut(kept, { ...line, drawsOver: true, continues: this.#continues });
      from = to;
    }
    if (from < bytes.length) this.counted.lines += countBreaks(bytes, from, bytes.length);
    this.#sawLineFeed = true;
    this.#giveKept(kept, bytes.length);
  }

  /** Of a long line: up to the last frame, else anywhere safe. */
  #takeRun(): void {
    const held = this.#held;
    const { to, continues } = runEnd(held);
    this.#clean(held, to, LONG_BYTES, this.#sawLineFeed);
    this.#continues = continues;
    this.#held = held.slice(to);
  }

  #clean(bytes: Uint8Array, to: number, seenTo: number, drawsOver: boolean): void {
    const controls = controlsIn(bytes, to);
    if (controls.length === 0) {
      this.#give(bytes.subarray(0, to));
      return;
    }
    const kept = new Kept(bytes);
    const line = { bytes, from: 0, to, controls, first: 0, last: controls.length };
    this.#leaveOut(kept, { ...line, seenTo, drawsOver, continues: this.#continues });
    this.#giveKept(kept, to);
  }

  #leaveOut(kept: Kept, line: Line): void {
    this.counted.controlled++;
    if (leaveOutEscapes(line, kept)) return;
    for (const { from, to } of formattingIn(line)) kept.leaveOut(from, to);
  }

  #giveKept(kept: Kept, to: number): void {
    kept.finish(to);
    this.#sink({ bytes: kept.bytes(), wellFormed: this.#wellFormed, elisions: kept.elisions });
  }

  #give(bytes: Uint8Array): void {
    this.#sink({ bytes, wellFormed: this.#wellFormed, elisions: NONE });
  }
}

const NONE: readonly Elision[] = [];

class Kept {
  readonly elisions: Elision[] = [];
  readonly #source: Uint8Array;
  readonly #kept: Uint8Array;
  #length = 0;
  #from = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
    this.#kept = new Uint8Array(source.length);
  }

  leaveOut(from: number, to: number): void {
    this.#keepTo(from);
    const { bytes, chars, breaks } = measure(this.#source, from, to);
    this.elisions.push({ offset: this.#length, missing: { bytes, chars, breaks } });
    this.#from = to;
  }

  finish(to: number): void {
    this.#keepTo(to);
  }

  bytes(): Uint8Array {
    return this.#kept.subarray(0, this.#length);
  }

  #keepTo(to: number): void {
    // Short runs: a native call would take longer.
    if (to - this.#from > SHORT_BYTES) {
      this.#kept.set(this.#source.subarray(this.#from, to), this.#length);
      this.#length += to - this.#from;
    } else for (let i = this.#from; i < to; i++) this.#kept[this.#length++] = this.#source[i] as number;
    this.#from = Math.max(this.#from, to);
  }
}

function runEnd(held: Uint8Array): {
  readonly to: number;
  readonly continues: 'frame' | 'line' | null;
} {
  const frame = lastFrameEnd(held, RUN_BYTES / 2, RUN_BYTES);
  if (frame !== null) return { to: frame.at, continues: frame.byReturn ? null : 'line' };
  const safe = characterStart(held, RUN_BYTES);
  const to = escapeAround(held, safe)?.start ?? safe;
  return { to: held[to - 1] === CR ? to - 1 : to, continues: 'frame' };
}
