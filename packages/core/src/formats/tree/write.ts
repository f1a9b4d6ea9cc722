/**
 * Writes a choice as a selection that covers the text exactly: what is shown is kept as it stands
 * in the text, white space between tokens is elided or kept, everything else is omitted with what
 * it was. Each grammar has its writer. Places are bytes of the text.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { OmittedThings } from '../../model/selection.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import type { CoverBuilder } from '../../text/cover.ts';
import { cutText } from './cut-text.ts';
import type { Shown } from './open-node.ts';
import type { Prices } from './prices.ts';

const LF = 0x0a;
const CR = 0x0d;

export abstract class TreeWriter {
  protected readonly table: TreeTable;
  protected readonly prices: Prices;
  protected readonly shown: Shown;
  readonly #cover: CoverBuilder;
  readonly #base: Extent;
  /** Everything before it is written. */
  at: number;
  /** Chars as rendered, and line ends among them. */
  chars = 0;
  breaks = 0;

  /** `base`: where the text begins in the part that it stands in. */
  constructor(prices: Prices, shown: Shown, cover: CoverBuilder, at: number, base: Extent = NOTHING) {
    this.table = prices.table;
    this.prices = prices;
    this.shown = shown;
    this.#cover = cover;
    this.#base = base;
    this.at = at;
  }

  /** Writes a row as it was chosen, from its first byte on. */
  abstract value(row: number): void;

  keep(to: number): void {
    if (to <= this.at) return;
    const table = this.table;
    const [from, until] = [table.extentAt(this.at), table.extentAt(to)];
    const last = table.byteAt(to - 1);
    this.#cover.keep(sum(this.#base, from), sum(this.#base, until), last === LF || last === CR);
    this.chars += until.chars - from.chars;
    this.breaks += until.breaks - from.breaks;
    this.at = to;
  }

  elide(to: number): void {
    if (to <= this.at) return;
    const [from, until] = this.#extents(to);
    this.#cover.elide(from, until, 'indentation');
  }

  omit(to: number, what: OmittedThings): void {
    if (to <= this.at) return;
    const marker = this.prices.grammar.mark(what);
    this.chars += marker.length;
    if (marker.endsWith('\n')) this.breaks++;
    const [from, until] = this.#extents(to);
    this.#cover.omit(from, until, false, what);
  }

  #extents(to: number): [Extent, Extent] {
    const from = sum(this.#base, this.table.extentAt(this.at));
    this.at = to;
    return [from, sum(this.#base, this.table.extentAt(to))];
  }

  protected cutInside(row: number, chars: number, end: number): void {
    const table = this.table;
    const { headEnd, tailStart } = cutText(table, row, chars, this.prices.hidesEntities);
    this.keep(headEnd);
    const count = table.extentAt(tailStart).chars - table.extentAt(headEnd).chars;
    this.omit(tailStart, this.prices.cutThings(row, count));
    this.keep(end);
  }
}
