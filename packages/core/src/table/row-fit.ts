/**
 * The only optimiser: takes rows of a table within a room. Prices are exact: a marker's length
 * follows from what lies between two shown rows, so nothing is rendered to learn it. Invariant:
 * `chars` and `lines` are what rendering the taken rows and all markers takes, and never exceed the
 * room. Units: chars and lines as rendered.
 */
import type { RowRun } from '../model/plan.ts';
import type { Ranks, Share } from '../model/strategy.ts';
import { countWhile } from '../text/count-while.ts';
import { Heap } from '../text/heap.ts';
import { COUNTED_FROM } from './line-scan.ts';
import { AGAIN, BLANK, CONTINUED, type LineTable, OF_RUNNER, OPEN, WORD } from './line-table.ts';

/** Chars that a marker needs more to tell of repeated or like lines. */
const REPEAT_WORDS = 24;
/** Bonus for closing a gap; discount for a row that is already shown verbatim. */
const CLOSES_GAP = 1.3;
const SHOWN_ALREADY = 0.3;
/** Shorter rows may repeat. */
const SHORT_MESSAGE = 10;
/** Rows of one shape count in full up to `free`, each further one less. */
const LIKE = { free: 6, less: 0.6 };
/** Fewer chars are not worth another row. */
const LEFT_OVER = 8;

/** Runs of up to this many rows, each up to this long, are listed below a marker. */
const MOST_LISTED = 3;
const MOST_LISTED_CHARS = 200;

/** A line below a marker: our words, or the row itself. */
interface Note {
  readonly row: number;
  readonly text: string | null;
  readonly chars: number;
  /** Stored chars and lines of the row, if it is shown. */
  readonly storedChars: number;
  readonly lines: number;
}

export interface FitOptions {
  /** Elides a time stamp if the row above is shown and of the same second. */
  readonly elidesStamps: boolean;
  /**
   * The price of a labelled gap; `bare`: without the label. Gaps are shown if that costs no more.
   */
  readonly priceOf?: (above: number, below: number, bare: number) => number;
  readonly alike?: () => readonly AlikeRun[];
}

/** Rows `first` … `last` are like the `lead` rows right above them; 0: like rows further above. */
export interface AlikeRun {
  readonly first: number;
  readonly last: number;
  readonly lead: number;
  /** Whether rows of it say that something passed. */
  readonly passed: boolean;
}

/** Units in the order of the text, taken by what they gain for their price. */
export interface UnitRanks {
  readonly units: readonly RankedUnit[];
  /** Names are numbered from 0; a name pays only once. */
  readonly nameCount: number;
  /** What the beginning and the end get of the room before anything else. */
  readonly ends: { readonly top: number; readonly bottom: number };
}

/** Rows that are shown together. */
interface RankedUnit {
  readonly first: number;
  readonly last: number;
  readonly chars: number;
  /** Numbers of its names, each once, and what each of them weighs. */
  readonly names: readonly number[];
  readonly weights: readonly number[];
  /** What it is worth without its names. */
  readonly worth: number;
  /** By what the weight of a name is multiplied. */
  readonly perName: number;
  /** What another gap counts, in chars. */
  readonly gapChars: number;
  /** Runs that are shown with it, all or none. */
  readonly with?: readonly RowRun[] | undefined;
}

/** The stopping rule. */
export interface Enough {
  /** The lowest score taken, given the strongest. */
  readonly least: (strongest: number) => number;
  /** Whether a row counts less the more rows of its shape are shown. */
  readonly isCounted: (row: number) => boolean;
  /** The share of the strongest score a row needs at its position. */
  readonly needs: (row: number) => number;
}

/** Rows shown as something else, with their price. */
export interface FixedBlock {
  readonly first: number;
  readonly last: number;
  readonly chars: number;
  readonly lines: number;
}

export class RowFit {
  readonly table: LineTable;
  share: Share;
  readonly sizes: Uint32Array;
  readonly taken: Uint8Array;
  readonly #elidesStamps: boolean;
  /** The last row of the fixed block a row is in; 0 if none. */
  readonly #blockEnd: Uint32Array | null;
  /** The last row up to it that does not repeat the row above; null if there are no repeats. */
  readonly #repeats: Int32Array | null;
  readonly #priceOf: FitOptions['priceOf'];
  /** Runs of like rows, by the row above them. */
  readonly #alike = new Map<number, AlikeRun>();
  /** Prices of labelled markers, by gap. */
  readonly #prices = new Map<number, number>();
  readonly #notes = new Map<number, Note>();
  /** The same, in order. */
  readonly #noted: Note[] = [];
  #ofAll = -1;
  #strongest = 0;
  /** Runs taken in a trial: limits count only at its end. */
  #trial: [first: number, last: number][] | null = null;
  #chosen = new Int32Array(256);
  #count = 0;
  chars: number;
  lines: number;

  constructor(
    table: LineTable,
    share: Share,
    { elidesStamps, priceOf, alike }: FitOptions,
    blocks: readonly FixedBlock[] = [],
  ) {
    this.table = table;
    this.share = share;
    this.#elidesStamps = elidesStamps;
    this.sizes = new Uint32Array(table.rows);
    for (let row = 0; row < table.rows; row++)
      this.sizes[row] = (table.chars[row] as number) - (table.stamp[row] as number);
    this.taken = new Uint8Array(table.rows + 1);
    this.#blockEnd = blocks.length === 0 ? null : new Uint32Array(table.rows);
    for (const { first, last, chars } of blocks) {
      this.sizes.fill(0, first, last + 1);
      this.sizes[first] = chars;
      this.#blockEnd?.fill(last, first, last + 1);
    }
    this.#repeats = repeatsIn(table);
    this.#priceOf = priceOf;
    for (const run of alike?.() ?? []) if (run.lead > 0) this.#alike.set(run.first - 1, run);
    this.chars = this.between(-1, table.rows);
    this.lines = share.gap.lines;
  }

  get chosen(): Int32Array {
    return this.#chosen.subarray(0, this.#count);
  }

  get left(): number {
    return this.share.chars - this.chars;
  }

  /**
   * The marker, and the stamp of the second row unless it is elided. -1 and the row count are the
   * ends.
   */
  between(above: number, below: number): number {
    return this.gapChars(above, below) + this.#stampChars(above, below);
  }

  /** 0 if nothing lies between them. */
  gapChars(above: number, below: number): number {
    let price = this.#bareChars(above, below);
    if (price > 0 && this.#priceOf !== undefined) price = this.#labelled(above, below, price);
    else if (price > 0 && this.gapKind(above, below) !== null) price += REPEAT_WORDS;
    return this.#notes.size === 0 ? price : price + this.#notesIn(above, below, 'chars');
  }

  /** If it fits. A row that holds what is said of all rows is not shown any more. */
  note(row: number, text: string, most = this.share.chars, isOfAll = false): boolean {
    const isAdded = this.#addNote(row, text, text.length + 1, most);
    if (isAdded && isOfAll) this.#ofAll = row;
    return isAdded;
  }

  /** With its number, if it fits; long rows are not listed. */
  list(row: number, most = this.share.chars): boolean {
    return this.#isListable(row) && this.#addNote(row, null, this.#listedChars(row), most);
  }

  /**
   * Lists short runs between two gaps below one marker, which takes less than two markers.
   * `isFree`: the row may move.
   */
  listShort(isFree: (row: number) => boolean): void {
    for (const [first, last] of this.table.runsOf(this.chosen))
      if (last - first < MOST_LISTED) this.#listRun(first, last, isFree);
  }

  #listRun(first: number, last: number, isFree: (row: number) => boolean): void {
    const isBlank = (row: number) => ((this.table.flags[row] as number) & BLANK) !== 0;
    for (let row = first; row <= last; row++)
      if (!isBlank(row) && !(isFree(row) && this.#isListable(row))) return;
    const { above } = this.neighbours(first);
    const { below } = this.neighbours(last + 1);
    if (this.#bareChars(above, first) === 0 || this.#bareChars(last, below) === 0) return;
    const { chars, lines } = this;
    let freed = this.between(above, first) + this.between(last, below);
    for (let row = first; row <= last; row++)
      freed += (this.sizes[row] as number) + (row > first ? this.between(row - 1, row) : 0);
    this.#remove(first, last);
    this.chars += this.between(above, below) - freed;
    this.lines -= last - first + 1 + this.share.gap.lines;
    for (let row = first; row <= last; row++) if (!isBlank(row)) this.list(row);
    if (this.chars < chars) return;
    for (let row = first; row <= last; row++) this.#notes.delete(row);
    const at = this.#notesBelow(first);
    this.#noted.splice(at, this.#notesBelow(last + 1) - at);
    this.chars = chars;
    this.lines = lines;
    this.#insert(this.#indexOf(first), first, last);
  }

  get listed(): number[] {
    return this.#noted.flatMap(({ row, text }) => (text === null && this.taken[row] === 0 ? row : []));
  }

  isListed(row: number): boolean {
    return this.#notes.get(row)?.text === null && this.taken[row] === 0;
  }

  #addNote(row: number, text: string | null, chars: number, most: number): boolean {
    if (this.taken[row] === 1 || this.#notes.has(row)) return false;
    const { above, below } = this.neighbours(row);
    const before = this.gapChars(above, below);
    if (this.chars + chars > Math.min(most, this.share.chars) || this.lines >= this.share.lines) return false;
    const { at, after } = this.table;
    const storedChars = text === null ? (after[row] as number) - (at[row] as number) : 0;
    const note = { row, text, chars, storedChars, lines: Number(text === null) };
    this.#notes.set(row, note);
    this.#noted.splice(this.#notesBelow(row), 0, note);
    this.chars += this.gapChars(above, below) - before;
    this.lines++;
    return true;
  }

  #isListable(row: number): boolean {
    const { chars, flags, ending } = this.table;
    const isWhole = ((flags[row] as number) & (OPEN | CONTINUED)) === 0 && (ending[row] as number) > 0;
    return isWhole && (chars[row] as number) <= MOST_LISTED_CHARS && !this.#blockEnd?.[row];
  }

  #listedChars(row: number): number {
    return `${this.table.lineOf(row)}: `.length + (this.sizes[row] as number) + this.listedStamp(row);
  }

  /** 0 if a job runner wrote the stamp. */
  listedStamp(row: number): number {
    const { flags, stamp } = this.table;
    return this.#elidesStamps && ((flags[row] as number) & OF_RUNNER) !== 0 ? 0 : (stamp[row] as number);
  }

  notesIn(above: number, below: number): string[] {
    return this.#noted.flatMap(({ row, text }) => (row > above && row < below ? (text ?? []) : []));
  }

  #notesBelow(limit: number): number {
    return countWhile(this.#noted.length, (at) => (this.#noted[at] as Note).row < limit);
  }

  #notesIn(above: number, below: number, what: 'chars' | 'storedChars' | 'lines'): number {
    let sum = 0;
    for (
      let i = this.#notesBelow(above + 1), note = this.#noted[i];
      note !== undefined && note.row < below;
    ) {
      sum += note[what];
      note = this.#noted[++i];
    }
    return sum;
  }

  /** Without labels. */
  #bareChars(above: number, below: number): number {
    const { table, share } = this;
    const isEnd = below >= table.rows;
    const { stored } = table.totals;
    const chars =
      (isEnd ? stored.chars : (table.at[below] as number)) - (above < 0 ? 0 : (table.after[above] as number));
    const hidden = this.#notes.size === 0 ? chars : chars - this.#notesIn(above, below, 'storedChars');
    if (hidden <= 0) return 0;
    const to = isEnd ? stored.breaks : (table.breaks[below] as number);
    const from = above < 0 ? 0 : (table.breaksAfter[above] as number);
    const position = above < 0 ? 'start' : isEnd ? 'end' : 'middle';
    const last = isEnd && table.totals.isOpen ? to + 1 : to;
    // A line shown in part is not in the gap.
    const isPartly = above >= 0 && ((table.flags[above] as number) & OPEN) !== 0;
    const listed = this.#notes.size === 0 ? 0 : this.#notesIn(above, below, 'lines');
    const lines = Math.max(0, last - from - listed - (isPartly ? 1 : 0));
    return share.gap.exactly?.(position, lines, hidden, from + 1, last) ?? share.gap.chars;
  }

  /**
   * Whether all that lies between two rows says what the first of them says, or is like the rows that
   * are shown right above it.
   */
  gapKind(above: number, below: number): 'repeat' | 'alike' | null {
    if (above >= 0 && below > above + 1 && (this.#repeats?.[below - 1] ?? below) <= above) return 'repeat';
    const run = this.#alike.get(above);
    if (run === undefined || run.last + 1 !== below) return null;
    for (let row = run.first - run.lead; row < above; row++) if (this.taken[row] === 0) return null;
    return 'alike';
  }

  elidesStamp(above: number, row: number): boolean {
    const { second, flags } = this.table;
    if (!this.#elidesStamps || above < 0 || second[row] === 0 || second[row] !== second[above]) return false;
    if (((flags[above] as number) & OF_RUNNER) !== 0) return true;
    // Fractions of a program's own times matter: only equal times are elided.
    return above + 1 === row && this.table.isNext(above) && this.#isSameStamp(above, row);
  }

  #isSameStamp(above: number, row: number): boolean {
    const { bytes, from, stamp } = this.table;
    const length = stamp[row] as number;
    if (stamp[above] !== length) return false;
    const [a, b] = [from[above] as number, from[row] as number];
    return bytes.compare(bytes, a, a + length, b, b + length) === 0;
  }

  /** The rows around a place that are shown, and how many are shown before it. */
  neighbours(row: number): { readonly at: number; readonly above: number; readonly below: number } {
    const at = this.#indexOf(row);
    return {
      at,
      above: at === 0 ? -1 : (this.#chosen[at - 1] as number),
      below: at === this.#count ? this.table.rows : (this.#chosen[at] as number),
    };
  }

  /** Cached: gaps are priced many times. */
  #labelled(above: number, below: number, bare: number): number {
    const key = (above + 1) * (this.table.rows + 2) + below;
    let price = this.#prices.get(key);
    if (price === undefined) {
      price = this.#priceOf?.(above, below, bare) ?? bare;
      this.#prices.set(key, price);
    }
    return price;
  }

  /** All or none of these runs. Adjacent gaps that cost no more to show than to mark are shown. */
  takeTogether(runs: readonly RowRun[], most = this.share.chars): boolean {
    const { chars, lines, share } = this;
    const bound = Math.min(most, share.chars);
    const trial: [number, number][] = [];
    this.#trial = trial;
    let isWithin = true;
    for (const [first, last] of runs) {
      isWithin = this.#takeFree(first, last, bound);
      if (!isWithin) break;
    }
    this.#trial = null;
    if (isWithin && this.chars <= bound && this.lines <= share.lines) return true;
    for (const [first, last] of trial.reverse()) this.#remove(first, last);
    this.chars = chars;
    this.lines = lines;
    return false;
  }

  /** False if they exceed the bound by themselves. */
  #takeFree(first: number, last: number, bound: number): boolean {
    for (let row = first; row <= last; ) {
      if (this.taken[row] === 1) {
        row++;
        continue;
      }
      let end = row;
      let chars = this.sizes[row] as number;
      while (end < last && this.taken[end + 1] === 0) chars += this.sizes[++end] as number;
      const { above, below } = this.neighbours(row);
      const least = this.#leastChars(above, row) + this.#leastChars(end, below);
      if (this.chars + chars + least - this.between(above, below) > bound) return false;
      this.take(row, end);
      this.close(row, -1);
      this.close(end, 1);
      row = end + 1;
    }
    return true;
  }

  /** Marked or shown. */
  #leastChars(above: number, below: number): number {
    const { at, after, totals, rows } = this.table;
    const to = below >= rows ? totals.stored.chars : (at[below] as number);
    return Math.min(to - (above < 0 ? 0 : (after[above] as number)), this.#bareChars(above, below));
  }

  /** Consecutive, untaken rows, if they fit. */
  take(first: number, last: number): boolean {
    const { share } = this;
    const { at, above, below } = this.neighbours(first);
    if (below <= last || (first <= this.#ofAll && this.#ofAll <= last)) return false;
    let chars = this.sizes[first] as number;
    // Quick test: most misfits do not fit even without markers.
    const isTried = this.#trial !== null;
    if (!isTried && this.chars + chars - this.between(above, below) > share.chars) return false;
    for (let row = first + 1; row <= last; row++)
      chars += (this.sizes[row] as number) + this.between(row - 1, row);
    const before = this.gapChars(above, first);
    const behind = this.gapChars(last, below);
    const joined = this.gapChars(above, below);
    const stamps =
      this.#stampChars(above, first) + this.#stampChars(last, below) - this.#stampChars(above, below);
    const after = this.chars + chars + before + behind - joined + stamps;
    const gaps = Number(before > 0) + Number(behind > 0) - Number(joined > 0);
    const noted = this.#notes.size === 0 ? 0 : this.#notesBelow(last + 1) - this.#notesBelow(first);
    const lines = this.lines + this.#linesOf(first, last) + gaps * share.gap.lines - noted;
    if (!isTried && (after > share.chars || lines > share.lines)) return false;
    this.#trial?.push([first, last]);
    this.chars = after;
    this.lines = lines;
    this.#insert(at, first, last);
    return true;
  }

  /** As many as fit. */
  takeAll(rows: readonly number[]): void {
    for (const row of rows) if (this.taken[row] === 0) this.#takeUnit(row);
  }

  /** Closes the gap beside a row if showing it costs no more than its marker. */
  close(row: number, step: 1 | -1): void {
    const { table } = this;
    // A listed row beside a shown one is shown with it.
    const beside = row + step;
    if (this.isListed(beside) && table.isNext(Math.min(row, beside)) && this.take(beside, beside)) {
      this.close(beside, step);
      return;
    }
    const isLabelled = this.#priceOf !== undefined || this.#notes.size > 0;
    const near = isLabelled ? this.#gapBeside(row, step) : this.share.gap.chars;
    let other = row + step;
    let size = 0;
    while (other >= 0 && other < table.rows && this.taken[other] === 0 && size <= near) {
      if (!table.isNext(Math.min(other, other - step)) || this.#blockEnd?.[other]) return;
      size += this.sizes[other] as number;
      other += step;
    }
    if (other === row + step || size > near) return;
    const isEnd = other < 0 || other >= table.rows;
    if (!isEnd && this.taken[other] === 0) return;
    const above = Math.min(row, other);
    const below = Math.max(row, other);
    if (size <= this.gapChars(above, below)) this.take(above + 1, below - 1);
  }

  closeAll(): void {
    const [first] = this.chosen;
    if (first !== undefined) this.close(first, -1);
    for (const row of this.chosen.slice()) this.close(row, 1);
  }

  #gapBeside(row: number, step: 1 | -1): number {
    const { above } = this.neighbours(row);
    const { below } = this.neighbours(row + 1);
    return step < 0 ? this.gapChars(above, row) : this.gapChars(row, below);
  }

  /**
   * Takes rows by score. A blank row says nothing alone, and one without words nothing without the
   * row above it. `parentOf`: the row that says what a row belongs to, which is shown with it; -1 if
   * there is none.
   */
  fill(score: Float32Array, parentOf: (row: number) => number = () => -1, enough?: Enough): void {
    const { table, sizes, taken } = this;
    const { rows, flags, shape, digits } = table;
    const heap = new Heap(rows + 1);
    const shown = new Set<number>();
    const message = (row: number) => (shape[row] as number) * 4_294_967_296 + (digits[row] as number);
    const liked = new Uint32Array(table.shapes);
    const like = (row: number) => {
      if (enough === undefined || !enough.isCounted(row)) return 1;
      const more = (liked[shape[row] as number] as number) - LIKE.free;
      return more <= 0 ? 1 : 1 / (1 + LIKE.less * more);
    };
    const count = (row: number) => {
      liked[shape[row] as number] = (liked[shape[row] as number] as number) + 1;
    };
    const keyOf = (row: number) => {
      const closes =
        this.#isTaken(row - 1) && this.#isTaken(row + 1) && table.isNext(row - 1) && table.isNext(row);
      const isAgain = (sizes[row] as number) > SHORT_MESSAGE && shown.has(message(row));
      return (score[row] as number) * (closes ? CLOSES_GAP : 1) * (isAgain ? SHOWN_ALREADY : 1) * like(row);
    };
    for (const row of [...this.chosen, ...this.listed]) {
      shown.add(message(row));
      count(row);
    }
    const isFree = (row: number) => taken[row] === 0 && this.#notes.get(row)?.text !== null;
    const floor = this.#floorOf(score);
    for (let row = 0; row < rows; row++)
      if ((score[row] as number) > floor && isFree(row)) heap.push(score[row] as number, rows - row);
    while (heap.size > 0 && this.left > LEFT_OVER) {
      const { key } = heap;
      const row = rows - heap.pop();
      if (taken[row] === 1) continue;
      const now = keyOf(row);
      if (now < key) {
        heap.push(now, rows - row);
        continue;
      }
      if (now > key) continue;
      if (enough !== undefined) {
        if (this.#strongest === 0) this.#strongest = now;
        if (now < enough.least(this.#strongest)) break;
        if (now < enough.needs(row) * this.#strongest) continue;
      }
      const isAbove = this.#isTaken(row - 1) && table.isNext(row - 1);
      const isBelow = this.#isTaken(row + 1) && table.isNext(row);
      if (((flags[row] as number) & BLANK) !== 0 && !isAbove && !isBelow) continue;
      if (((flags[row] as number) & WORD) === 0 && row > 0 && !isAbove) continue;
      const parent = parentOf(row);
      const isAlone = parent < 0 || this.#isTaken(parent);
      // In a small room an error is shown without the heading above it, but no frame without its error.
      const isFirst = !isAlone && (score[row] as number) > (score[parent] as number);
      if (!isAlone && !isFirst && !this.#takeUnit(parent)) continue;
      if (!this.#takeUnit(row)) continue;
      if (isFirst) this.#takeUnit(parent);
      shown.add(message(row));
      count(row);
      this.close(row, -1);
      this.close(row, 1);
      for (const other of [row - 1, row + 1])
        if (other >= 0 && other < rows && isFree(other) && (score[other] as number) > 0)
          heap.push(keyOf(other), rows - other);
    }
  }

  /** Rows of a unit together, a parent first. */
  fillRanks({ score, unit, parent }: Ranks): void {
    if (unit === undefined && parent === undefined) {
      this.fill(score);
      return;
    }
    const order = [...score.keys()].filter((row) => (score[row] as number) > 0 && row < this.table.rows);
    order.sort((a, b) => (score[b] as number) - (score[a] as number) || a - b);
    for (const row of order) {
      if (this.taken[row] === 1) continue;
      let first = row;
      let last = row;
      const number = unit?.[row] ?? 0;
      while (number > 0 && first > 0 && unit?.[first - 1] === number) first--;
      while (number > 0 && last + 1 < this.table.rows && unit?.[last + 1] === number) last++;
      const above = parent?.[row] ?? -1;
      if (above >= 0 && above < this.table.rows && this.taken[above] === 0 && !this.take(above, above))
        continue;
      this.take(first, last);
    }
  }

  /** By gain for the price: both ends first, then most new names. A name pays only once. */
  fillUnits({ units, nameCount, ends }: UnitRanks, headLines: number, tailLines: number): void {
    const shown = new Uint8Array(nameCount);
    const queue = new Heap();
    const take = (at: number): boolean => {
      const { first, last, names, with: others } = units[at] as RankedUnit;
      if (this.taken[first] === 1) return true;
      if (others === undefined ? !this.take(first, last) : !this.takeTogether(others)) return false;
      for (const name of names) shown[name] = 1;
      return true;
    };
    const gainOf = (at: number): number => {
      const { first, last, chars, names, weights, worth, perName, gapChars } = units[at] as RankedUnit;
      let gain = worth;
      for (let i = 0; i < names.length; i++)
        if (shown[names[i] as number] === 0) gain += perName * (weights[i] as number);
      const gaps = 1 - Number(this.#isShownOrEnd(first - 1)) - Number(this.#isShownOrEnd(last + 1));
      return gain / Math.max(1, chars + gaps * gapChars);
    };
    const enqueue = (at: number) => {
      const unit = units[at];
      if (unit === undefined || this.taken[unit.first] === 1) return;
      const gain = gainOf(at);
      if (gain > 0) queue.push(gain, -at);
    };
    const takeEnd = (from: number, step: 1 | -1, mostChars: number, mostLines: number) => {
      let chars = 0;
      let lines = 0;
      for (let at = from; units[at] !== undefined; at += step) {
        const unit = units[at] as RankedUnit;
        chars += unit.chars;
        lines += unit.last - unit.first + 1;
        if (chars > mostChars || lines > mostLines || !take(at)) return;
      }
    };
    for (const { first, last, names } of this.taken.includes(1) ? units : [])
      if (this.taken.subarray(first, last + 1).includes(1)) for (const name of names) shown[name] = 1;
    takeEnd(0, 1, ends.top * this.share.chars, headLines);
    takeEnd(units.length - 1, -1, ends.bottom * this.share.chars, tailLines);
    for (let at = 0; at < units.length; at++) enqueue(at);
    while (queue.size > 0) {
      const { key } = queue;
      const at = -queue.pop();
      if (this.taken[(units[at] as RankedUnit).first] === 1) continue;
      const gain = gainOf(at);
      // The gain has dropped: queue it again.
      if (gain < key) queue.push(gain, -at);
      else if (gain === key && take(at)) {
        enqueue(at - 1);
        enqueue(at + 1);
      }
    }
  }

  #isShownOrEnd(row: number): boolean {
    return row < 0 || row >= this.table.rows || this.taken[row] === 1;
  }

  /** Rows below it are skipped: those above fill the room several times. */
  #floorOf(score: Float32Array): number {
    const most = this.share.chars * 3;
    let low = 1e-6;
    let high = 64;
    for (let round = 0; round < 10; round++) {
      const middle = (low + high) / 2;
      let sum = 0;
      for (let row = 0; row < score.length && sum <= most; row++)
        if ((score[row] as number) >= middle) sum += this.sizes[row] as number;
      if (sum > most) low = middle;
      else high = middle;
    }
    return low;
  }

  #takeUnit(row: number): boolean {
    const last = this.#blockEnd?.[row] ?? 0;
    if (last === 0) return this.take(row, row);
    let first = row;
    while (first > 0 && this.#blockEnd?.[first - 1] === last) first--;
    return this.taken[first] === 0 && this.take(first, last);
  }

  #isTaken(row: number): boolean {
    return row >= 0 && row < this.table.rows && this.taken[row] === 1;
  }

  #stampChars(above: number, row: number): number {
    if (row >= this.table.rows || this.elidesStamp(above, row)) return 0;
    if (this.#blockEnd?.[row]) return 0;
    return this.table.stamp[row] as number;
  }

  /** A segment takes no line beyond the first of its line. */
  #linesOf(first: number, last: number): number {
    let lines = 0;
    for (let row = first; row <= last; row++)
      if (row === last || ((this.table.flags[row] as number) & OPEN) === 0) lines++;
    return lines;
  }

  #indexOf(row: number): number {
    return countWhile(this.#count, (at) => (this.#chosen[at] as number) < row);
  }

  #insert(at: number, first: number, last: number): void {
    const added = last - first + 1;
    if (this.#count + added > this.#chosen.length) {
      const larger = new Int32Array((this.#count + added) * 2);
      larger.set(this.#chosen);
      this.#chosen = larger;
    }
    this.#chosen.copyWithin(at + added, at, this.#count);
    for (let i = 0; i < added; i++) {
      this.#chosen[at + i] = first + i;
      this.taken[first + i] = 1;
    }
    this.#count += added;
  }

  #remove(first: number, last: number): void {
    const at = this.#indexOf(first);
    const removed = last - first + 1;
    this.#chosen.copyWithin(at, at + removed, this.#count);
    this.#count -= removed;
    this.taken.fill(0, first, last + 1);
  }
}

function repeatsIn(table: LineTable): Int32Array | null {
  const { rows, flags } = table;
  let repeats: Int32Array | null = null;
  for (let row = 1; row < rows; row++) {
    if (((flags[row] as number) & AGAIN) === 0 || !table.isNext(row - 1)) continue;
    repeats ??= new Int32Array(rows).map((_, i) => i);
    const above = repeats[row - 1] as number;
    let first = above;
    // The first repeats are rows like any other.
    while (first > 0 && first > row - COUNTED_FROM && table.isNext(first - 1)) first--;
    if (first < above) repeats.fill(first, first + 1, row);
    repeats[row] = first;
  }
  return repeats;
}
