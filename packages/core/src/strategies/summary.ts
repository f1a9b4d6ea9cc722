/**
 * `smart_summary`: the rows that tell the story of a failure, verbatim and in order; JSON among
 * them as `element` shows it. If nothing failed, both ends, rows that stand out, results and
 * section headings.
 */
import type { Plan } from '../model/plan.ts';
import type { Policy } from '../model/policy.ts';
import type { Selection } from '../model/selection.ts';
import type { Cause, Findings, KeptLines, Share, Tally } from '../model/strategy.ts';
import { AGAIN, BLANK, type LineTable, WORD } from '../table/line-table.ts';
import { type AlikeRun, type Enough, type FixedBlock, RowFit } from '../table/row-fit.ts';
import {
  coverOf,
  type GapThings,
  type KeptSpan,
  rowsAround,
  type WrittenSpan,
} from '../table/table-cover.ts';
import type { LineJudge } from '../vocabulary/judge.ts';
import { isError, Look } from '../vocabulary/verdict.ts';
import { isRepetitive } from './alike.ts';
import { type BlockChoice, blockChoice, blockReason } from './failures/block.ts';
import { noteDiagnostics } from './failures/diagnostics.ts';
import { type EmbeddedBlock, type EmbeddedJson, isBlank } from './failures/embedded.ts';
import type { FailureRanks, FailureScores } from './failures/failure-scores.ts';
import { findingsOf } from './findings.ts';
import { failureCauses, reasonsOf } from './reasons.ts';
import { hasPassed, salientRows, salientShareOf } from './salient.ts';
import type { Sections } from './sections.ts';

/** Share of the room for data, and of its strongest line's score. */
const FAILING_BLOCK = { from: 4, share: 0.4, priority: 0.6 };
const QUIET_BLOCK = { share: 1 / 6, priority: 3 };
/**
 * Scores of section headings. Where both ends are shown they come first, with less room if all went
 * well.
 */
const SECTION = { failing: 0.5, quiet: 2.5, passed: 0.1, unknown: 0.15 };
/** Room and score of rows with a rare shape. */
const UNUSUAL = { alone: 0.4, beside: 0.12, priority: 3 };
/** Room and score of rows that name results. */
const RESULTS = { alone: 0.12, beside: 0.03, priority: 6 };
/** Score of warnings if nothing failed. */
const SALIENT_PRIORITY = 3;
/** Beside failures: share of the room, and of the strongest score. */
const WARNINGS = { room: 0.05, score: 0.6 };
/** Score of other rows where both ends are shown. */
const OTHERS = { passed: 0.2, unknown: 0.5 };
/** Room reserved to list hidden diagnostics. */
const NOTES_SHARE = 0.1;
/** From this many on, not all are shown. */
const MANY_DIAGNOSTICS = 4;
/** A row is reached by a failure if that passes on more than this share of the strongest score. */
const REACHED = 0.3;
/** So many rows above an error may name what it is about. */
const NAMING_ROWS = 2;
/** Retry if this many chars are left. */
const WORTH_ANOTHER = 100;
/** Rounds of listing rows below markers and taking more in the freed room. */
const LIST_ROUNDS = 2;
const GAP_CHARS = 48;

/**
 * Rows below `failing` of the strongest score are not shown. A row that takes `part` of the room needs
 * twice that, up to `more`, as do rows before `late` and rows that count only by being near an end:
 * most runs report at their end why they failed. Warnings, and repeats of a line above that name no
 * file, need `minor` times that. `quiet`: if nothing failed.
 */
const ENOUGH = { failing: 0.1, part: 0.0375, more: 0.2, late: 0.6, minor: 2, quiet: 0.75 };
/** This many rows, from this share of the strongest score on, always keep their neighbours. */
const STRONGEST = { rows: 8, share: 0.5, above: 2, below: 4 };
const MOST_END_CHARS = 200;
const SMALL_ROOM = 1_000;
/** Share of the room that counting what was found may take. */
const MOST_COUNTS = 0.125;
/** Share of the ends if nothing failed. */
const QUIET_ENDS = 0.25;

export interface SummaryParts {
  readonly table: LineTable;
  readonly judge: LineJudge;
  readonly scores: FailureScores;
  readonly sections: Sections;
  readonly embedded: EmbeddedJson;
  /** Rarest first. */
  readonly unusual: () => readonly number[];
  /** Runs of like rows. */
  readonly alike: () => readonly AlikeRun[];
  readonly policy: Policy;
  readonly elidesStamps: boolean;
  /** A file that is read uses all of the room. */
  readonly isRead: boolean;
}

export interface Summary {
  readonly selection: Selection;
  readonly findings: Findings | null;
  readonly reasons: () => readonly KeptLines[];
}

/** Null if nothing was found: plain ends are as good. */
export function summarise(all: SummaryParts, given: Share): Summary | null {
  // What fits without its formatting is not folded.
  const fits = all.table.totals.clean.chars <= given.chars;
  const parts: SummaryParts = fits ? { ...all, alike: () => [] } : all;
  const { scores, sections } = parts;
  const { share, findingsFor } = withoutNotice(parts, given);
  const isQuiet = !counts(parts) || !scores.hasErrors || hasPassed(scores, share);
  const found = wholeBlocks(parts);
  const isPlain = found.length === 0 && sections.count === 0 && scores.results.length === 0;
  const unusual = unusualIn(parts, found);
  if (isQuiet && isPlain && unusual.length === 0 && !isRepetitive(parts.table, parts.alike())) return null;
  const ranking = rankRows(parts, share, isQuiet, unusual);
  const first = compose(parts, share, ranking, found, 0);
  const cut = first.blocks.filter(({ isCut }) => isCut).length;
  const more = cut === 0 ? 0 : (share.chars - first.fit.chars - 2 * share.gap.chars) / cut;
  const second = more < WORTH_ANOTHER ? first : compose(parts, share, ranking, found, more);
  const best = second.fit.chosen.length >= first.fit.chosen.length ? second : first;
  return summaryOf(parts, ranking, best, findingsFor);
}

/** What is left for rows beside what the notice will say of the text, with the longest numbers. */
function withoutNotice(
  { table, scores, sections, elidesStamps }: SummaryParts,
  share: Share,
): { share: Share; findingsFor: (isShown: (row: number) => boolean) => Findings | null } {
  const found = findingsOf(scores, sections, share, () => true);
  const some = (tally: Tally) => ({ ...tally, shown: Math.max(0, tally.lines - 1) });
  const findings = found && { ...found, errors: some(found.errors), warnings: some(found.warnings) };
  const { stored, clean } = table.totals;
  const hasStamps = elidesStamps && table.second.subarray(0, table.rows).some((second) => second !== 0);
  const chars = share.noticeCost?.(findings, stored.chars - clean.chars + (hasStamps ? share.chars : 0)) ?? 0;
  // In a tight room lines are shown, not counted.
  if (chars > MOST_COUNTS * share.chars) return { share, findingsFor: () => null };
  const left = chars === 0 ? share : { ...share, chars: share.chars - chars, lines: share.lines - 1 };
  return { share: left, findingsFor: (isShown) => findingsOf(scores, sections, share, isShown) };
}

interface Ranking {
  readonly isQuiet: boolean;
  readonly ranks: FailureRanks;
  readonly score: Float32Array;
  /** By row, 1 if it is folded. */
  readonly folded: Uint8Array;
  readonly causes: ReadonlyMap<number, string>;
}

interface Composed {
  readonly fit: RowFit;
  readonly blocks: readonly BlockChoice[];
  readonly fixed: readonly FixedBlock[];
}

function rankRows(parts: SummaryParts, share: Share, isQuiet: boolean, unusual: readonly number[]): Ranking {
  const { table, scores } = parts;
  const ranks = scores.ranks();
  const folded = foldedIn(parts);
  const score = isQuiet ? quietScore(parts, ranks, folded, share) : ranks.score.slice();
  const causes = new Map<number, string>();
  // In a small room the error comes before what stands around it.
  if (!isQuiet && share.chars < SMALL_ROOM)
    for (let row = 0; row < score.length; row++)
      score[row] = (score[row] as number) + 2 * (scores.own[row] as number);
  for (let row = 0; row < score.length; row++) if (folded[row] === 1) score[row] = 0;
  const raise = (rows: readonly number[], part: number, value: number, cause: string) => {
    let left = part * share.chars;
    for (const row of rows) {
      const cost = (table.chars[row] as number) + GAP_CHARS;
      if (cost > left) continue;
      left -= cost;
      if ((score[row] as number) >= value) continue;
      score[row] = value;
      causes.set(row, cause);
    }
  };
  const alone = isQuiet && !hasPassed(scores, share) ? UNUSUAL.alone : UNUSUAL.beside;
  raise(unusual, alone, UNUSUAL.priority, 'unusual');
  if (isQuiet && counts(parts))
    raise(salientIn(parts), salientShareOf(scores, share, parts.policy), SALIENT_PRIORITY, 'warning');
  raise(scores.results, isQuiet ? RESULTS.alone : RESULTS.beside, RESULTS.priority, 'result');
  if (!isQuiet) {
    const strongest = score.reduce((most, each) => Math.max(most, each), 0);
    if (parts.policy.preserveWarnings)
      raise(warningsIn(scores), WARNINGS.room, WARNINGS.score * strongest, 'warning');
    raiseHeadings(parts, score, causes);
  } else raise(spreadHeadings(parts, score, share), 1, SECTION.quiet, 'section');
  return { isQuiet, ranks, score, folded, causes };
}

/**
 * By row, 1 if it is folded: it says the same as the row above it, or it is one of a run and neither
 * tells of an error nor warns. A run that lies in what failures reach tells of them, as the frames of
 * a stack do.
 */
function foldedIn({ table, alike, scores, judge }: SummaryParts): Uint8Array {
  const isInner = (row: number) => ((judge.flags[judge.of(row, false)] as number) & Look.inner) !== 0;
  const folded = new Uint8Array(table.rows);
  for (let row = 0; row < table.rows; row++)
    if (((table.flags[row] as number) & AGAIN) !== 0) folded[row] = 1;
  const { context } = scores.ranks();
  const least = REACHED * context.reduce((most, each) => Math.max(most, each), 0);
  for (const { first, last } of alike()) {
    let reached = 0;
    for (let row = first; row <= last; row++) if ((context[row] as number) > least) reached++;
    if (reached > (last - first + 1) / 2) continue;
    for (let row = first; row <= last; row++)
      if (folded[row] === 1) continue;
      else if (scores.severity[row] !== 0) folded.fill(0, Math.max(first, row - NAMING_ROWS), row);
      else folded[row] = context[row] !== 0 && isInner(row) ? 0 : 1;
  }
  return folded;
}

/** `more`: extra room for each block. */
function compose(
  parts: SummaryParts,
  share: Share,
  { isQuiet, score: ranked, ranks, folded }: Ranking,
  found: readonly EmbeddedBlock[],
  more: number,
): Composed {
  const { table, scores, policy } = parts;
  const score = ranked.slice();
  const lines = share.lines === Number.POSITIVE_INFINITY ? 'any' : 'one';
  const blocks: BlockChoice[] = [];
  for (const [i, block] of found.entries()) {
    const isFailing = block.strongest >= FAILING_BLOCK.from && !isQuiet;
    const chars = Math.floor(share.chars * (isFailing ? FAILING_BLOCK.share : QUIET_BLOCK.share) + more);
    const priority = Math.max(QUIET_BLOCK.priority / (1 + i), FAILING_BLOCK.priority * block.strongest);
    const choice = blockChoice(block, { chars, lines, priority }, policy);
    const { first, last } = rowsOf(table, block);
    if (choice !== null) {
      blocks.push(choice);
      score[first] = Math.max(score[first] as number, priority);
    } else if (block.strongest < FAILING_BLOCK.from) score.fill(0, first, last + 1);
  }
  const fixed = blocks.map(({ block, shown, lines }) => ({ ...rowsOf(table, block), chars: shown, lines }));
  const isSmall = share.chars < SMALL_ROOM;
  const hasMany = !isSmall && [...scores.codes.values()].some((count) => count >= MANY_DIAGNOSTICS);
  const room = hasMany ? { ...share, chars: Math.floor(share.chars * (1 - NOTES_SHARE)) } : share;
  const fit = new RowFit(table, room, parts, fixed);
  // Files are shown as they are.
  const lists = !parts.isRead;
  const parentOf = isQuiet
    ? undefined
    : (row: number) => ((scores.heading[row] || scores.frameOf[row]) ?? 0) - 1;
  const enough = parts.isRead ? undefined : enoughFor(fit, ranks, scores, isQuiet, share);
  // Both ends first if all went well; else they get what failures leave.
  if (enough !== undefined && share.ended === 'well') fit.takeAll(endRows(table));
  if (isSmall && !isQuiet) takeStrongest(fit, score);
  fit.fill(score, parentOf, enough);
  if (!isQuiet) keepNear(fit, scores.own, folded);
  if (enough !== undefined) fit.takeAll(endRows(table));
  const list = () => {
    const headings = new Set(Array.from(fit.chosen, (row) => parentOf?.(row) ?? -1));
    fit.listShort((row) => !headings.has(row));
  };
  for (let round = 0, left = Number.NaN; lists && round <= LIST_ROUNDS && fit.left !== left; round++) {
    left = fit.left;
    list();
    if (fit.left !== left && round < LIST_ROUNDS) fit.fill(score, parentOf, enough);
  }
  fit.closeAll();
  fit.share = share;
  if (hasMany) noteDiagnostics(fit, scores);
  return { fit, blocks, fixed };
}

/** Below the marker if there is no room for two markers. */
function takeStrongest(fit: RowFit, score: Float32Array): void {
  const row = score.reduce((best, each, at) => (each > (score[best] as number) ? at : best), 0);
  fit.takeAll([row]);
  if (fit.taken[row] === 0) fit.list(row);
}

/** Not blank, and not long. */
function endRows(table: LineTable): number[] {
  const isFilled = (row: number) => ((table.flags[row] as number) & BLANK) === 0;
  let first = 0;
  let last = table.rows - 1;
  while (first < last && !isFilled(first)) first++;
  while (last > first && !isFilled(last)) last--;
  return [first, last].filter((row) => row >= 0 && (table.chars[row] as number) <= MOST_END_CHARS);
}

/** The stopping rule for this text. */
function enoughFor(
  { sizes, table }: RowFit,
  { context, score }: FailureRanks,
  scores: FailureScores,
  isQuiet: boolean,
  { chars }: Share,
): Enough {
  return {
    isCounted: (row) => isQuiet || !scores.isNamed(row),
    least: (strongest) => (isQuiet ? ENOUGH.quiet : ENOUGH.failing * strongest),
    needs: (row) => {
      if (isQuiet) return 0;
      const isByPosition = (context[row] as number) < 0.5 * (score[row] as number);
      if (isByPosition) return ENOUGH.more;
      const isOwn = scores.own[row] !== 0 && scores.own[row] === context[row];
      const isRepeat = table.before[row] !== 0 && !scores.isDiagnostic(row);
      const times = isOwn && (isRepeat || scores.isWarning(row)) ? ENOUGH.minor : 1;
      const isEarly = row < ENOUGH.late * score.length && !scores.isDiagnostic(row);
      if (isEarly && scores.evidence === 'any') return times * ENOUGH.more;
      const parts = (sizes[row] as number) / (ENOUGH.part * chars);
      return times * Math.min(ENOUGH.more, ENOUGH.failing * (1 + parts));
    },
  };
}

/** Strong rows keep their neighbours, whatever those score. */
function keepNear(fit: RowFit, own: Float32Array, folded: Uint8Array): void {
  const { table } = fit;
  const top = fit.chosen.reduce((most, row) => Math.max(most, own[row] as number), 0);
  const strong = [...fit.chosen].filter(
    (row) => (own[row] as number) > 0 && (own[row] as number) >= STRONGEST.share * top,
  );
  strong.sort((a, b) => (own[b] as number) - (own[a] as number) || a - b);
  for (const row of strong.slice(0, STRONGEST.rows))
    for (const step of [1, -1]) {
      let left = step > 0 ? STRONGEST.below : STRONGEST.above;
      for (let next = row + step; left > 0 && next >= 0 && next < table.rows; next += step) {
        // In a pruned text, neighbours may be missing.
        if (!table.isNext(Math.min(next, next - step))) break;
        // Rows without words come with their neighbours.
        if (folded[next] === 1) break;
        if (((table.flags[next] as number) & WORD) === 0) continue;
        if (fit.taken[next] === 0 && !fit.take(next, next)) break;
        fit.close(next, step > 0 ? -1 : 1);
        left--;
      }
    }
}

function summaryOf(
  parts: SummaryParts,
  ranking: Ranking,
  { fit, blocks, fixed }: Composed,
  findingsFor: (isShown: (row: number) => boolean) => Findings | null,
): Summary {
  const { table } = parts;
  const rows = [...fit.chosen];
  const isInBlock = (row: number) => fixed.some(({ first, last }) => row >= first && row <= last);
  return {
    selection: coverOf(table, spansOf(fit, rows, blocks, fixed), thingsBetween(fit)),
    findings: findingsFor((row) => fit.taken[row] === 1 || fit.isListed(row)),
    reasons: () =>
      [
        ...reasonsOf(
          table,
          [...rows, ...fit.listed].sort((a, b) => a - b).filter((row) => !isInBlock(row)),
          (row) => causesOf(parts, ranking, row),
        ),
        ...blocks.filter((_, i) => fit.taken[fixed[i]?.first ?? 0] === 1).map(blockReason),
      ].sort((a, b) => a.firstLine - b.firstLine),
  };
}

/** Rows unlike all others, far from the ends, and few enough to show all. */
export function standsOut(
  { table }: SummaryParts,
  unusual: readonly number[],
  { chars: room }: Share,
): boolean {
  const size = unusual.reduce((sum, row) => sum + (table.chars[row] as number) + GAP_CHARS, 0);
  const total = table.totals.clean.chars;
  return (
    size <= UNUSUAL.alone * room &&
    unusual.some(
      (row) => (table.at[row] as number) > room / 2 && total - (table.after[row] as number) > room / 2,
    )
  );
}

/** In text about something else, cues need support. */
function counts({ scores, judge, unusual }: SummaryParts): boolean {
  if (scores.evidence !== 'supported' || scores.seen.sure > 0) return true;
  return unusual().some((row) => {
    if (!judge.isCued(row)) return false;
    const verdict = judge.of(row, true);
    return isError(judge.weight[verdict] as number, judge.flags[verdict] as number);
  });
}

/** Warnings, and errors that did not matter in the end; best first. */
function salientIn({ table, judge, scores, unusual, policy }: SummaryParts): number[] {
  const salient = salientRows(table, judge, scores, unusual, policy);
  if (salient === null) return [];
  const rows = [...salient.keys()].filter((row) => (salient[row] as number) > 0);
  return rows.sort((a, b) => (salient[b] as number) - (salient[a] as number) || a - b);
}

function warningsIn(scores: FailureScores): number[] {
  const { own } = scores;
  const rows = [...own.keys()].filter((row) => scores.isWarning(row));
  return rows.sort((a, b) => (own[b] as number) - (own[a] as number) || a - b);
}

/** Without headings and data, which are shown in their own way. */
function unusualIn(
  { table, unusual, sections }: SummaryParts,
  found: readonly EmbeddedBlock[],
): readonly number[] {
  const headings = new Set(sections.headings);
  const blocks = found.map((block) => rowsOf(table, block));
  return unusual().filter(
    (row) => !headings.has(row) && !blocks.some(({ first, last }) => row >= first && row <= last),
  );
}

/** Blocks whose rows are all held. */
function wholeBlocks({ table, embedded }: SummaryParts) {
  const { stored } = table.totals;
  return embedded.blocks.filter(({ start, end, lead, trail }) => {
    const isAll = start.bytes === 0 && end.bytes === stored.bytes && isBlank(lead) && isBlank(trail);
    const first = table.rowAtStored(start.bytes);
    const last = table.rowAtStored(end.bytes - 1);
    const held = (table.to[last] as number) - (table.from[first] as number);
    return !isAll && table.start[first] === start.bytes && held === end.bytes - start.bytes;
  });
}

function rowsOf(table: LineTable, { start, end }: EmbeddedBlock): Pick<FixedBlock, 'first' | 'last'> {
  return { first: table.rowAtStored(start.bytes), last: table.rowAtStored(end.bytes - 1) };
}

/** Both ends, falling with distance; other ranks count little. */
function quietScore(
  { table, policy, scores, isRead }: SummaryParts,
  ranks: FailureRanks,
  folded: Uint8Array,
  share: Share,
): Float32Array {
  const score = new Float32Array(table.rows);
  const others = hasPassed(scores, share) ? OTHERS.passed : OTHERS.unknown;
  for (let row = 0; row < table.rows; row++) score[row] = others * Math.min(4, ranks.score[row] as number);
  const reach = isRead ? 1 : QUIET_ENDS;
  const ends = [
    { from: 0, step: 1, room: reach * policy.headRatio * share.chars, lines: policy.headLines },
    {
      from: table.rows - 1,
      step: -1,
      room: reach * (1 - policy.headRatio) * share.chars,
      lines: policy.tailLines,
    },
  ];
  for (const { from, step, room, lines } of ends) {
    let chars = 0;
    for (let row = from, n = 0; row >= 0 && row < table.rows && chars <= room; row += step, n++) {
      if (lines !== null && lines !== undefined && n >= lines) break;
      if (n > 0 && !table.isNext(Math.min(row, row - step))) break;
      if (folded[row] === 1) continue;
      score[row] = Math.max(score[row] as number, 2 - chars / Math.max(1, room));
      chars += table.chars[row] as number;
    }
  }
  return score;
}

/** Headings outside the ends, within their share, evenly spread. */
function spreadHeadings(
  { table, sections, scores }: SummaryParts,
  score: Float32Array,
  share: Share,
): number[] {
  const hidden = sections.headings.filter((row) => (score[row] as number) < 1);
  const size = hidden.reduce((sum, row) => sum + (table.chars[row] as number) + GAP_CHARS, 0);
  const room = share.chars * (hasPassed(scores, share) ? SECTION.passed : SECTION.unknown);
  const step = Math.ceil(size / Math.max(1, room));
  return hidden.filter((_, i) => i % step === step >> 1);
}

function raiseHeadings({ sections }: SummaryParts, score: Float32Array, causes: Map<number, string>): void {
  const value = SECTION.failing;
  for (const row of sections.headings) {
    if ((score[row] as number) < value) {
      score[row] = value;
      causes.set(row, 'section');
    }
  }
}

/** As ranges of the buffer; an elided time stamp begins a new one. */
function spansOf(
  fit: RowFit,
  rows: readonly number[],
  blocks: readonly BlockChoice[],
  fixed: readonly FixedBlock[],
): (KeptSpan | WrittenSpan)[] {
  const { table } = fit;
  const spans: (KeptSpan | WrittenSpan)[] = [];
  let above = -1;
  for (const row of rows) {
    const at = fixed.findIndex(({ first, last }) => row >= first && row <= last);
    const block = fixed[at];
    const choice = blocks[at];
    const start = table.from[row] as number;
    const end = table.to[row] as number;
    const last = spans.at(-1);
    if (block !== undefined && choice !== undefined) {
      if (row === block.first)
        spans.push({
          start,
          end: table.to[block.last] as number,
          write: (cover) => choice.write(cover),
        });
    } else if (fit.elidesStamp(above, row)) spans.push({ start, end, stamp: table.stamp[row] as number });
    else if (
      last !== undefined &&
      !('write' in last) &&
      last.end === start &&
      above === row - 1 &&
      table.isNext(above)
    )
      spans[spans.length - 1] = { ...last, end };
    else spans.push({ start, end });
    above = row;
  }
  return withListed(fit, spans);
}

export function withListed<T extends WrittenSpan | KeptSpan>(
  fit: RowFit,
  spans: readonly T[],
): (T | KeptSpan)[] {
  const { table } = fit;
  const listed: KeptSpan[] = fit.listed.map((row) => ({
    start: table.from[row] as number,
    end: table.to[row] as number,
    listed: table.lineOf(row),
    stamp: (table.stamp[row] as number) - fit.listedStamp(row),
  }));
  if (listed.length === 0) return [...spans];
  return [...spans, ...listed].sort((a, b) => a.start - b.start);
}

/** Lines below a marker, a repeated row, or what `label` says. */
export function thingsBetween(fit: RowFit, label?: Plan['label']): GapThings {
  const { table } = fit;
  return (aboveSpan, belowSpan) => {
    const [above, below] = rowsAround(table, aboveSpan, belowSpan);
    const outline = fit.notesIn(above, below);
    const gapKind = fit.isListed(above) ? null : fit.gapKind(above, below);
    if (outline.length === 0 && (gapKind === null || label !== undefined)) return label?.(above, below);
    const unit = gapKind ?? 'line';
    return { unit, count: below - above - 1, ...(outline.length > 0 && { outline }) };
  };
}

function causesOf({ scores, judge }: SummaryParts, { ranks, score, causes }: Ranking, row: number): Cause[] {
  const cause = causes.get(row);
  return [
    ...(cause === undefined ? [] : [{ cause, score: Math.max(0.5, score[row] as number) }]),
    ...failureCauses(judge, scores, row),
    { cause: 'new', score: scores.isNew[row] === 1 ? (scores.own[row] as number) : 0 },
    { cause: 'end', score: ranks.tails[row] as number },
    { cause: 'beginning', score: ranks.heads[row] as number },
  ];
}
