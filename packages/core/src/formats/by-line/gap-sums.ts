/**
 * What a gap holds, reckoned at once from running sums over the spans, whichever gap is asked for.
 */
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

const SEPARATOR_CHARS = 2;
/** Lists that would name less than this of all groups' names stay short. */
const LEAST_LISTED = 0.5;

/** Chars of names in a list; where not all were remembered, more than any list has. */
function namesChars(name: string): number {
  return name.endsWith(', …') ? 1e9 : name.length + SEPARATOR_CHARS;
}

/** Running sums over spans, so that any gap is reckoned at once: of the first i spans at i. */
class Columns {
  readonly chars: Float64Array;
  readonly lines: Float64Array;
  readonly count: Float64Array;
  readonly heads: Float64Array;
  readonly plus: Float64Array;
  readonly minus: Float64Array;
  readonly groups: Float64Array;
  readonly dropped: Float64Array;
  readonly names: Float64Array;

  constructor(spans: readonly Span[]) {
    const column = () => new Float64Array(spans.length + 1);
    this.chars = column();
    this.lines = column();
    this.count = column();
    this.heads = column();
    this.plus = column();
    this.minus = column();
    this.groups = column();
    this.dropped = column();
    this.names = column();
    let before: Span | undefined;
    for (let i = 0; i < spans.length; i++) {
      const span = spans[i] as Span;
      const goesOn = before?.lastGroup === span.firstGroup;
      add(this.chars, i, span.chars);
      add(this.lines, i, span.lines);
      add(this.count, i, span.count);
      add(this.heads, i, span.heads);
      add(this.plus, i, span.plus);
      add(this.minus, i, span.minus);
      add(this.groups, i, span.groups - (goesOn ? 1 : 0));
      add(this.dropped, i, span.state === 'dropped' ? 1 : 0);
      add(this.names, i, goesOn ? moreNamesChars(span) : namesChars(span.name));
      before = span;
    }
  }
}

function add(sums: Float64Array, i: number, value: number): void {
  sums[i + 1] = (sums[i] as number) + value;
}

/** Chars of the names of a span that goes on with the group before it. */
function moreNamesChars({ groups, name }: Span): number {
  return groups > 1 ? namesChars(name.slice(Math.max(0, name.indexOf(', ')))) : 0;
}

function between(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0);
}

/** A text is chosen from several times. */
const known = new WeakMap<readonly Span[], Columns>();

function columnsOf(spans: readonly Span[]): Columns {
  const columns = known.get(spans) ?? new Columns(spans);
  known.set(spans, columns);
  return columns;
}

/** What gaps hold, by the sums over all spans. */
export class GapSums {
  readonly #spans: readonly Span[];
  readonly #columns: Columns;
  /** How much of its names' chars a gap may list. */
  readonly listed: number;

  /** `mostNamesChars`: what the names of all groups may take together. */
  constructor(spans: readonly Span[], mostNamesChars: number) {
    this.#spans = spans;
    this.#columns = columnsOf(spans);
    const all = between(this.#columns.names, 0, spans.length);
    const listed = all <= mostNamesChars ? 1 : mostNamesChars / all;
    this.listed = listed < LEAST_LISTED ? 0 : listed;
  }

  size(from: number, to: number): { chars: number; lines: number; readable: boolean } {
    const { chars, lines, dropped } = this.#columns;
    return {
      chars: between(chars, from, to),
      lines: between(lines, from, to),
      readable: between(dropped, from, to) === 0,
    };
  }

  gap(from: number, to: number): Gap {
    const first = this.#spans[from];
    const last = this.#spans[to - 1];
    if (first === undefined || last === undefined) throw new RangeError('an empty gap');
    const columns = this.#columns;
    const continued = this.#spans[from - 1]?.lastGroup === first.firstGroup ? 1 : 0;
    const groups = between(columns.groups, from, to) + continued;
    const goesOn = this.#spans[to]?.firstGroup === last.lastGroup && (groups > 1 || continued === 0) ? 1 : 0;
    return {
      count: between(columns.count, from, to),
      heads: between(columns.heads, from, to),
      plus: between(columns.plus, from, to),
      minus: between(columns.minus, from, to),
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
    const all = first + SEPARATOR_CHARS + between(this.#columns.names, from + 1, to);
    return Math.max(Math.min(all, MOST_OF_CHARS), Math.floor(all * this.listed));
  }
}
