/**
 * The rows above a diagnostic that say where it stands: includes, and the enclosing function.
 * Recognised by their beginning or end; most rows are rejected by a few bytes.
 */
import type { LineTable } from '../../table/line-table.ts';

/** `In file included from a.h:3,`, and the lines `from b.c:1:` below it. */
const INCLUDED = /^In file included from /;
const GOES_ON = /^\s+from \S+:\d+[:,]/;
/** `a.c: In function 'run':` */
const INSIDE = /^\S+: (?:In|At) .*:$/;

const CAPITAL_I = 0x49;
const SMALL_N = 0x6e;
const SPACE = 0x20;
const COLON = 0x3a;

export class LeadIn {
  readonly #table: LineTable;
  #first = -1;
  #next = -1;

  constructor(table: LineTable) {
    this.#table = table;
  }

  add(row: number): void {
    const { bytes, from, to, stamp, ending } = this.#table;
    const at = (from[row] as number) + (stamp[row] as number);
    const last = bytes[(to[row] as number) - (ending[row] as number) - 1];
    const first = bytes[at];
    if (first === SPACE && row === this.#next && GOES_ON.test(this.#table.textOf(row))) this.#next++;
    else if (
      (first === CAPITAL_I && bytes[at + 1] === SMALL_N && INCLUDED.test(this.#table.textOf(row))) ||
      (last === COLON && INSIDE.test(this.#table.textOf(row)))
    ) {
      // Lines about the function may follow those about the file.
      if (row !== this.#next) this.#first = row;
      this.#next = row + 1;
    }
  }

  /** The first of the rows that lead to it, else -1. */
  above(row: number): number {
    return row === this.#next ? this.#first : -1;
  }

  /** `follow` maps index + 1; 0 if the row is gone. */
  keepOnly(follow: (plusOne: number) => number): void {
    this.#first = follow(this.#first + 1) - 1;
    this.#next = this.#first < 0 ? -1 : follow(this.#next + 1) - 1;
  }
}
