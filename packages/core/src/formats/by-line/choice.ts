/**
 * Chooses spans within a share. Invariant: at any time, what is chosen plus a marker for every gap
 * is within the share, unless the one marker for everything is already too much. A gap of readable
 * spans that is no longer than its marker is not a gap: it is shown.
 */
import type { OmittedThings, Segment, Selection } from '../../model/selection.ts';
import type { Share } from '../../model/strategy.ts';
import { type Gap, GapSums } from './gap-sums.ts';
import type { Span } from './span.ts';

/** How a grammar speaks of what is left out. */
export interface GapWords {
  /** The most chars that `of` will have. */
  mostChars(gap: Gap): number;
  /** `names` are the names of the groups in the gap, joined; `before`: what is counted before it. */
  things(gap: Gap, names: () => string, before: number): OmittedThings | undefined;
  joinNames(one: string, other: string): string;
}

/**
 * What saying the things costs beside the bare marker and `of`: their count, their unit, and the
 * words between.
 */
const THINGS_CHARS = 24;

/** Of the share, what the names of all groups may take where none of them is shown. */
const NAMES_SHARE = 0.4;
/** In a smaller share, lists of names stay short. */
const LEAST_NAMES_SHARE_CHARS = 1_000;

/** What the spans up to `to` cost while none of them is chosen, and whether they are shown. */
interface Cost {
  readonly to: number;
  readonly chars: number;
  readonly lines: number;
  readonly shown: boolean;
}

/** What is kept of a text, and what is left out. */
export class Choice {
  readonly spans: readonly Span[];
  readonly share: Share;
  readonly #words: GapWords;
  readonly #sums: GapSums;
  /** By where gaps begin: the same ones are priced over and over while spans are tried. */
  readonly #costs: (Cost | undefined)[];
  /** Indices of the chosen spans, in order, and 1 for each of them. */
  readonly #chosen: number[] = [];
  readonly #isChosen: Uint8Array;
  #chars: number;
  #lines: number;

  constructor(spans: readonly Span[], share: Share, words: GapWords) {
    this.spans = spans;
    this.share = share;
    this.#words = words;
    this.#sums = new GapSums(spans, share.chars < LEAST_NAMES_SHARE_CHARS ? 0 : share.chars * NAMES_SHARE);
    this.#costs = Array.from({ length: spans.length + 1 });
    this.#isChosen = new Uint8Array(spans.length);
    const all = this.#cost(0, spans.length);
    this.#chars = all.chars;
    this.#lines = all.lines;
  }

  /** Chars taken so far, markers included. */
  get chars(): number {
    return this.#chars;
  }

  /** How much of the names of all groups gaps may list: 1, less, or 0 where lists stay short. */
  get listed(): number {
    return this.#sums.listed;
  }

  has(index: number): boolean {
    return this.#isChosen[index] === 1;
  }

  /**
   * Adds the spans if all of them fit; those already there cost nothing. `most` bounds the chars
   * taken, where less is to be taken.
   */
  add(indices: readonly number[], most = this.share.chars): boolean {
    const [index] = indices;
    if (index !== undefined && indices.length === 1) return this.#addOne(index, most);
    const added: number[] = [];
    for (const index of indices) {
      if (this.has(index)) continue;
      if (!this.#fits(index, added)) return false;
    }
    if (this.#isWithin(this.#chars, this.#lines, most)) return true;
    this.#undo(added);
    return false;
  }

  #isWithin(chars: number, lines: number, most: number): boolean {
    return chars <= most && chars <= this.share.chars && lines <= this.share.lines;
  }

  /** The same for one span, which is put in only if it fits: most are tried that do not. */
  #addOne(index: number, most: number): boolean {
    if (this.has(index)) return this.#isWithin(this.#chars, this.#lines, most);
    const span = this.spans[index];
    if (span === undefined || span.state === 'dropped') return false;
    const position = this.#positionOf(index);
    const from = (this.#chosen[position - 1] ?? -1) + 1;
    const to = this.#chosen[position] ?? this.spans.length;
    const joined = this.#cost(from, to);
    const alone = this.#chars + span.chars - joined.chars;
    if (alone > most || alone > this.share.chars) return false;
    const before = this.#priced(from, index);
    const after = this.#priced(index + 1, to);
    const chars = alone + before.chars + after.chars;
    const lines = this.#lines + span.lines + before.lines + after.lines - joined.lines;
    if (!this.#isWithin(chars, lines, most)) return false;
    this.#chosen.splice(position, 0, index);
    this.#isChosen[index] = 1;
    this.#costs[from] = before;
    this.#costs[index + 1] = after;
    this.#chars = chars;
    this.#lines = lines;
    return true;
  }

  selection(): Selection {
    const segments: Segment[] = [];
    let from = 0;
    for (const index of [...this.#chosen, this.spans.length]) {
      if (index > from) this.#emitGap(segments, from, index);
      const span = this.spans[index];
      if (span !== undefined) keep(segments, span);
      from = index + 1;
    }
    return segments;
  }

  #fits(index: number, added: number[]): boolean {
    const span = this.spans[index];
    if (span !== undefined && span.state !== 'dropped' && span.chars <= this.share.chars) {
      this.#change(index, 1);
      added.push(index);
      return true;
    }
    this.#undo(added);
    return false;
  }

  #undo(added: readonly number[]): void {
    for (const index of added) this.#change(index, -1);
  }

  /** Puts a span in or takes it out, and reckons the gaps beside it anew. */
  #change(index: number, sign: 1 | -1): void {
    const position = this.#positionOf(index);
    if (sign === -1) this.#chosen.splice(position, 1);
    const from = (this.#chosen[position - 1] ?? -1) + 1;
    const to = this.#chosen[position] ?? this.spans.length;
    if (sign === 1) this.#chosen.splice(position, 0, index);
    this.#isChosen[index] = sign === 1 ? 1 : 0;
    const before = this.#cost(from, index);
    const after = this.#cost(index + 1, to);
    const joined = this.#cost(from, to);
    const span = this.spans[index];
    this.#chars += sign * ((span?.chars ?? 0) + before.chars + after.chars - joined.chars);
    this.#lines += sign * ((span?.lines ?? 0) + before.lines + after.lines - joined.lines);
  }

  /** Where the index is among the chosen, or would be. */
  #positionOf(index: number): number {
    let low = 0;
    let high = this.#chosen.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chosen[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What the spans from `from` up to `to` cost while none of them is chosen. */
  #cost(from: number, to: number): Cost {
    const known = this.#costs[from];
    if (known?.to === to) return known;
    const cost = this.#priced(from, to);
    this.#costs[from] = cost;
    return cost;
  }

  #priced(from: number, to: number): Cost {
    if (from >= to) return { to, chars: 0, lines: 0, shown: true };
    const { gap: marker, lines: roomLines } = this.share;
    const { chars, lines, readable } = this.#sums.size(from, to);
    const most = this.#words.mostChars(this.#sums.gap(from, to));
    const markerChars = marker.chars + (most < 0 ? 0 : THINGS_CHARS + most);
    const short = lines <= marker.lines || roomLines === Number.POSITIVE_INFINITY;
    const shown = readable && chars <= markerChars && short;
    return { to, chars: shown ? chars : markerChars, lines: shown ? lines : marker.lines, shown };
  }

  #emitGap(segments: Segment[], from: number, to: number): void {
    const inside = this.spans.slice(from, to);
    if (this.#cost(from, to).shown) {
      for (const span of inside) keep(segments, span);
      return;
    }
    const gap = this.#sums.gap(from, to);
    const { chars, lines } = this.#sums.size(from, to);
    const before = from === 0 ? 0 : this.#sums.gap(0, from).count;
    const what = this.#words.things(gap, () => this.#names(inside), before);
    const longest = inside.reduce((one, span) =>
      span.longest.chars > one.longest.chars ? span : one,
    ).longest;
    const unfit = longest.chars > Math.max(0, this.share.chars - this.share.gap.chars);
    segments.push({
      kind: 'omit',
      start: gap.first.start,
      end: gap.last.end,
      chars,
      lines,
      firstLine: gap.first.line,
      lastLine: gap.last.line + gap.last.lines - 1,
      ...(what === undefined ? {} : { what }),
      ...(unfit ? { unfit: longest } : {}),
    });
  }

  #names(inside: readonly Span[]): string {
    let names: string | undefined;
    let group = -1;
    for (const span of inside) {
      if (names === undefined) names = span.name;
      else if (span.firstGroup !== group || span.groups > 1) names = this.#words.joinNames(names, span.name);
      group = span.lastGroup;
    }
    return names ?? '';
  }
}

function keep(segments: Segment[], span: Span): void {
  const last = segments.at(-1);
  if (last?.kind === 'keep')
    segments[segments.length - 1] = {
      ...last,
      end: span.end,
      chars: last.chars + span.chars,
      lines: last.lines + span.lines,
    };
  else
    segments.push({ kind: 'keep', start: span.start, end: span.end, chars: span.chars, lines: span.lines });
}
