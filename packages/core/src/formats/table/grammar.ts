/**
 * `element` for tables: CSV, TSV, and tables by lines. The header always stays, rows are whole or
 * left out: first the first and last ones, then unusual ones, then more from both ends. A row that
 * no budget could show is named. Invariant: no cell is ever shortened.
 */
import type {
  Gap,
  Line,
  LineFacts,
  LineGrammar,
  TextStart,
  Unit,
  UnitChoice,
} from '../../model/line-grammar.ts';
import type { Policy } from '../../model/policy.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { fillEnds, outerFirst } from '../by-line/order.ts';
import { CellScanner, QuoteTracker } from './cells.ts';
import { Columns } from './columns.ts';
import { type Layout, layoutOf, RULE } from './layout.ts';

const SPACE = 32;

export class Rows implements LineGrammar {
  readonly isIndivisible = true;
  readonly #columns = new Columns();
  readonly #layout: Layout;
  readonly #policy: Policy;
  readonly #scanner: CellScanner;
  readonly #isTable: boolean;
  #mode: 'header' | 'learn' | 'judge' = 'header';
  /** Set while a very long line streams by. */
  #tracker: QuoteTracker | null = null;
  #open = false;
  #isBlank = true;

  constructor(start: TextStart, { detected, policy }: LineFacts) {
    const layout = layoutOf(start, detected.detail);
    this.#isTable = layout !== null;
    this.#layout = layout ?? { kind: 'aligned', leastBlanks: 2, headerLines: 1, hasRules: false };
    this.#policy = policy;
    this.#scanner = new CellScanner(this.#layout, (index, bytes, from, to) => {
      if (this.#mode === 'header') this.#columns.name(index, bytes, from, to);
      else this.#columns.cell(index, bytes, from, to, this.#mode === 'learn');
    });
  }

  begins(line: Line): boolean {
    const { hasRules, headerLines } = this.#layout;
    if (hasRules) return line.number === 1 || line.number > headerLines;
    return !this.#open;
  }

  note(line: Line, unit: Unit): void {
    if (unit.lines === 0) {
      unit.role = unit.order === 0 ? 'header' : 'row';
      this.#isBlank = true;
    }
    this.#isBlank &&= line.whole && isBlank(line);
    if (!this.#isTable) return;
    this.#tracker = null;
    if (!line.whole) {
      this.#trackQuotes(line);
      return;
    }
    if (this.#layout.hasRules && isRule(line)) {
      if (unit.lines === 0 && unit.role === 'row') unit.role = 'rule';
      return;
    }
    this.#mode = unit.role === 'header' ? 'header' : 'learn';
    this.#scanner.line(line.bytes, line.from, line.to);
    this.#open = this.#scanner.open;
  }

  close(unit: Unit): void {
    const fields = this.#scanner.endRow();
    if (unit.role === 'header' || unit.role === 'rule' || !this.#isTable) return;
    if (this.#isBlank) return;
    unit.count = 1;
    unit.score = fields === 0 ? 0 : this.#columns.endRow(fields, true);
  }

  more(bytes: Uint8Array): void {
    if (this.#tracker === null) return;
    this.#tracker.push(bytes);
    this.#open = this.#tracker.open;
    this.#scanner.open = this.#open;
  }

  /** Of a very long line only quotes are followed. */
  #trackQuotes({ bytes, from, to }: Line): void {
    if (this.#layout.kind !== 'delimited') return;
    this.#tracker = new QuoteTracker(this.#layout.delimiter, this.#open);
    this.more(bytes.subarray(from, to));
  }

  failure(): string | null {
    if (!this.#isTable) return 'no columns were found';
    if (this.#open) return 'a quoted field is never closed';
    if (this.#columns.rows >= 4 && this.#columns.divided * 2 < this.#columns.rows)
      return 'most rows have one field only';
    return null;
  }

  label({ count, before }: Gap): OmittedThings | undefined {
    if (count === 0) return undefined;
    return { unit: 'row', count, foundBy: ['rows', `${before + 1}-${before + count}`] };
  }

  plan(choice: UnitChoice): void {
    const { firstElements, lastElements, salientShare, headRatio } = this.#policy;
    const { units, share } = choice;
    const rows = units.flatMap((unit, i) => (i > 0 && unit.isWhole ? [i] : []));
    choice.add([0]);
    for (const index of outerFirst(rows, firstElements, lastElements)) choice.add([index]);
    const most = choice.chars + (share.chars - choice.chars) * salientShare;
    this.#unusual(choice, rows).forEach((index, rank) => {
      choice.add([index], rank < firstElements ? share.chars : most);
    });
    fillEnds(choice, rows, headRatio);
  }

  /** Ranked once all rows are known: most unusual first. */
  #unusual(choice: UnitChoice, indices: readonly number[]): number[] {
    this.#mode = 'judge';
    const scored = indices.flatMap((index) => {
      const unit = choice.units[index];
      if (unit === undefined || unit.count === 0) return [];
      const score = this.#judge(choice.bytesOf(unit));
      return score > 0 ? [{ index, score }] : [];
    });
    return scored.sort((a, b) => b.score - a.score || a.index - b.index).map(({ index }) => index);
  }

  #judge(bytes: Uint8Array): number {
    let end = bytes.length;
    while (end > 0 && (bytes[end - 1] === 10 || bytes[end - 1] === 13)) end--;
    this.#scanner.line(bytes, 0, end);
    const fields = this.#scanner.endRow();
    return fields === 0 ? 0 : this.#columns.endRow(fields, false);
  }
}

function isBlank({ bytes, from, to }: Line): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > SPACE) return false;
  return true;
}

function isRule({ bytes, from, to }: Line): boolean {
  return (
    to - from < 4_096 &&
    RULE.test(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8'))
  );
}
