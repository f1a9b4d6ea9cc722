/**
 * `element` for documents: what comes out is valid for any shape and any budget. One pass, memory
 * bounded by the table; numbers, escapes, references and the order of things stay as written. White
 * space between tokens is left out, but not of a JSON file. A text that is not valid sets `failure`.
 */
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, FormatReader, Share } from '../../model/strategy.ts';
import { Standings } from '../../table/tree/standing.ts';
import type { TreeScanner } from '../../table/tree/tree-sink.ts';
import { TreeTable } from '../../table/tree/tree-table.ts';
import { CoverBuilder } from '../../text/cover.ts';
import { verdictOf } from '../../vocabulary/fields.ts';
import { Chooser, optionsFrom } from './choose.ts';
import { Layout, LEAST_ADDRESSED, type Shown, type Spacing, type TreeGrammar, WHOLE } from './layout.ts';
import { TreeWriter } from './write.ts';

const LF = 10;
const CR = 13;
/** Fewer chars do not make fewer lines. */
const FEWEST_CHARS = 100;
/** What the path of a gap in XML takes in the notice beyond its lines, as a rule. */
const PATH_CHARS = 32;

export interface TreeForm {
  readonly grammar: TreeGrammar;
  readonly spacing: Spacing;
  scan(table: TreeTable): TreeScanner;
}

export class TreeReader implements FormatReader {
  readonly #policy: Policy;
  readonly #form: TreeForm;
  readonly #table: TreeTable;
  readonly #scan: TreeScanner;
  #lastByte = 0;
  #isFinished = false;
  #standings: Standings | undefined;
  #shown: Shown = new Map();

  constructor(policy: Policy, reachChars: number, form: TreeForm) {
    this.#policy = policy;
    this.#form = form;
    this.#table = new TreeTable({ verdict: verdictOf, reachChars });
    this.#scan = form.scan(this.#table);
  }

  push(bytes: Uint8Array): void {
    if (this.isBroken) return;
    this.#table.push(bytes, this.#scan);
    this.#lastByte = bytes.at(-1) ?? this.#lastByte;
  }

  get isBroken(): boolean {
    return this.#scan.failure !== null;
  }

  get failure(): string | null {
    this.#finish();
    return this.#scan.failure;
  }

  select(share: Share): Selection {
    if (this.failure !== null) return [];
    const { spacing } = this.#form;
    const room = share.chars - this.#noticeChars(share);
    let made = this.#attempt(room, spacing);
    // With few lines, text without line ends says more.
    const tighter = this.#form.grammar.isXml ? 'none' : 'blanks';
    if (made.lines > share.lines && spacing !== tighter) made = this.#attempt(room, tighter);
    for (let chars = room; made.lines > share.lines && chars >= FEWEST_CHARS; ) {
      chars = Math.floor((Math.min(chars, this.#table.size) * Math.max(1, share.lines)) / (made.lines + 1));
      made = this.#attempt(chars, tighter);
    }
    return made.selection;
  }

  /** And how much the last selection shows of it. */
  get findings(): Findings | null {
    const { errors, warnings } = this.#table.findings;
    if (errors + warnings === 0) return null;
    const shown = [0, 0, 0, 0];
    for (let row = 1; row < this.#table.rows; row++) {
      const level = this.#table.finding[row] as number;
      if (level > 0 && this.#isShown(row)) shown[level] = (shown[level] ?? 0) + 1;
    }
    return findingsOf(errors, (shown[2] ?? 0) + (shown[3] ?? 0), warnings, shown[1] ?? 0);
  }

  /** What the notice takes to tell of findings and of white space that is left out. */
  #noticeChars({ chars, noticeCost }: Share): number {
    const { errors, warnings } = this.#table.findings;
    const found = errors + warnings === 0 ? null : findingsOf(errors, errors - 1, warnings, warnings - 1);
    const { grammar, spacing } = this.#form;
    const path = grammar.isXml && grammar.paths !== undefined && chars >= LEAST_ADDRESSED ? PATH_CHARS : 0;
    return path + (noticeCost?.(found, spacing === 'exact' ? 0 : (this.#table.space[0] as number)) ?? 0);
  }

  bytes({ start, end }: { readonly start: number; readonly end: number }): Uint8Array {
    return this.#table.slice(start, end);
  }

  #isShown(row: number): boolean {
    for (let at = row; at >= 0; at = this.#table.parent[at] as number) {
      const how = this.#shown.get(at);
      if (how !== undefined) return at === row || how === WHOLE;
    }
    return false;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#scan.finish();
    this.#table.finish();
  }

  #attempt(chars: number, spacing: Spacing): { readonly selection: Selection; readonly lines: number } {
    const table = this.#table;
    const budget = chars - (spacing === 'exact' ? 1 : 0);
    const layout = new Layout(table, this.#form.grammar, spacing, budget);
    const root = table.count[0] === 1 && table.next[1] === table.rows ? 1 : 0;
    this.#standings ??= new Standings(table);
    this.#shown = new Chooser(layout, optionsFrom(this.#policy), this.#standings, budget).choose(root);
    const cover = new CoverBuilder();
    const writer = new TreeWriter(layout, this.#shown, cover);
    writer.elide(table.start[1] as number);
    writer.value(root);
    const { size } = table;
    if (spacing === 'exact' && this.#lastByte === LF && writer.at === size - 1) writer.keep(size);
    writer.elide(size);
    const selection = cover.finish(this.#lastByte !== LF && this.#lastByte !== CR);
    return { selection, lines: writer.breaks + 1 };
  }
}

function findingsOf(errors: number, shownErrors: number, warnings: number, shownWarnings: number): Findings {
  return {
    areRecords: true,
    errors: { lines: errors, kinds: errors, shown: shownErrors },
    warnings: { lines: warnings, kinds: warnings, shown: shownWarnings },
    sections: 0,
  };
}
