/**
 * Chooses spans within a share. Invariant: at any time, what is chosen plus a marker for every gap
 * is within the share, unless the one marker for everything is already too much. A gap of readable
 * spans that is no longer than its marker is not a gap: it is shown.
 */
import type { OmittedThings, Segment, Selection } from '../../model/selection.ts';
import type { Share } from '../../model/strategy.ts';
import { MOST_OF_CHARS } from './names.ts';
import type { Span } from './span.ts';

/** What a gap holds. `first` and `last` are its outermost spans. */
export interface Gap {
  readonly count: number;
  readonly heads: number;
  readonly plus: number;
  readonly minus: number;
  readonly groups: number;
  /** How many of them are not those of the spans on both sides. */
  readonly hidden: number;
  /** The most chars that a list of its groups' names should take. */
  readonly listChars: number;
  readonly first: Span;
  readonly last: Span;
}

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

interface Cost {
  readonly chars: number;
  readonly lines: number;
  readonly shown: boolean;
}

const FREE: Cost = { chars: 0, lines: 0, shown: true };

/** What is kept of a text, and what is left out. */
export class Choice {
  readonly spans: readonly Span[];
  readonly share: Share;
  readonly #words: GapWords;
  readonly #sums: Sums;
  /** Indices of the chosen spans, in order. */
  readonly #chosen: number[] = [];
  #chars: number;
  #lines: number;

  constructor(spans: readonly Span[], share: Share, words: GapWords) {
    this.spans = spans;
    this.share = share;
    this.#words = words;
    this.#sums = new Sums(spans, share.chars < LEAST_NAMES_SHARE_CHARS ? 0 : share.chars * NAMES_SHARE);
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
    return this.#chosen[this.#positionOf(index)] === index;
  }

  /**
   * Adds the spans if all of them fit; those already there cost nothing. `most` bounds the chars
   * taken, where less is to be taken.
   */
  add(indices: readonly number[], most = this.share.chars): boolean {
    const added: number[] = [];
    for (const index of indices) {
      if (this.has(index)) continue;
      if (!this.#fits(index, added)) return false;
    }
    if (this.#chars <= most && this.#chars <= this.share.chars && this.#lines <= this.share.lines)
      return true;
    this.#undo(added);
    return false;
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
    if (from >= to) return FREE;
    const { gap: marker, lines: roomLines } = this.share;
    const { chars, lines, readable } = this.#sums.size(from, to);
    const most = this.#words.mostChars(this.#sums.gap(from, to));
    const markerChars = marker.chars + (most < 0 ? 0 : THINGS_CHARS + most);
    const short = lines <= marker.lines || roomLines === Number.POSITIVE_INFINITY;
    if (readable && chars <= markerChars && short) return { chars, lines, shown: true };
    return { chars: markerChars, lines: marker.lines, shown: false };
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

type Column = 'chars' | 'lines' | 'count' | 'heads' | 'plus' | 'minus' | 'groups' | 'dropped' | 'names';

const SEPARATOR_CHARS = 2;
/** Lists that would name less than this of all groups' names stay short. */
const LEAST_LISTED = 0.5;

/** Chars of names in a list; where not all were remembered, more than any list has. */
function namesChars(name: string): number {
  return name.endsWith(', …') ? 1e9 : name.length + SEPARATOR_CHARS;
}

/** Running sums over the spans, so that any gap is reckoned at once. */
class Sums {
  readonly #spans: readonly Span[];
  readonly #columns: Readonly<Record<Column, Float64Array>>;
  /** How much of its names' chars a gap may list. */
  readonly listed: number;

  /** `mostNamesChars`: what the names of all groups may take together. */
  constructor(spans: readonly Span[], mostNamesChars: number) {
    this.#spans = spans;
    const column = (value: (span: Span, before: Span | undefined) => number) => {
      const sums = new Float64Array(spans.length + 1);
      spans.forEach((span, i) => {
        sums[i + 1] = (sums[i] ?? 0) + value(span, spans[i - 1]);
      });
      return sums;
    };
    this.#columns = {
      chars: column((span) => span.chars),
      lines: column((span) => span.lines),
      count: column((span) => span.count),
      heads: column((span) => span.heads),
      plus: column((span) => span.plus),
      minus: column((span) => span.minus),
      groups: column((span, before) => span.groups - (before?.lastGroup === span.firstGroup ? 1 : 0)),
      dropped: column((span) => (span.state === 'dropped' ? 1 : 0)),
      names: column((span, before) =>
        before?.lastGroup !== span.firstGroup
          ? namesChars(span.name)
          : span.groups > 1
            ? namesChars(span.name.slice(Math.max(0, span.name.indexOf(', '))))
            : 0,
      ),
    };
    const all = this.#sum('names', 0, spans.length);
    const listed = all <= mostNamesChars ? 1 : mostNamesChars / all;
    this.listed = listed < LEAST_LISTED ? 0 : listed;
  }

  size(from: number, to: number): { chars: number; lines: number; readable: boolean } {
    return {
      chars: this.#sum('chars', from, to),
      lines: this.#sum('lines', from, to),
      readable: this.#sum('dropped', from, to) === 0,
    };
  }

  gap(from: number, to: number): Gap {
    const first = this.#spans[from];
    const last = this.#spans[to - 1];
    if (first === undefined || last === undefined) throw new RangeError('an empty gap');
    const continued = this.#spans[from - 1]?.lastGroup === first.firstGroup ? 1 : 0;
    const groups = this.#sum('groups', from, to) + continued;
    const goesOn = this.#spans[to]?.firstGroup === last.lastGroup && (groups > 1 || continued === 0) ? 1 : 0;
    return {
      count: this.#sum('count', from, to),
      heads: this.#sum('heads', from, to),
      plus: this.#sum('plus', from, to),
      minus: this.#sum('minus', from, to),
      groups,
      hidden: groups - continued - goesOn,
      listChars: this.#listChars(from, to),
      first,
      last,
    };
  }

  #listChars(from: number, to: number): number {
    if (this.listed === 0) return 0;
    // The name of the group that goes on at the beginning of the gap is among them.
    const first = this.#spans[from]?.name.length ?? 0;
    const all = first + SEPARATOR_CHARS + this.#sum('names', from + 1, to);
    return Math.max(Math.min(all, MOST_OF_CHARS), Math.floor(all * this.listed));
  }

  #sum(name: Column, from: number, to: number): number {
    const sums = this.#columns[name];
    return (sums[to] ?? 0) - (sums[from] ?? 0);
  }
}
