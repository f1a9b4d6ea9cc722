/**
 * What each strategy keeps of one text, within a share: the rows that are ranked highest, both ends,
 * whole units, or what the format keeps; and under all of them the lines that tell of a failure.
 * Units: chars and lines as rendered; spans are ranges of the table's buffer.
 */
import type { About } from '../model/about.ts';
import type { Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type { Segment, Selection } from '../model/selection.ts';
import type { Findings, FormatReader, Grammar, KeptLines, Share, Strategy } from '../model/strategy.ts';
import { type EndRule, endSpans, endsOf, type TextEnds } from '../strategies/ends.ts';
import type { Evidence, FailureScores } from '../strategies/failures/failure-scores.ts';
import { findingsOf } from '../strategies/findings.ts';
import { enoughOf, type Plan, Rows, takeTiers } from '../strategies/outline/plan.ts';
import {
  type ReadingRanks,
  rankReading,
  readingReasons,
  saysLittle,
  type UnitShape,
} from '../strategies/reading.ts';
import { linesOfRows, reasonsOf, runsOfRows } from '../strategies/reasons.ts';
import { salientRows, salientShareOf } from '../strategies/salient.ts';
import { type SummaryParts, summarise, thingsBetween, withListed } from '../strategies/summary.ts';
import { type LineTable, OPEN } from '../table/line-table.ts';
import type { LineUnits } from '../table/line-units.ts';
import { RowFit } from '../table/row-fit.ts';
import { coverOf, type KeptSpan, keepSpan, storedAt, textsOf } from '../table/table-cover.ts';
import { TableChoice } from '../table/unit-choice.ts';
import { CoverBuilder } from '../text/cover.ts';
import type { Query } from '../text/query.ts';
import { decode } from '../text/utf8.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { jsonGap } from '../wording/json-gap.ts';
import type { TextTable } from './text-table.ts';

/** What is known of a text part and its call when the text begins to arrive. */
export interface TextFacts {
  readonly policy: Policy;
  /** Whether the result is a range that was asked for: it is shown as it is. */
  readonly isRequestedRange: boolean;
  /**
   * Whether the strategy is a default that a person gave for all tools: it decides about text, and
   * documents stay valid.
   */
  readonly isDefaultStrategy: boolean;
  readonly spec: PartSpec;
  readonly tool: string;
  readonly input: unknown;
  readonly about: About | undefined;
  readonly isFile: boolean;
  readonly cleans: boolean;
  /** The chars that may be shown at the most. */
  readonly reachChars: number;
  readonly vocabulary: () => Vocabulary;
  readonly formats: readonly Format[];
  /** A strategy beyond the built-in ones. */
  readonly added: (name: string) => Strategy | undefined;
}

/** What is kept, with what is to be told of it. */
export interface Draft {
  readonly selection: Selection;
  readonly texts: readonly string[];
  readonly findings: Findings | null;
  readonly grammar?: Grammar;
  /** Set where the format selected. */
  readonly isByFormat?: true;
  /** False where markers were priced at their most. */
  readonly isExact?: boolean;
  /** Set where another strategy decided after all. */
  readonly decidedBy?: string;
  reasons(): readonly KeptLines[];
}

/** Gaps inside JSON are marked so that it stays JSON; all others stand on lines of their own. */
const JSON_INSIDE_TEXT: Grammar = { mark: (what) => (what.slot === undefined ? null : jsonGap(what)) };
const ROUNDS = 4;
/** What the outline of a file that is read may take of the room. */
const READ_OUTLINE = 0.35;
/** Lines shorter than this fit into any accepted budget that has room for a line at all. */
const SHORTEST_LONG_LINE = 100;

export class Drafts {
  readonly #text: TextTable;
  readonly #facts: TextFacts;
  readonly #query: () => Query;
  readonly #salient = new Map<string, Float32Array | null>();
  readonly #reading = new Map<UnitShape, ReadingRanks>();
  #ends: TextEnds | undefined;
  #rows: Rows | undefined;

  constructor(text: TextTable, facts: TextFacts, query: () => Query) {
    this.#text = text;
    this.#facts = facts;
    this.#query = query;
  }

  /** Everything, formatting left out. */
  everything(): Draft {
    const { table } = this.#text;
    return this.#made(table.length === 0 ? [] : [{ start: 0, end: table.length }], null, () => []);
  }

  /** The ends by position alone: what is left when a strategy fails. */
  plainEnds(share: Share): Draft {
    const { headRatio, snap } = this.#facts.policy;
    return this.#made(
      endSpans(this.#textEnds, share, this.#facts.policy, { headRatio, edge: snap }),
      null,
      () => [],
    );
  }

  /** Both ends, with the rows between them that tell of a failure. */
  ends(share: Share, name: string, rule: EndRule, evidence: Evidence): Draft {
    const { policy } = this.#facts;
    const alone = endSpans(this.#textEnds, share, policy, rule);
    const unit = name === 'lines' ? 'whole lines' : 'rows';
    const salient = this.#hides(alone) ? this.#salientOf(evidence, unit) : null;
    const scores = this.#preserves && this.#hides(alone) ? this.#text.scores(evidence) : null;
    const added = salient === null || scores === null ? [] : this.#choose(share, rule, salient, scores);
    const draft =
      added.length === 0 ? this.#around(share, rule, [], alone) : this.#around(share, rule, added);
    const selection = coverOf(this.#text.table, draft.spans);
    return {
      ...this.#withTexts(name === 'lines' ? this.#withUnfit(selection, share) : selection),
      findings:
        scores === null || !this.#saysAnything(scores) ? null : this.#findings(scores, draft.spans, share),
      isExact: false,
      reasons: () => (this.#preserves ? this.#endReasons(draft.spans, draft.added, scores) : []),
    };
  }

  reading(share: Share, shape: UnitShape): Draft {
    const { table } = this.#text;
    const scores = this.#preserves ? this.#text.scores('sure') : null;
    const salient = scores === null ? null : this.#salientOf('sure', 'rows');
    const fit = this.#fitWith(share, salient, scores);
    const ranks = this.#read(fit, shape);
    if (saysLittle(ranks, fit.left, share.chars)) {
      const { headRatio, snap } = this.#facts.policy;
      return this.ends(share, 'head_tail', { headRatio, edge: snap }, 'sure');
    }
    const spans = this.#spansOf(fit.chosen);
    return {
      ...this.#withTexts(coverOf(table, spans)),
      findings: scores === null || !this.#tells(scores, share) ? null : this.#findings(scores, spans, share),
      reasons: () => readingReasons(table, ranks, fit.chosen),
    };
  }

  /** The rows of the text, as plans look at them. */
  get rows(): Rows {
    this.#rows ??= new Rows(this.#text.table);
    return this.#rows;
  }

  /**
   * What a plan takes. What is left of the room stays empty, unless the text is a file: then it is
   * read.
   */
  planned(plan: Plan, share: Share): Draft {
    const { table } = this.#text;
    const scores = this.#preserves && !plan.isQuoted ? this.#text.scores('sure') : null;
    const fit = this.#fitWith(share, scores === null ? null : this.#salientOf('sure', 'rows'), scores);
    const { isFile } = this.#facts;
    takeTiers(fit, this.rows, plan.tiers, isFile ? READ_OUTLINE * share.chars : enoughOf(share.chars));
    if (isFile) this.#read(fit, 'blocks');
    fit.closeAll();
    const spans = this.#spansOf(fit.chosen);
    const selection = coverOf(table, withListed(fit, spans), thingsBetween(fit));
    return {
      ...this.#withTexts(selection),
      findings: null,
      reasons: () =>
        reasonsOf(
          table,
          [...fit.chosen, ...fit.listed].sort((a, b) => a - b),
          () => [{ cause: plan.strategy, score: 1 }],
        ),
    };
  }

  #read(fit: RowFit, shape: UnitShape): ReadingRanks {
    const { headLines, tailLines } = this.#facts.policy;
    let ranks = this.#reading.get(shape);
    if (ranks === undefined) {
      ranks = rankReading(this.#text.table, shape, this.#query());
      this.#reading.set(shape, ranks);
    }
    const most = Number.POSITIVE_INFINITY;
    fit.fillUnits(ranks, headLines ?? most, tailLines ?? most);
    return ranks;
  }

  summary(share: Share, evidence: Evidence): Draft {
    const summary = summarise(this.parts(evidence), share);
    if (summary === null) {
      const { headRatio, snap } = this.#facts.policy;
      return {
        ...this.ends(share, 'head_tail', { headRatio, edge: snap }, evidence),
        grammar: JSON_INSIDE_TEXT,
      };
    }
    return {
      ...this.#withTexts(summary.selection),
      findings: summary.findings,
      grammar: JSON_INSIDE_TEXT,
      reasons: summary.reasons,
    };
  }

  /** What a strategy of a host ranks, with the rows that tell of a failure. */
  ranked(strategy: Strategy, share: Share, evidence: Evidence): Draft {
    const { table } = this.#text;
    const { policy, tool, input, about } = this.#facts;
    const failed = share.ended === 'badly';
    const ranks = strategy.rank(table, { policy, roomChars: share.chars, failed, tool, input, about });
    checkRanks(ranks.score, table.rows);
    const scores = this.#preserves ? this.#text.scores(evidence) : null;
    const fit = this.#fitWith(share, scores === null ? null : this.#salientOf(evidence, 'rows'), scores);
    fit.fillRanks(ranks);
    if (fit.chosen.length === 0) throw new RangeError('the strategy keeps nothing');
    const spans = this.#spansOf(fit.chosen);
    return {
      ...this.#withTexts(coverOf(table, spans)),
      findings: scores === null || !this.#saysAnything(scores) ? null : this.#findings(scores, spans, share),
      reasons: () =>
        reasonsOf(table, fit.chosen, (row) => [{ cause: strategy.name, score: ranks.score[row] as number }]),
    };
  }

  /** What the grammar of a format keeps of a document. */
  byDocument(reader: FormatReader, share: Share, grammar: Grammar | undefined): Draft {
    const selected = reader.select(share);
    const textOf = ({ kind, start, end }: Segment) =>
      kind === 'keep' ? decode(reader.bytes({ start, end })) : '';
    const shown = this.#text.isFormatted
      ? this.#withTexts(storedSelection(this.#text.table, selected))
      : { selection: selected, texts: selected.map(textOf) };
    return {
      ...shown,
      findings: reader.findings ?? null,
      isExact: false,
      isByFormat: true,
      grammar: grammar ?? TEXT_GRAMMAR,
      reasons: () => [],
    };
  }

  /** What the format ranks, with lines that surely tell of errors, unless the text must stay valid. */
  byUnits(units: LineUnits, share: Share, grammar: Grammar | undefined): Draft {
    const { table } = this.#text;
    const asFormat = { isByFormat: true, grammar: grammar ?? TEXT_GRAMMAR } as const;
    const { clean, isOpen } = table.totals;
    const lines = clean.breaks + (isOpen ? 1 : 0);
    if (clean.chars <= share.chars && lines <= share.lines && !table.isPruned)
      return { ...this.everything(), ...asFormat };
    const scores = this.#preserves && grammar === undefined ? this.#text.scores('sure') : null;
    const salient = scores === null ? null : this.#salientOf('sure', 'rows');
    const choice = new TableChoice(table, units, share, grammar);
    const added =
      salient === null || scores === null
        ? []
        : this.#best(salient, () => true, share, salientShareOf(scores, share, this.#facts.policy));
    for (const row of added) choice.addRow(row);
    units.grammar.plan(choice);
    const spans = this.#spansOf(choice.fit.chosen);
    const selection = coverOf(table, spans, (above, below) =>
      choice.labelOf(
        above === null ? -1 : table.rowAt(above.end - 1),
        below === null ? table.rows : table.rowAt(below.start),
      ),
    );
    const room = Math.max(0, share.chars - share.gap.chars);
    return {
      ...this.#withTexts(selection.map((segment) => withUnfit(segment, units, room))),
      ...asFormat,
      findings: scores === null || !this.#tells(scores, share) ? null : this.#findings(scores, spans, share),
      reasons: () => (scores === null ? [] : this.#causes(added, scores)),
    };
  }

  /** Whether lines tell of errors. */
  hasErrors(evidence: Evidence): boolean {
    const scores = this.#text.scores(evidence);
    if (evidence !== 'supported') return scores.seen.errors > 0;
    return (
      scores.seen.errors > 0 &&
      (scores.seen.sure > 0 || this.#text.unusual.some((row) => scores.severity[row] === 1))
    );
  }

  /** Whether lines tell of errors or warn; in text that quotes such lines only errors count. */
  hasFindings(evidence: Evidence): boolean {
    if (this.hasErrors(evidence)) return true;
    return evidence !== 'supported' && this.#text.scores(evidence).seen.warnings > 0;
  }

  parts(evidence: Evidence): SummaryParts {
    const scores = this.#text.scores(evidence);
    const { table, judge, sections, embedded } = this.#text;
    sections.update();
    embedded.update();
    const { policy, isFile } = this.#facts;
    const elidesStamps = policy.clean !== 'never' && !isFile;
    return {
      table,
      judge,
      scores,
      sections,
      embedded,
      policy,
      elidesStamps,
      isRead: isFile,
      unusual: () => this.#text.unusual,
    };
  }

  get #preserves(): boolean {
    const { preserveErrors, preserveWarnings, salientShare } = this.#facts.policy;
    return (preserveErrors || preserveWarnings) && salientShare > 0;
  }

  get #textEnds(): TextEnds {
    this.#ends ??= endsOf(this.#text.table, this.#facts.reachChars);
    return this.#ends;
  }

  #hides(spans: readonly KeptSpan[]): boolean {
    const [only] = spans;
    return spans.length !== 1 || only === undefined || only.start > 0 || only.end < this.#text.table.length;
  }

  /** Whether a text that is no log tells of errors: not where the command ended with 0. */
  #tells(scores: FailureScores, share: Share): boolean {
    return share.ended !== 'well' && this.#saysAnything(scores);
  }

  #saysAnything({ seen, hasErrors }: FailureScores): boolean {
    return hasErrors || seen.warnings > 0;
  }

  #salientOf(evidence: Evidence, unit: 'rows' | 'whole lines'): Float32Array | null {
    if (!this.#preserves) return null;
    const key = `${evidence} ${unit}`;
    let salient = this.#salient.get(key);
    if (salient === undefined) {
      const { table, judge } = this.#text;
      const unusual = () => this.#text.unusual;
      salient = salientRows(table, judge, this.#text.scores(evidence), unusual, this.#facts.policy, unit);
      this.#salient.set(key, salient);
    }
    return salient;
  }

  /** A fit that has taken the rows that tell of a failure, as far as they may take room. */
  #fitWith(share: Share, salient: Float32Array | null, scores: FailureScores | null): RowFit {
    const { table } = this.#text;
    const fit = new RowFit(table, share, { elidesStamps: false });
    if (salient === null || scores === null) return fit;
    const rows = this.#best(salient, () => true, share, salientShareOf(scores, share, this.#facts.policy));
    fit.takeAll(rows);
    return fit;
  }

  /** The best of some rows that fit into a share of the room. */
  #best(salient: Float32Array, is: (row: number) => boolean, share: Share, ratio: number): number[] {
    const { table } = this.#text;
    const score = new Float32Array(table.rows);
    let isAny = false;
    for (let row = 0; row < table.rows; row++) {
      if ((salient[row] as number) === 0 || !is(row)) continue;
      score[row] = salient[row] as number;
      isAny = true;
    }
    if (!isAny) return [];
    const room = {
      ...share,
      chars: Math.floor(Math.max(0, share.chars - share.gap.chars) * ratio) + share.gap.chars,
      lines: Math.floor(share.lines * ratio) + share.gap.lines,
    };
    const fit = new RowFit(table, room, { elidesStamps: false });
    fit.fill(score);
    return [...fit.chosen];
  }

  /** Rows from the gap that the ends leave when all of the salient share is taken from them. */
  #choose(share: Share, rule: EndRule, salient: Float32Array, scores: FailureScores): number[] {
    const ratio = salientShareOf(scores, share, this.#facts.policy);
    const room = {
      chars: Math.floor(Math.max(0, share.chars - share.gap.chars) * ratio),
      lines: Math.floor(share.lines * ratio),
    };
    const least = endSpans(this.#textEnds, less(share, room), this.#facts.policy, rule);
    return this.#best(salient, (row) => this.#isOutside(row, least), share, ratio);
  }

  /** The ends in the room that rows between them leave, with those rows. */
  #around(
    share: Share,
    rule: EndRule,
    rows: readonly number[],
    known?: readonly KeptSpan[],
  ): { readonly spans: readonly KeptSpan[]; readonly added: readonly number[] } {
    const { policy } = this.#facts;
    let added = rows;
    const endsWith = (some: readonly number[]) =>
      endSpans(this.#textEnds, less(share, this.#costOf(some, share)), policy, rule);
    if (known !== undefined) return { spans: known, added };
    let ends = endsWith(added);
    // Rows that lie in the ends by now leave their room to them.
    for (let round = 0; round < ROUNDS; round++) {
      const still = added.filter((row) => this.#isOutside(row, ends));
      if (still.length === added.length) break;
      added = still;
      ends = endsWith(added);
    }
    added = added.filter((row) => this.#isOutside(row, ends));
    return { spans: this.#closed(this.#merged([...ends, ...this.#spansOf(added)]), share), added };
  }

  #isOutside(row: number, spans: readonly KeptSpan[]): boolean {
    const { from, to } = this.#text.table;
    return spans.every(({ start, end }) => (to[row] as number) <= start || (from[row] as number) >= end);
  }

  /** What rows take: their text, and a marker for each run of them. */
  #costOf(rows: readonly number[], share: Share): { readonly chars: number; readonly lines: number } {
    const { table } = this.#text;
    const runs = runsOfRows(table, rows);
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

  /** Gaps that cost no more to show than to mark are shown, as far as they are held. */
  #closed(spans: readonly KeptSpan[], share: Share): readonly KeptSpan[] {
    if (Number.isFinite(share.lines)) return spans;
    const closed: KeptSpan[] = [];
    for (const span of spans) {
      const last = closed.at(-1);
      const size = span.start - (last?.end ?? 0);
      const isSmall =
        last !== undefined && size > 0 && size <= share.gap.chars && this.#isHeld(last.end, span.start);
      if (isSmall && size <= (share.gap.exactly?.('middle', 1, size) ?? share.gap.chars))
        closed[closed.length - 1] = { start: last.start, end: span.end };
      else closed.push(span);
    }
    return closed;
  }

  /** Whether no row is missing from just before a place of the buffer up to another. */
  #isHeld(from: number, to: number): boolean {
    const { table } = this.#text;
    if (!table.isPruned) return true;
    for (
      let row = table.rowAt(Math.max(0, from - 1));
      row + 1 < table.rows && (table.to[row] as number) < to;
      row++
    )
      if (!table.isNext(row)) return false;
    return true;
  }

  /** Spans in order, with those that touch made one. */
  #merged(spans: readonly KeptSpan[]): KeptSpan[] {
    const all: KeptSpan[] = [];
    for (const span of spans.toSorted((a, b) => a.start - b.start)) {
      const last = all.at(-1);
      const touches = last !== undefined && span.start <= last.end && this.#isHeld(last.end, span.start + 1);
      if (last !== undefined && touches)
        all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
      else all.push(span);
    }
    return all;
  }

  #spansOf(rows: ArrayLike<number>): KeptSpan[] {
    const { table } = this.#text;
    return runsOfRows(table, rows).map(([first, last]) => table.range(first, last));
  }

  #made(spans: readonly KeptSpan[], findings: Findings | null, reasons: Draft['reasons']): Draft {
    return { ...this.#withTexts(coverOf(this.#text.table, spans)), findings, reasons };
  }

  #withTexts(selection: Selection): Pick<Draft, 'selection' | 'texts'> {
    return { selection, texts: textsOf(this.#text.table, selection) };
  }

  #findings(scores: FailureScores, spans: readonly KeptSpan[], share: Share): Findings | null {
    const { table } = this.#text;
    return findingsOf(scores, null, share, (row) => {
      const from = table.from[row] as number;
      return spans.some(({ start, end }) => start <= from && from < end);
    });
  }

  /** Adds to each gap the first line in it that is too long to be shown. */
  #withUnfit(selection: Selection, share: Share): Selection {
    const { table } = this.#text;
    const room = Math.max(SHORTEST_LONG_LINE, share.chars - share.gap.chars);
    const long: { line: number; firstChar: number; chars: number }[] = [];
    for (let row = 0; row < table.rows && long.length < 64; ) {
      let last = row;
      let shown = table.chars[row] as number;
      while (((table.flags[last] as number) & OPEN) !== 0 && last + 1 < table.rows)
        shown += table.chars[++last] as number;
      const chars = (table.after[last] as number) - (table.at[row] as number);
      if (shown > room)
        long.push({ line: table.lineOf(row), firstChar: (table.at[row] as number) + 1, chars });
      row = last + 1;
    }
    return selection.map((segment) => {
      if (segment.kind !== 'omit') return segment;
      const unfit = long.find(({ line }) => line >= segment.firstLine && line <= segment.lastLine);
      return unfit === undefined ? segment : { ...segment, unfit };
    });
  }

  #endReasons(
    spans: readonly KeptSpan[],
    added: readonly number[],
    scores: FailureScores | null,
  ): readonly KeptLines[] {
    const { table } = this.#text;
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
    const { table, judge } = this.#text;
    const ranks = scores.ranks();
    return reasonsOf(table, rows, (row) => {
      const own = scores.own[row] as number;
      const cues = own > 0 ? judge.cuesOf(row) : [];
      const all = cues.reduce((sum, { weight }) => sum + weight, 0);
      const context = ranks.context[row] as number;
      return [
        ...cues.map(({ name, weight }) => ({ cause: name, score: (own * weight) / Math.max(1, all) })),
        { cause: 'beside an error', score: context > own ? context : 0 },
        { cause: 'before a bad end', score: ranks.pulls[row] as number },
      ];
    });
  }
}

/** Formats whose gaps the dialect writes. */
const TEXT_GRAMMAR: Grammar = { mark: () => null };

/** Adds to a gap the longest line in it, if it is too long to be shown. */
function withUnfit(segment: Segment, units: LineUnits, room: number): Segment {
  if (segment.kind !== 'omit') return segment;
  const unfit = units.longestIn(segment.firstLine, segment.lastLine, room);
  return unfit === undefined ? segment : { ...segment, unfit };
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

/**
 * A selection of the cleaned text, which a reader of documents sees, as one of the stored text: the
 * table knows the way back.
 */
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
