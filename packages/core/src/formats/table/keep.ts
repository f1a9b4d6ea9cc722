/**
 * `element` for tables: CSV, TSV, and tables by lines. The header always stays, rows are whole or
 * left out: first the first and last ones, then unusual ones, then more from both ends. A row that
 * no budget could show is named. Invariant: no cell is ever shortened.
 */
import type { Policy } from '../../model/policy.ts';
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Choice } from '../by-line/choice.ts';
import type { Gap } from '../by-line/gap-sums.ts';
import type { Line } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy } from '../by-line/line-strategy.ts';
import { fillEnds, outerFirst } from '../by-line/order.ts';
import type { Span } from '../by-line/span.ts';
import { CellScanner, QuoteTracker } from './cells.ts';
import { Columns } from './columns.ts';
import { type Layout, layoutOf, RULE } from './layout.ts';

/** `detail` is what detection knows of the separator: `,`, `tab` … */
export function keepRows(detail?: string): Strategy {
  return lineStrategy('element:rows', (sample, policy) => new Rows(layoutOf(sample, detail), policy));
}

const SPACE = 32;

class Rows implements LineGrammar {
  readonly #columns = new Columns();
  readonly #layout: Layout;
  readonly #policy: Policy;
  readonly #scanner: CellScanner;
  #isTable: boolean;
  #mode: 'header' | 'learn' | 'judge' = 'header';
  /** Set while a line streams by that is too long to be looked at. */
  #tracker: QuoteTracker | null = null;
  /** Whether a quoted field is open at the end of the last line. */
  #open = false;
  #isBlank = true;

  constructor(layout: Layout | null, policy: Policy) {
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

  note(line: Line, span: Span): void {
    if (span.lines === 0) {
      span.role = span.start === 0 ? 'header' : 'row';
      this.#isBlank = true;
    }
    this.#isBlank &&= line.whole && isBlank(line);
    if (!this.#isTable) return;
    if (this.#tracker !== null) {
      this.#open = this.#tracker.open;
      this.#scanner.open = this.#open;
      this.#tracker = null;
      return;
    }
    if (!line.whole || (this.#layout.hasRules && isRule(line))) {
      if (span.lines === 0 && span.role === 'row' && line.whole) span.role = 'rule';
      return;
    }
    this.#mode = span.role === 'header' ? 'header' : 'learn';
    this.#scanner.line(line.bytes, line.from, line.to);
    this.#open = this.#scanner.open;
  }

  close(span: Span): void {
    const fields = this.#scanner.endRow();
    // A row is never divided: all of it counts as the line that does not fit.
    if (span.lines > 1) span.longest = { line: span.line, firstChar: span.startChar + 1, chars: span.chars };
    if (span.role === 'header' || span.role === 'rule' || !this.#isTable) return;
    if (this.#isBlank) return;
    span.count = 1;
    span.score = fields === 0 ? 0 : this.#columns.endRow(fields, true);
  }

  openLine(bytes: Uint8Array): void {
    if (this.#layout.kind !== 'delimited') return;
    this.#tracker = new QuoteTracker(this.#layout.delimiter, this.#open);
    this.#tracker.push(bytes);
  }

  moreOfLine(bytes: Uint8Array): void {
    this.#tracker?.push(bytes);
  }

  failure(): string | null {
    if (!this.#isTable) return 'no columns were found';
    if (this.#open) return 'a quoted field is never closed';
    if (this.#columns.rows >= 4 && this.#columns.divided * 2 < this.#columns.rows)
      return 'most rows have one field only';
    return null;
  }

  mostChars(gap: Gap): number {
    return gap.count === 0 ? -1 : 0;
  }

  things({ count }: Gap, _names: () => string, before: number): OmittedThings | undefined {
    if (count === 0) return undefined;
    return { unit: 'row', count, foundBy: ['rows', `${before + 1}-${before + count}`] };
  }

  joinNames(one: string): string {
    return one;
  }

  plan(choice: Choice, bytesOf: (span: Span) => Uint8Array): void {
    const { firstElements, lastElements, salientShare, headRatio } = this.#policy;
    const { spans, share } = choice;
    const rowIndices = spans.flatMap((span, i) => (i > 0 && span.state !== 'dropped' ? [i] : []));
    choice.add([0]);
    for (const index of outerFirst(rowIndices, firstElements, lastElements)) choice.add([index]);
    const most = choice.chars + (share.chars - choice.chars) * salientShare;
    this.#unusual(spans, rowIndices, bytesOf).forEach((index, rank) => {
      choice.add([index], rank < firstElements ? share.chars : most);
    });
    fillEnds(choice, rowIndices, headRatio);
  }

  /** The rows that differ, by what is known now that all have been seen: the most unusual first. */
  #unusual(
    spans: readonly Span[],
    indices: readonly number[],
    bytesOf: (span: Span) => Uint8Array,
  ): number[] {
    this.#mode = 'judge';
    const scored = indices.flatMap((index) => {
      const span = spans[index];
      if (span === undefined || span.count === 0) return [];
      const score = this.#judge(bytesOf(span));
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
