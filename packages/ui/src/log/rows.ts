/**
 * The rows of a log: lines of one height, and gaps with another, folded or open. A run of a million
 * lines is one segment, so any row is found from its position, its line or its number by a binary
 * search. Heights are px, rows count from 0, lines from 1.
 */
import type { FetchedRange, PartRow, PartView } from '../../../spillway/src/inspector/api.ts';
import type { LineCache } from './line-cache.ts';

/** Parts with very long lines have rows of so many chars, here and on the server. */
export const ROW_CHARS = 200;

export function rowOfChar(char: number): number {
  return Math.ceil(char / ROW_CHARS);
}

/** Lines that fared alike. In rows of chars a gap tells where exactly it begins. */
export type Run = PartView['runs'][number] & { readonly first_char?: number };

/** What a projection shows of a part, in the unit that the part is read by. */
export interface ShownView extends Omit<PartView, 'runs'> {
  readonly runs: readonly Run[];
}

/** Lines that are shown of open gaps, by the first line of the gap. */
export type OpenGaps = ReadonlyMap<number, number>;

/** A line, the row of a gap, or what stands for the lines of an open gap that are not shown yet. */
export interface Row {
  readonly kind: 'line' | 'gap' | 'more';
  /** The first line that it stands for. */
  readonly line: number;
  readonly run: Run;
  readonly isOpen: boolean;
}

interface Segment {
  readonly kind: Row['kind'];
  readonly run: Run;
  readonly first: number;
  readonly last: number;
  readonly isOpen: boolean;
}

interface Placed extends Segment {
  readonly row: number;
  readonly top: number;
  readonly rows: number;
  readonly height: number;
}

export class Rows {
  readonly count: number;
  readonly height: number;
  readonly lineHeight: number;
  readonly #placed: readonly Placed[];

  /** `open`: the gaps that are open; null shows all lines and no gap. */
  constructor(runs: readonly Run[], open: OpenGaps | null, lineHeight: number, gapHeight: number) {
    this.lineHeight = lineHeight;
    let [row, top] = [0, 0];
    this.#placed = runs
      .flatMap((run) => segmentsOf(run, open))
      .map((segment) => {
        const rows = segment.kind === 'line' ? segment.last - segment.first + 1 : 1;
        const height = segment.kind === 'gap' ? gapHeight : lineHeight;
        const placed = { ...segment, row, top, rows, height };
        row += rows;
        top += rows * height;
        return placed;
      });
    [this.count, this.height] = [row, top];
  }

  /** The row that covers a position, the last one below the end. */
  rowAt(y: number): number {
    const placed = this.#last(({ top }) => top <= y);
    if (!placed) return 0;
    const within = Math.floor((y - placed.top) / placed.height);
    return placed.row + Math.max(0, Math.min(placed.rows - 1, within));
  }

  topOf(row: number): number {
    const placed = this.#placedOf(row);
    return placed ? placed.top + (row - placed.row) * placed.height : 0;
  }

  heightOf(row: number): number {
    return this.#placedOf(row)?.height ?? 0;
  }

  at(row: number): Row | undefined {
    const placed = this.#placedOf(row);
    if (!placed || row >= this.count || row < 0) return undefined;
    const line = placed.first + (placed.kind === 'line' ? row - placed.row : 0);
    return { kind: placed.kind, line, run: placed.run, isOpen: placed.isOpen };
  }

  /** The row of a line; for one in a folded gap, the row of the gap. */
  rowOfLine(line: number): number {
    const placed = this.#last(({ first }) => first <= line);
    return placed ? placed.row + Math.min(placed.rows - 1, Math.max(0, line - placed.first)) : 0;
  }

  /** Rows of gaps, in order. */
  gapRows(): number[] {
    return this.#placed.filter(({ kind }) => kind === 'gap').map(({ row }) => row);
  }

  #placedOf(row: number): Placed | undefined {
    return this.#last((placed) => placed.row <= row);
  }

  /** The last segment for which `holds`; it holds for all before that one. */
  #last(holds: (placed: Placed) => boolean): Placed | undefined {
    return this.#placed[firstIndex(this.#placed, (placed) => !holds(placed)) - 1];
  }
}

/** The index of the first item for which `holds`; it holds for all behind that one. */
export function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function segmentsOf(run: Run, open: OpenGaps | null): Segment[] {
  const { kept, first_line: first, last_line: last } = run;
  const lines = (to: number): Segment => ({ kind: 'line', run, first, last: to, isOpen: false });
  if (kept || open === null) return [lines(last)];
  const shown = open.get(first) ?? 0;
  const gap: Segment = { kind: 'gap', run, first, last, isOpen: shown > 0 };
  if (shown === 0) return [gap];
  const to = Math.min(last, first + shown - 1);
  const more: Segment = { kind: 'more', run, first: to + 1, last, isOpen: false };
  return to === last ? [gap, lines(to)] : [gap, lines(to), more];
}

/** A part as it is read: by lines, or in rows of chars. `lines` counts what it is read by. */
export function readBy(part: PartRow, asked: string | null = null): PartRow {
  const by = asked === 'chars' || asked === 'lines' ? asked : part.by;
  return by === 'chars' ? { ...part, by, lines: rowOfChar(part.chars) } : { ...part, by };
}

/** What a projection shows of a part, in the unit that the part is read by. */
export function viewFor(part: PartRow | undefined, views: readonly PartView[] = []): ShownView | undefined {
  const view = views.find((each) => each.part === part?.index);
  return view && part?.by === 'chars' ? byChars(view, part.chars) : view;
}

/**
 * A view in rows of chars: a row is kept if the model was shown any of it. Gaps that are smaller
 * than a row are marked inside it.
 */
function byChars(view: PartView, chars: number): ShownView {
  const runs: Run[] = [];
  const rows = rowOfChar(chars);
  let next = 1;
  const keep = (last: number) => {
    if (last >= next) runs.push({ kept: true, first_line: next, last_line: last, chars: 0, bytes: 0 });
    next = Math.max(next, last + 1);
  };
  for (const { first_char, last_char } of view.gaps) {
    const first = rowOfChar(first_char + ROW_CHARS - 1);
    const last = last_char >= chars ? rows : Math.floor(last_char / ROW_CHARS);
    if (first > last) continue;
    keep(first - 1);
    const size = last_char - first_char + 1;
    runs.push({ kept: false, first_line: first, last_line: last, chars: size, bytes: size, first_char });
    next = last + 1;
  }
  keep(rows);
  return { ...view, lines: rows, runs };
}

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** How a line looks: `kept` was shown to the model, `out` left out, `plain` is neither. */
export type LineState = 'kept' | 'out' | 'plain';

/** Everything that a log shows. Lists of lines are sorted. */
export interface LogFacts {
  readonly lines: Pick<LineCache, 'get' | 'need'>;
  readonly lineCount: number;
  /** Rows of chars: numbers are those of chars. */
  readonly by: 'lines' | 'chars';
  /** Undefined where it is not known what was shown. */
  readonly view: ShownView | undefined;
  /** All lines instead of gaps. */
  readonly isWhole: boolean;
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly hits: readonly number[];
  readonly fetched: readonly FetchedRange[];
  readonly marks: (text: string) => readonly (readonly [from: number, to: number])[];
  /** The lines that the panel speaks of, and those that the address names. */
  readonly block: LineSpan | undefined;
  readonly picked: LineSpan | undefined;
  readonly cursor: number;
  readonly wrap: boolean;
  /** What stands in front of a line and how it looks, where that is not its number and its run. */
  readonly own: ((line: number) => { readonly label: string; readonly state: LineState }) | undefined;
}

const NONE: readonly never[] = [];
/** A log in which nothing is marked. */
export const BARE = {
  by: 'lines',
  view: undefined,
  isWhole: false,
  errors: NONE,
  warnings: NONE,
  hits: NONE,
  fetched: NONE,
  marks: () => NONE,
  block: undefined,
  picked: undefined,
  cursor: 0,
  wrap: false,
  own: undefined,
} as const satisfies Partial<LogFacts>;
