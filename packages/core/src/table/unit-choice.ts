/**
 * Chooses units of a table within a share: a plan says which, the row fit what they cost. Markers
 * are priced with what they say of their gap, so nothing is reserved for words.
 */
import type { LineGrammar, Unit, UnitChoice } from '../model/line-grammar.ts';
import type { OmittedThings } from '../model/selection.ts';
import type { Grammar, Share } from '../model/strategy.ts';
import type { LineTable } from './line-table.ts';
import type { LineUnits, RowUnit } from './line-units.ts';
import { RowFit } from './row-fit.ts';

/** Of the share, what the names of all groups may take where none of them is shown. */
const NAMES_SHARE = 0.4;
/** In a smaller share, lists of names stay short. */
const LEAST_NAMES_SHARE_CHARS = 1_000;
/** Lists that would name less than this of all groups' names stay short. */
const LEAST_LISTED = 0.5;
/** What a label costs beside `of` where nobody says how it is written. */
const LABEL_CHARS = 24;

export class TableChoice implements UnitChoice {
  readonly fit: RowFit;
  readonly units: readonly RowUnit[];
  readonly share: Share;
  readonly listed: number;
  readonly #table: LineTable;
  readonly #known: LineUnits;
  readonly #grammar: LineGrammar;

  /** `written`: how gaps are written, where the dialect does not. */
  constructor(table: LineTable, known: LineUnits, share: Share, written: Grammar | undefined) {
    this.#table = table;
    this.#known = known;
    this.#grammar = known.grammar;
    this.units = known.units();
    this.share = share;
    this.listed = listedOf(known.namesChars, share.chars);
    const labelChars = share.gap.label ?? (({ of = '' }: OmittedThings) => LABEL_CHARS + of.length);
    // A format that writes its gaps itself knows what they cost: the dialect's words are no bound.
    const room = written === undefined ? share : { ...share, gap: { ...share.gap, exactly: () => 1 } };
    this.fit = new RowFit(table, room, {
      elidesStamps: false,
      priceOf: (above, below, bare) => {
        const what = this.labelOf(above, below);
        const own = what === undefined ? undefined : written?.mark(what)?.length;
        const dialects = written === undefined ? bare : share.gap.chars;
        return own ?? dialects + (what === undefined ? 0 : labelChars(what));
      },
    });
  }

  get chars(): number {
    return this.fit.chars;
  }

  has(index: number): boolean {
    const unit = this.units[index];
    return unit !== undefined && this.fit.taken[unit.first] === 1 && this.fit.taken[unit.last] === 1;
  }

  add(indices: readonly number[], mostChars = this.share.chars): boolean {
    const runs: [number, number][] = [];
    for (const index of indices) {
      const unit = this.units[index];
      if (unit === undefined || !unit.isWhole) return false;
      runs.push([unit.first, unit.last]);
    }
    return this.fit.takeTogether(runs, mostChars);
  }

  bytesOf(unit: Unit): Uint8Array {
    const { first, last } = unit as RowUnit;
    return this.#table.bytes.subarray(this.#table.from[first], this.#table.to[last]);
  }

  /** Takes a row, or all of the unit that it belongs to where units are not divided. */
  addRow(row: number): void {
    const unit = this.#known.unitOf(row);
    if (this.#grammar.isIndivisible) this.add([unit.index]);
    else this.fit.takeTogether([[row, row]]);
  }

  /** What is left out between two rows that are shown. */
  labelOf(above: number, below: number): OmittedThings | undefined {
    return this.#grammar.label(this.#known.gap(above, below, this.listed));
  }
}

function listedOf(namesChars: number, shareChars: number): number {
  const most = shareChars < LEAST_NAMES_SHARE_CHARS ? 0 : shareChars * NAMES_SHARE;
  const listed = namesChars <= most ? 1 : most / namesChars;
  return listed < LEAST_LISTED ? 0 : listed;
}
