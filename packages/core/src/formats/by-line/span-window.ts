/**
 * What of a stream of spans is still known. Invariant: the first `reachChars` and the last
 * `reachChars` chars of spans can be read, of those between them the highest-scored ones of each
 * tier, about `reachChars` each; all others are counted, exactly, in as few spans as there are
 * places between readable ones. Nothing depends on how the stream was cut into pieces.
 */
import type { Piece } from '../../model/piece.ts';
import { joined } from '../../text/kept-bytes.ts';
import type { Line } from './line-reader.ts';
import { Span } from './span.ts';

/** What a span alone in a gap costs beside its chars, at the least: the marker. */
const MARKER_CHARS = 60;

interface Pool {
  spans: Span[];
  cost: number;
  /** What does not score more is not taken any more. */
  floor: number;
}

export class SpanWindow {
  readonly #reachChars: number;
  readonly #joinNames: (one: string, other: string) => string;
  readonly #pools: readonly [Pool, Pool] = [
    { spans: [], cost: 0, floor: 0 },
    { spans: [], cost: 0, floor: 0 },
  ];
  readonly #pieces: Piece[] = [];
  /** Spans that melted into others. */
  readonly #free: Span[] = [];
  #first: Span | null = null;
  #last: Span | null = null;
  /** The first of the recent spans, and the first of these that has no bytes of its own. */
  #recent: Span | null = null;
  #uncopied: Span | null = null;
  #recentChars = 0;
  #headChars = 0;
  #headFull = false;

  constructor(reachChars: number, joinNames: (one: string, other: string) => string) {
    this.#reachChars = reachChars;
    this.#joinNames = joinNames;
  }

  /** Pieces come before the spans that end in them. */
  pushPiece(piece: Piece): void {
    this.#pieces.push(piece);
  }

  /**
   * Forgets the pieces nobody needs. `open` is the span that may go on, `lineStart` where the line
   * begins that has not ended, `at` how far the stream is. What is certainly too long to be ever
   * shown does not keep its pieces, nor those of what precedes it.
   */
  trim(open: Span | null, lineStart: number, at: number): void {
    const mostBytes = this.#reachChars * 3;
    let from = this.#uncopied?.start ?? open?.start ?? lineStart;
    if (at - lineStart > mostBytes || (open !== null && lineStart - open.start > mostBytes)) {
      this.#copyRecent();
      if (open !== null && lineStart - open.start <= mostBytes) this.#copy(open);
      from = at - lineStart > mostBytes ? at : lineStart;
    }
    let drop = 0;
    while (drop < this.#pieces.length && pieceEnd(this.#pieces[drop]) <= from) drop++;
    if (drop > 0) this.#pieces.splice(0, drop);
  }

  /** A span that begins with this line; to be added when it is complete. */
  open(line: Line): Span {
    return (this.#free.pop() ?? new Span()).begin(line);
  }

  add(span: Span): void {
    span.previous = this.#last;
    if (this.#last === null) this.#first = span;
    else this.#last.next = span;
    this.#last = span;
    this.#recent ??= span;
    if (span.chars > this.#reachChars) {
      this.#drop(span);
      return;
    }
    if (span.bytes === null) this.#uncopied ??= span;
    this.#recentChars += span.chars;
    for (let oldest = this.#recent; oldest !== null; oldest = this.#recent) {
      const chars = oldest.state === 'dropped' ? 0 : oldest.chars;
      if (this.#recentChars - chars < this.#reachChars) break;
      this.#recentChars -= chars;
      this.#retire(oldest);
    }
  }

  /** All spans in order. */
  spans(): Span[] {
    const all: Span[] = [];
    for (let span = this.#first; span !== null; span = span.next) all.push(span);
    return all;
  }

  /** The bytes of a span that was not dropped. */
  bytesOf(span: Span): Uint8Array {
    return span.bytes ?? this.#read(span.start, span.end);
  }

  #retire(span: Span): void {
    this.#recent = span.next;
    if (span.state === 'dropped') {
      this.#melt(span);
      return;
    }
    if (this.#uncopied === span) this.#uncopied = nextFresh(span);
    if (!this.#headFull) {
      this.#headFull = this.#headChars + span.chars > this.#reachChars;
      if (!this.#headFull) {
        this.#headChars += span.chars;
        this.#hold(span);
        return;
      }
    }
    const pool = this.#pools[span.tier];
    if (span.score <= pool.floor) this.#drop(span);
    else this.#pool(pool, span);
  }

  #pool(pool: Pool, span: Span): void {
    this.#hold(span);
    pool.spans.push(span);
    pool.cost += span.chars + MARKER_CHARS;
    if (pool.cost < this.#reachChars * 2) return;
    const byScore = pool.spans.toSorted((a, b) => b.score - a.score || a.start - b.start);
    let cost = 0;
    let kept = 0;
    for (const one of byScore) {
      cost += one.chars + MARKER_CHARS;
      if (cost > this.#reachChars) break;
      kept++;
    }
    pool.floor = byScore[kept]?.score ?? pool.floor;
    for (const one of byScore.slice(kept)) this.#drop(one);
    pool.spans = byScore.slice(0, kept);
    pool.cost = pool.spans.reduce((sum, one) => sum + one.chars + MARKER_CHARS, 0);
  }

  #hold(span: Span): void {
    this.#copy(span);
    span.state = 'held';
  }

  #drop(span: Span): void {
    span.bytes = null;
    span.state = 'dropped';
    this.#melt(span);
  }

  /** Joins a dropped span with dropped neighbours. */
  #melt(span: Span): void {
    const { next, previous } = span;
    if (next !== null && next.state === 'dropped' && next !== this.#recent) this.#absorb(span, next);
    if (previous !== null && previous.state === 'dropped') this.#absorb(previous, span);
  }

  #absorb(into: Span, next: Span): void {
    if (next === this.#recent) this.#recent = into;
    if (next === this.#last) this.#last = into;
    into.absorb(next, this.#joinNames);
    this.#free.push(next);
  }

  #copyRecent(): void {
    for (let span = this.#uncopied; span !== null; span = span.next)
      if (span.state === 'fresh') this.#copy(span);
    this.#uncopied = null;
  }

  #copy(span: Span): void {
    span.bytes ??= new Uint8Array(this.#read(span.start, span.end));
  }

  #read(start: number, end: number): Uint8Array {
    const found: Uint8Array[] = [];
    for (const { bytes, start: at } of this.#pieces) {
      if (at.bytes + bytes.length <= start) continue;
      if (at.bytes >= end) break;
      found.push(bytes.subarray(Math.max(0, start - at.bytes), Math.min(bytes.length, end - at.bytes)));
    }
    return joined(found);
  }
}

function pieceEnd(piece: Piece | undefined): number {
  return piece === undefined ? 0 : piece.start.bytes + piece.bytes.length;
}

function nextFresh(span: Span): Span | null {
  let next = span.next;
  while (next !== null && (next.state === 'dropped' || next.bytes !== null)) next = next.next;
  return next;
}
