/**
 * The rows of a table as units of a line grammar, read once, in order. Unit sums count from the
 * start of the text, so a gap between any shown rows is exact, also over dropped rows. Invariant:
 * every row read belongs to a unit.
 */
import type { Gap, Line, LineFacts, LineGrammar, TextStart, Unit } from '../model/line-grammar.ts';
import type { UnfitLine } from '../model/selection.ts';
import { type LineTable, OPEN } from './line-table.ts';

const START_BYTES = 16_384;
/** Bytes of a line that are looked at. */
const LOOK_BYTES = 65_536;
/** Limits for remembered group names. */
const MOST_GROUPS = 200_000;
const MOST_NAMES_CHARS = 1_000_000;
/** Shorter lines fit any budget with room for a line. */
const SHORTEST_LONG_LINE = 250;
const MOST_LONG_LINES = 1_000;
/** Refuses a text if less than this share of the reach could be shown in units. */
const LEAST_SHOWABLE = 0.35;
const SEPARATOR_CHARS = 2;
const SHORT_LIST_CHARS = 60;

type GrammarMaker = (start: TextStart, facts: LineFacts) => LineGrammar;

/** Sums before a unit, then of the unit. */
class Sums {
  count = 0;
  heads = 0;
  plus = 0;
  minus = 0;

  add({ count, heads, plus, minus }: Sums): void {
    this.count += count;
    this.heads += heads;
    this.plus += plus;
    this.minus += minus;
  }
}

export class RowUnit extends Sums implements Unit {
  first = -1;
  last = -1;
  index = -1;
  readonly order: number;
  chars = 0;
  lines = 0;
  group = 0;
  name = '';
  role = '';
  depth = 0;
  score = 0;
  tier: 0 | 1 = 0;
  isWhole = true;
  groupBefore = 0;
  groupAfter = 0;
  /** Sums of all units before it. */
  readonly before = new Sums();

  constructor(order: number, before: Sums) {
    super();
    this.order = order;
    this.before.add(before);
  }
}

type SumName = 'count' | 'heads' | 'plus' | 'minus';

export class LineUnits {
  readonly #table: LineTable;
  readonly #maker: GrammarMaker;
  readonly #facts: LineFacts;
  #grammar: LineGrammar | undefined;
  readonly #ofRows: RowUnit[] = [];
  #units: readonly RowUnit[] | undefined;
  #open: RowUnit | null = null;
  #previous: RowUnit | null = null;
  #order = 0;
  #isInLongLine = false;
  readonly #totals = new Sums();
  #firstGroup = 0;
  readonly #names: string[] = [];
  /** Running chars of names, by group. */
  readonly #nameEnds: number[] = [];
  #allChars = 0;
  #shortChars = 0;
  readonly #long: UnfitLine[] = [];

  constructor(table: LineTable, maker: GrammarMaker, facts: LineFacts) {
    this.#table = table;
    this.#maker = maker;
    this.#facts = facts;
  }

  get grammar(): LineGrammar {
    this.#grammar ??= this.#maker(this.#start(), this.#facts);
    return this.#grammar;
  }

  /** Why the text does not follow the format. Ask after the end. */
  get failure(): string | null {
    this.units();
    const { longThings } = this.grammar;
    const own = this.grammar.failure();
    if (own !== null || longThings === undefined) return own;
    const { reachChars } = this.#facts;
    const isTooLong = this.#allChars > reachChars && this.#shortChars < reachChars * LEAST_SHOWABLE;
    return isTooLong ? `its ${longThings} are longer than what can be shown` : null;
  }

  /** Units with a row that is held, in order. Ask after the end. */
  units(): readonly RowUnit[] {
    if (this.#units === undefined) {
      this.#read(true);
      this.#close();
      this.#units = this.#ofRows.filter((unit, row) => unit !== this.#ofRows[row - 1]);
      for (const [index, unit] of this.#units.entries()) unit.index = index;
    }
    return this.#units;
  }

  unitOf(row: number): RowUnit {
    return this.#ofRows[row] as RowUnit;
  }

  /** Infinity if not all are known. */
  get namesChars(): number {
    const last = this.#previous?.group ?? 0;
    return last < this.#nameEnds.length ? (this.#nameEnds.at(-1) ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** By tier, the score of the unit of each row. */
  worths(): readonly [Float32Array, Float32Array] {
    this.#read(false);
    const worths = [new Float32Array(this.#table.rows), new Float32Array(this.#table.rows)] as const;
    this.#ofRows.forEach(({ tier, score, chars }, row) => {
      if (chars <= this.#facts.reachChars) worths[tier][row] = score;
    });
    return worths;
  }

  /** Rows not read yet must be marked to stay. */
  keepOnly(isKept: Uint8Array): void {
    isKept.fill(1, this.#ofRows.length);
    let before: RowUnit | null = null;
    let rows = 0;
    for (let row = 0; row < this.#ofRows.length; row++) {
      const unit = this.#ofRows[row] as RowUnit;
      if (unit !== before) unit.first = -1;
      before = unit;
      if (isKept[row] === 0) {
        unit.isWhole = false;
        continue;
      }
      if (unit.first < 0) unit.first = rows;
      unit.last = rows;
      this.#ofRows[rows++] = unit;
    }
    this.#ofRows.length = rows;
  }

  /** Between two shown rows (-1 and the row count: the ends). `listed`: share of names to list. */
  gap(above: number, below: number, listed: number): Gap {
    const table = this.#table;
    const before = above < 0 ? null : this.unitOf(above);
    const after = below >= table.rows ? null : this.unitOf(below);
    const to = after?.before ?? this.#totals;
    const from = (name: SumName) => (before === null ? 0 : before.before[name] + before[name]);
    const left = (name: SumName) => Math.max(0, to[name] - from(name));
    const first = before === null ? this.#firstGroup : before.groupAfter;
    const last = after === null ? (this.#previous?.group ?? 0) : after.groupBefore;
    const groups = Math.max(1, last - first + 1);
    const isContinued = before !== null && before.group === first;
    const goesOn = after?.group === last && (groups > 1 || !isContinued);
    const next = this.units()[(before?.index ?? -1) + 1];
    return {
      count: left('count'),
      heads: left('heads'),
      plus: left('plus'),
      minus: left('minus'),
      before: from('count'),
      firstLine: above < 0 ? 1 : (table.breaksAfter[above] as number) + 1,
      lastLine: below < table.rows ? (table.breaks[below] as number) : this.#lines,
      groups,
      hidden: groups - Number(isContinued) - Number(goesOn),
      isContinued,
      firstGroup: first,
      nameAt: (i) => this.#names[first + i] ?? '',
      listChars: this.#listChars(first, last, listed),
      first: next?.order === (before?.order ?? -1) + 1 ? next : undefined,
    };
  }

  /** If it is longer than that. */
  longestIn(firstLine: number, lastLine: number, mostChars: number): UnfitLine | undefined {
    let longest: UnfitLine | undefined;
    for (const each of this.#long)
      if (each.line >= firstLine && each.line <= lastLine && each.chars > (longest?.chars ?? mostChars))
        longest = each;
    return longest;
  }

  get #lines(): number {
    const { stored, isOpen } = this.#table.totals;
    return stored.breaks + (isOpen ? 1 : 0);
  }

  #listChars(first: number, last: number, listed: number): number {
    if (listed === 0) return 0;
    const end = (group: number) => this.#nameEnds[Math.min(group, this.#nameEnds.length - 1)] ?? 0;
    const all = end(last) - end(first - 1);
    return Math.max(Math.min(all, SHORT_LIST_CHARS), Math.floor(all * listed));
  }

  #start(): TextStart {
    const { bytes, totals, isPruned } = this.#table;
    const all = totals.clean.bytes;
    const complete = all <= START_BYTES && !isPruned;
    return { bytes: bytes.subarray(0, Math.min(all, START_BYTES)), complete };
  }

  /** All finished lines, and long ones as far as they have come. */
  #read(isLast: boolean): void {
    const table = this.#table;
    const { flags, from, to } = table;
    const grammar = this.grammar;
    const bytes = new Uint8Array(table.bytes.buffer, table.bytes.byteOffset, table.length);
    const isOpen = (row: number) => ((flags[row] as number) & OPEN) !== 0;
    for (let first = this.#ofRows.length; first < table.rows; first = this.#ofRows.length) {
      if (this.#isInLongLine && this.#open !== null) {
        grammar.more?.(bytes.subarray(from[first], (to[first] as number) - (table.ending[first] as number)));
        this.#extend(this.#open, first, first);
        this.#lengthen(first);
        this.#isInLongLine = isOpen(first);
        continue;
      }
      const most = (from[first] as number) + LOOK_BYTES;
      let last = first;
      while (isOpen(last) && (to[last] as number) < most && last + 1 < table.rows) last++;
      if (isOpen(last) && (to[last] as number) < most && !isLast) return;
      this.#line(bytes, first, last);
      this.#isInLongLine = isOpen(last);
    }
  }

  #line(bytes: Uint8Array, first: number, last: number): void {
    const table = this.#table;
    const line: Line = {
      bytes,
      from: table.from[first] as number,
      to: (table.to[last] as number) - (table.ending[last] as number),
      number: table.lineOf(first),
      chars: (table.after[last] as number) - (table.at[first] as number),
      whole: ((table.flags[last] as number) & OPEN) === 0,
    };
    if (this.grammar.begins(line, this.#open) || this.#open === null) {
      this.#close();
      this.#open = new RowUnit(this.#order++, this.#totals);
    }
    const unit = this.#open;
    this.grammar.note(line, unit);
    unit.lines++;
    this.#extend(unit, first, last);
    this.#noteLong(line.number, (table.at[first] as number) + 1, line.chars);
  }

  #extend(unit: RowUnit, first: number, last: number): void {
    if (unit.first < 0) unit.first = first;
    unit.last = last;
    for (let row = first; row <= last; row++) {
      unit.chars += this.#table.chars[row] as number;
      this.#ofRows[row] = unit;
    }
  }

  #noteLong(line: number, firstChar: number, chars: number): void {
    if (chars > SHORTEST_LONG_LINE && this.#long.length < MOST_LONG_LINES)
      this.#long.push({ line, firstChar, chars });
  }

  #lengthen(row: number): void {
    const long = this.#long.at(-1);
    if (long?.line !== this.#table.lineOf(row)) return;
    this.#long[this.#long.length - 1] = {
      ...long,
      chars: (this.#table.after[row] as number) - long.firstChar + 1,
    };
  }

  #close(): void {
    const unit = this.#open;
    if (unit === null) return;
    this.grammar.close?.(unit);
    this.#open = null;
    this.#totals.add(unit);
    if (this.#previous === null) this.#firstGroup = unit.group;
    else this.#previous.groupAfter = unit.group;
    unit.groupBefore = this.#previous?.group ?? unit.group;
    unit.groupAfter = unit.group;
    this.#previous = unit;
    this.#nameGroup(unit);
    this.#allChars += unit.chars;
    if (unit.chars <= this.#facts.reachChars * 0.9) this.#shortChars += unit.chars;
    if (this.grammar.isIndivisible && unit.lines > 1 && unit.first >= 0)
      this.#noteLong(this.#table.lineOf(unit.first), (this.#table.at[unit.first] as number) + 1, unit.chars);
  }

  #nameGroup(unit: RowUnit): void {
    const { group } = unit;
    const all = this.#nameEnds.at(-1) ?? 0;
    if (group < this.#names.length || group >= MOST_GROUPS || all > MOST_NAMES_CHARS) return;
    while (this.#names.length < group) {
      this.#names.push('');
      this.#nameEnds.push(all);
    }
    const name = flat(unit.name);
    this.#names.push(name);
    this.#nameEnds.push(all + (name === '' ? 0 : name.length + SEPARATOR_CHARS));
  }
}

/** Without line ends and controls. */
function flat(name: string): string {
  return /^[ -~]*$/.test(name) ? name : name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed();
}
