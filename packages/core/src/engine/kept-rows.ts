/**
 * What each strategy keeps of a text within a share: the highest ranked rows, both ends, whole
 * units, or what the format keeps; always with the lines that report a failure. Units: chars and
 * lines as rendered; spans are ranges of the table's buffer.
 */

import type { Selected } from '../model/part-text.ts';
import type { Plan } from '../model/plan.ts';
import type { Segment, Selection, UnfitLine } from '../model/selection.ts';
import type { Findings, FormatReader, Grammar, KeptLines, Share, Strategy } from '../model/strategy.ts';
import { type EndRule, endSpans, endsOf } from '../strategies/ends.ts';
import type { Evidence, FailureScores } from '../strategies/failures/failure-scores.ts';
import { findingsOf } from '../strategies/findings.ts';
import {
  type ReadingRanks,
  rankReading,
  readingReasons,
  saysLittle,
  type UnitShape,
} from '../strategies/reading.ts';
import { failureCauses, linesOfRows, reasonsOf } from '../strategies/reasons.ts';
import { salientRows, salientShareOf } from '../strategies/salient.ts';
import { type SummaryParts, summarise, thingsBetween, withListed } from '../strategies/summary.ts';
import { CONTINUED, type LineTable, OPEN } from '../table/line-table.ts';
import { enoughOf, Rows, takeTiers } from '../table/plan.ts';
import { RowFit } from '../table/row-fit.ts';
import { coverOf, type KeptSpan, keepSpan, storedAt } from '../table/table-cover.ts';
import { CoverBuilder } from '../text/cover.ts';
import { lazy, remembered } from '../text/memo.ts';
import { decode } from '../text/utf8.ts';
import { jsonGap } from '../wording/json-gap.ts';
import { preserves, type TextFacts, type TextTable } from './text-table.ts';

/** Without `texts`, those of the table apply. */
export type Kept = Pick<Selected, 'selection' | 'findings' | 'reasons'> &
  Partial<Pick<Selected, 'texts' | 'grammar' | 'isExact'>>;

/** Gaps inside JSON keep it valid; others stand on lines of their own. */
const JSON_INSIDE_TEXT: Grammar = { mark: (what) => (what.slot === undefined ? null : jsonGap(what)) };
/** Rounds in which the ends may take over room of rows they now cover. */
const ROUNDS = 4;
/** What a label costs beside `of` where nobody says how it is written. */
const LABEL_CHARS = 24;
/** Share of the room for the outline of a file that is read. */
const READ_OUTLINE = 0.6;
/** Shorter lines fit any budget that has room for a line. */
const SHORTEST_LONG_LINE = 100;
const MOST_LONG_LINES = 64;

export class KeptRows {
  readonly #text: TextTable;
  readonly #facts: TextFacts;
  readonly #ends;
  readonly #reading: (shape: UnitShape) => ReadingRanks;
  readonly #salient: (evidenceAndUnit: string) => Float32Array | null;
  readonly rows: () => Rows;

  /** `text` must be complete. */
  constructor(text: TextTable, facts: TextFacts) {
    this.#text = text;
    this.#facts = facts;
    this.rows = lazy(() => new Rows(text.table));
    this.#ends = lazy(() => endsOf(text.table, facts.reachChars));
    this.#reading = remembered(2, (shape) => rankReading(text.table, shape as UnitShape, text.query()));
    this.#salient = remembered(8, (key) => {
      const [evidence, lines] = key.split(' ');
      const scores = text.scores(evidence as Evidence);
      const unit = lines === undefined ? 'rows' : 'whole lines';
      return salientRows(text.table, text.judge, scores, () => text.unusual, facts.policy, unit);
    });
  }

  everything(): Kept {
    return this.#keptSpans(this.#table.length === 0 ? [] : [{ start: 0, end: this.#table.length }]);
  }

  /** By position alone: the fallback if a strategy fails. */
  plainEnds(share: Share): Kept {
    const { policy } = this.#facts;
    return this.#keptSpans(endSpans(this.#ends(), share, policy, this.#plainRule));
  }

  /** Both ends, and the rows between them that report a failure. */
  ends(share: Share, evidence: Evidence, rule: EndRule = this.#plainRule): Kept {
    const isByLine = rule.edge === 'whole_line';
    const alone = endSpans(this.#ends(), share, this.#facts.policy, rule);
    const scores = this.#hides(alone) ? this.#scores(evidence) : null;
    const salient = scores === null ? null : this.#salient(isByLine ? `${evidence} lines` : evidence);
    const chosen = salient === null || scores === null ? [] : this.#choose(share, rule, salient, scores);
    const { spans, added } =
      chosen.length === 0 ? { spans: alone, added: chosen } : this.#around(share, rule, chosen);
    const selection = coverOf(this.#table, spans);
    return {
      selection: isByLine ? this.#withLongLines(selection, share) : selection,
      findings: scores !== null && saysAnything(scores) ? this.#findings(scores, spans, share) : null,
      isExact: false,
      reasons: () => (preserves(this.#facts.policy) ? this.#endReasons(spans, added, scores) : []),
    };
  }

  reading(share: Share, shape: UnitShape): Kept {
    const { fit, scores } = this.#fitWith(share, 'sure');
    const ranks = this.#read(fit, shape);
    if (saysLittle(ranks, fit.left, share.chars)) return this.ends(share, 'sure');
    const spans = this.#spansOf(fit.chosen);
    return {
      selection: coverOf(this.#table, spans),
      findings: tells(scores, share) ? this.#findings(scores, spans, share) : null,
      reasons: () => readingReasons(this.#table, ranks, fit.chosen),
    };
  }

  /** Room that an outline leaves stays empty, except for files: those are read. */
  outlined(plan: Plan, share: Share): Kept {
    const { isFile, policy } = this.#facts;
    if (!isFile) return this.#planned(plan, share, enoughOf(share.chars, policy));
    if (plan.rest !== undefined) return this.#planned(plan, share, share.chars);
    return this.#planned(plan, share, READ_OUTLINE * share.chars, { readsOn: 'blocks' });
  }

  #planned(
    plan: Plan,
    share: Share,
    enough: number,
    { grammar, readsOn }: { readonly grammar?: Grammar | undefined; readonly readsOn?: UnitShape } = {},
  ): Kept {
    const scores = this.#scores(plan.isQuoted || grammar !== undefined ? null : 'sure');
    const fit = this.#fitFor(plan, share, grammar);
    const added = scores === null ? [] : this.#salientFor(scores, share);
    for (const row of added) fit.takeTogether(plan.with?.(row) ?? [[row, row]]);
    takeTiers(fit, this.rows(), plan, enough);
    if (plan.rest !== undefined) {
      // If it is not known how the command ended, there is never enough.
      if (share.ended === 'well') fit.share = { ...fit.share, chars: Math.max(fit.chars, enough) };
      fit.fillUnits(rankReading(this.#table, 'lines', this.#text.query(), plan), 0, 0);
    }
    if (readsOn !== undefined) this.#read(fit, readsOn);
    fit.closeAll();
    const spans = withListed(fit, this.#spansOf(fit.chosen));
    // In a small room no unit may fit.
    const isEmpty = spans.length === 0 && fit.notesIn(-1, this.#table.rows).length === 0;
    if (isEmpty && grammar === undefined)
      return this.ends(share, 'sure', { ...this.#plainRule, edge: 'whole_line' });
    const all = () => [...fit.chosen, ...fit.listed].sort((a, b) => a - b);
    const selection = coverOf(this.#table, spans, thingsBetween(fit, plan.label));
    return {
      selection: plan.label === undefined ? selection : this.#withLongLines(selection, share),
      findings: tells(scores, share) ? this.#findings(scores, spans, share) : null,
      reasons: () => reasonsOf(this.#table, all(), () => [{ cause: plan.strategy, score: 1 }]),
    };
  }

  /** A format that writes its gaps itself knows what they cost: the dialect's words are no bound. */
  #fitFor({ label }: Plan, share: Share, grammar: Grammar | undefined): RowFit {
    const table = this.#table;
    if (label === undefined) return new RowFit(table, share, { elidesStamps: false });
    const { gap } = share;
    const labelChars = gap.label ?? (({ of = '' }) => LABEL_CHARS + of.length);
    const room = grammar === undefined ? share : { ...share, gap: { ...gap, exactly: () => 1 } };
    const priceOf = (above: number, below: number, bare: number) => {
      const what = label(above, below);
      const own = what === undefined ? undefined : grammar?.mark(what)?.length;
      return own ?? (grammar === undefined ? bare : gap.chars) + (what === undefined ? 0 : labelChars(what));
    };
    return new RowFit(table, room, { elidesStamps: false, priceOf });
  }

  summary(share: Share, evidence: Evidence): Kept {
    const kept = summarise(this.summaryParts(evidence), share) ?? this.ends(share, evidence);
    return { ...kept, grammar: JSON_INSIDE_TEXT };
  }

  summaryParts(evidence: Evidence): SummaryParts {
    const { policy, isFile: isRead } = this.#facts;
    const scores = this.#text.scores(evidence);
    const { table, judge, sections, embedded } = this.#text;
    sections.update();
    embedded.update();
    const elidesStamps = policy.clean !== 'never' && !isRead;
    const unusual = () => this.#text.unusual;
    const alike = isRead ? () => [] : this.#text.alike;
    return { table, judge, scores, sections, embedded, policy, elidesStamps, isRead, unusual, alike };
  }

  /** Ranked by a strategy of the host, with the rows that report a failure. */
  ranked(strategy: Strategy, share: Share, evidence: Evidence): Kept {
    const { policy, tool, input, about } = this.#facts;
    const table = this.#table;
    const failed = share.ended === 'badly';
    const ranks = strategy.rank(table, { policy, roomChars: share.chars, failed, tool, input, about });
    checkRanks(ranks.score, table.rows);
    const { fit, scores } = this.#fitWith(share, evidence);
    fit.fillRanks(ranks);
    if (fit.chosen.length === 0) throw new RangeError('the strategy keeps nothing');
    const spans = this.#spansOf(fit.chosen);
    return {
      selection: coverOf(table, spans),
      findings: scores !== null && saysAnything(scores) ? this.#findings(scores, spans, share) : null,
      reasons: () =>
        reasonsOf(table, fit.chosen, (row) => [{ cause: strategy.name, score: ranks.score[row] as number }]),
    };
  }

  /** By the plan of the format, or as its reader selects. */
  byFormat(share: Share, plan: Plan | null): Kept {
    const { reader, format } = this.#text;
    const grammar = format?.grammar;
    const kept =
      plan === null ? this.#byDocument(reader as FormatReader, share) : this.#byPlan(plan, share, grammar);
    return { ...kept, grammar: grammar ?? null };
  }

  #byDocument(reader: FormatReader, share: Share): Kept {
    const selection = reader.select(share);
    const shown = this.#text.isFormatted
      ? { selection: storedSelection(this.#table, selection) }
      : { selection, texts: documentTexts(reader, selection) };
    return { ...shown, findings: reader.findings ?? null, isExact: false, reasons: () => [] };
  }

  #byPlan(plan: Plan, share: Share, grammar: Grammar | undefined): Kept {
    const { clean, isOpen } = this.#table.totals;
    const lines = clean.breaks + (isOpen ? 1 : 0);
    const fits = clean.chars <= share.chars && lines <= share.lines && !this.#table.isPruned;
    return fits ? this.everything() : this.#planned(plan, share, share.chars, { grammar });
  }

  get #table(): LineTable {
    return this.#text.table;
  }

  get #plainRule(): EndRule {
    const { headRatio, snap } = this.#facts.policy;
    return { headRatio, edge: snap };
  }

  #scores(evidence: Evidence | null): FailureScores | null {
    return evidence !== null && preserves(this.#facts.policy) ? this.#text.scores(evidence) : null;
  }

  #keptSpans(spans: readonly KeptSpan[]): Kept {
    return { selection: coverOf(this.#table, spans), findings: null, reasons: () => [] };
  }

  #hides(spans: readonly KeptSpan[]): boolean {
    const [only] = spans;
    return spans.length !== 1 || only === undefined || only.start > 0 || only.end < this.#table.length;
  }

  #read(fit: RowFit, shape: UnitShape): ReadingRanks {
    const { headLines, tailLines } = this.#facts.policy;
    const ranks = this.#reading(shape);
    const most = Number.POSITIVE_INFINITY;
    fit.fillUnits(ranks, headLines ?? most, tailLines ?? most);
    return ranks;
  }

  /** Takes the rows that report a failure first, within their share. */
  #fitWith(share: Share, evidence: Evidence | null): { fit: RowFit; scores: FailureScores | null } {
    const scores = this.#scores(evidence);
    const fit = new RowFit(this.#table, share, { elidesStamps: false });
    if (scores !== null) fit.takeAll(this.#salientFor(scores, share));
    return { fit, scores };
  }

  #salientFor(scores: FailureScores, share: Share): number[] {
    const salient = this.#salient(scores.evidence);
    return salient === null
      ? []
      : this.#best(salient, share, salientShareOf(scores, share, this.#facts.policy));
  }

  #best(score: Float32Array, share: Share, ratio: number): number[] {
    if (!score.some((each) => each !== 0)) return [];
    const room = {
      ...share,
      chars: Math.floor(Math.max(0, share.chars - share.gap.chars) * ratio) + share.gap.chars,
      lines: Math.floor(share.lines * ratio) + share.gap.lines,
    };
    const fit = new RowFit(this.#table, room, { elidesStamps: false });
    fit.fill(score);
    return [...fit.chosen];
  }

  /** Only rows outside the smallest possible ends. */
  #choose(share: Share, rule: EndRule, salient: Float32Array, scores: FailureScores): number[] {
    const { policy } = this.#facts;
    const ratio = salientShareOf(scores, share, policy);
    const room = {
      chars: Math.floor(Math.max(0, share.chars - share.gap.chars) * ratio),
      lines: Math.floor(share.lines * ratio),
    };
    const least = endSpans(this.#ends(), less(share, room), policy, rule);
    return this.#best(
      salient.map((score, row) => (score !== 0 && this.#isOutside(row, least) ? score : 0)),
      share,
      ratio,
    );
  }

  /** The ends, in the room that the rows between them leave. */
  #around(
    share: Share,
    rule: EndRule,
    rows: readonly number[],
  ): { spans: KeptSpan[]; added: readonly number[] } {
    let added = rows;
    for (let round = 0; ; round++) {
      const ends = endSpans(this.#ends(), less(share, this.#costOf(added, share)), this.#facts.policy, rule);
      // Rows that the ends now cover give up their room.
      const still = added.filter((row) => this.#isOutside(row, ends));
      const isDone = still.length === added.length || round === ROUNDS;
      added = still;
      if (isDone) return { spans: this.#closed([...ends, ...this.#spansOf(added)], share), added };
    }
  }

  #isOutside(row: number, spans: readonly KeptSpan[]): boolean {
    const { from, to } = this.#table;
    return spans.every(({ start, end }) => (to[row] as number) <= start || (from[row] as number) >= end);
  }

  #costOf(rows: readonly number[], share: Share): { readonly chars: number; readonly lines: number } {
    const table = this.#table;
    const runs = table.runsOf(rows);
    let chars = 0;
    let above = -1;
    for (const [first, last] of runs) {
      for (let row = first; row <= last; row++) chars += table.chars[row] as number;
      const lines = above < 0 ? 0 : (table.breaks[first] as number) - (table.breaksAfter[above] as number);
      const hidden = above < 0 ? 0 : (table.at[first] as number) - (table.after[above] as number);
      chars +=
        above < 0 ? share.gap.chars : (share.gap.exactly?.('middle', lines, hidden) ?? share.gap.chars);
      above = last;
    }
    return { chars, lines: rows.length + runs.length * share.gap.lines };
  }

  /**
   * Sorted spans. Gaps that cost no more to show than to mark are closed, if their rows are held.
   */
  #closed(spans: readonly KeptSpan[], share: Share): KeptSpan[] {
    const merged = joined(
      spans.toSorted((a, b) => a.start - b.start),
      (last, next) => next.start <= last.end && this.#isHeld(last.end, next.start + 1),
    );
    if (Number.isFinite(share.lines)) return merged;
    return joined(merged, (last, next) => {
      const size = next.start - last.end;
      if (size <= 0 || size > share.gap.chars || !this.#isHeld(last.end, next.start)) return false;
      return size <= (share.gap.exactly?.('middle', 1, size) ?? share.gap.chars);
    });
  }

  #isHeld(from: number, to: number): boolean {
    const table = this.#table;
    if (!table.isPruned) return true;
    for (
      let row = table.rowAt(Math.max(0, from - 1));
      row + 1 < table.rows && (table.to[row] as number) < to;
      row++
    )
      if (!table.isNext(row)) return false;
    return true;
  }

  #spansOf(rows: ArrayLike<number>): KeptSpan[] {
    return this.#table.runsOf(rows).map(([first, last]) => this.#table.range(first, last));
  }

  #findings(scores: FailureScores, spans: readonly KeptSpan[], share: Share): Findings | null {
    const { from } = this.#table;
    const isShown = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
    return findingsOf(scores, null, share, (row) => isShown(from[row] as number));
  }

  /** Adds to each gap the first line in it that is too long to show. */
  #withLongLines(selection: Selection, share: Share): Selection {
    const table = this.#table;
    const room = Math.max(SHORTEST_LONG_LINE, share.chars - share.gap.chars);
    const long: UnfitLine[] = [];
    const goesOn = (row: number) =>
      ((table.flags[row] as number) & OPEN) !== 0 && ((table.flags[row + 1] ?? 0) & CONTINUED) !== 0;
    for (let row = 0; row < table.rows && long.length < MOST_LONG_LINES; ) {
      let last = row;
      let shown = table.chars[row] as number;
      while (last + 1 < table.rows && goesOn(last)) shown += table.chars[++last] as number;
      const chars = (table.after[last] as number) - (table.at[row] as number);
      if ((table.isPruned ? chars : shown) > room)
        long.push({ line: table.lineOf(row), firstChar: (table.at[row] as number) + 1, chars });
      row = last + 1;
    }
    return withUnfit(selection, (first, last) => long.find(({ line }) => line >= first && line <= last));
  }

  #endReasons(
    spans: readonly KeptSpan[],
    added: readonly number[],
    scores: FailureScores | null,
  ): readonly KeptLines[] {
    const table = this.#table;
    const isAdded = new Set(added);
    const ends = spans.flatMap(({ start, end }) => {
      const first = table.rowAt(start);
      const last = table.rowAt(Math.max(start, end - 1));
      return isAdded.has(first)
        ? []
        : [{ ...linesOfRows(table, first, last), causes: [{ cause: 'position', score: 1 }] }];
    });
    const found = scores === null ? [] : this.#causes(added, scores);
    return [...ends, ...found].sort((a, b) => a.firstLine - b.firstLine);
  }

  #causes(rows: readonly number[], scores: FailureScores): KeptLines[] {
    return reasonsOf(this.#table, rows, (row) => failureCauses(this.#text.judge, scores, row));
  }
}

/** Whether a text that is not a log reports errors: not if the command ended with 0. */
function tells(scores: FailureScores | null, share: Share): scores is FailureScores {
  return scores !== null && share.ended !== 'well' && saysAnything(scores);
}

function saysAnything({ seen, hasErrors }: FailureScores): boolean {
  return hasErrors || seen.warnings > 0;
}

function joined(spans: readonly KeptSpan[], areOne: (last: KeptSpan, next: KeptSpan) => boolean): KeptSpan[] {
  const all: KeptSpan[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && areOne(last, span))
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else all.push(span);
  }
  return all;
}

function withUnfit(
  selection: Selection,
  unfitIn: (firstLine: number, lastLine: number) => UnfitLine | undefined,
): Selection {
  return selection.map((segment) => {
    const unfit = segment.kind === 'omit' ? unfitIn(segment.firstLine, segment.lastLine) : undefined;
    return unfit === undefined ? segment : ({ ...segment, unfit } as Segment);
  });
}

function checkRanks(score: Float32Array, rows: number): void {
  if (score.length < rows) throw new RangeError('the strategy ranks too few rows');
  for (let row = 0; row < rows; row++)
    if (Number.isNaN(score[row])) throw new RangeError('the strategy ranks a row as NaN');
}

function less(share: Share, { chars, lines }: { readonly chars: number; readonly lines: number }): Share {
  const left = Number.isFinite(share.lines) ? share.lines - lines : share.lines;
  return { ...share, chars: share.chars - chars, lines: left };
}

/** What each segment shows. All that lies between two gaps is read at once, if it is held. */
function documentTexts(reader: FormatReader, selection: Selection): string[] {
  const texts: string[] = [];
  for (let first = 0, next = 0; first < selection.length; first = next) {
    const { kind, start } = selection[first] as Segment;
    for (next = first + 1; kind !== 'omit' && next < selection.length; next++)
      if (selection[next]?.kind === 'omit') break;
    const end = (selection[next - 1] as Segment).end;
    const bytes = kind === 'omit' ? null : reader.bytes({ start, end });
    const run = bytes?.length === end - start ? decode(bytes) : null;
    for (let at = first, from = 0; at < next; at++) {
      const segment = selection[at] as Segment;
      if (segment.kind !== 'keep') texts.push('');
      else texts.push(run?.slice(from, from + segment.chars) ?? decode(reader.bytes(segment)));
      from += segment.chars;
    }
  }
  return texts;
}

/** Maps a selection of the cleaned text to the stored text. */
function storedSelection(table: LineTable, selection: Selection): Selection {
  const cover = new CoverBuilder();
  for (const segment of selection) {
    const { start, end } = segment;
    const last = table.bytes[end - 1];
    const endsLine = last === 10 || last === 13;
    if (segment.kind === 'keep') keepSpan(cover, table, { start, end });
    else if (segment.kind === 'elide') cover.elide(storedAt(table, start), storedAt(table, end), segment.why);
    else cover.omit(storedAt(table, start), storedAt(table, end), endsLine, segment.what);
  }
  return cover.finish(table.totals.isOpen);
}
