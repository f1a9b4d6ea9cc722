/**
 * `smart_summary`: the lines that tell the story of a failure, verbatim and in order, within the
 * budget, with what was found in all; JSON among them as `element` shows it. Where nothing tells of
 * a failure, or the whole ended well, the beginning and the end are shown instead.
 */

import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share, Strategy } from '../../model/strategy.ts';
import { jsonGap } from '../../wording/json-gap.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import { selectEnds } from '../positional.ts';
import { type BlockChoice, blockChoice, blockReason, inPlace, shownRanges, unitsLess } from './block.ts';
import type { Watch } from './choices.ts';
import { EmbeddedJson } from './embedded.ts';
import { Ending, Opening } from './end-units.ts';
import { findingsOf } from './findings.ts';
import { type KeptBlock, type KeptRun, KeptRuns } from './kept.ts';
import { LineStamps } from './line-stamps.ts';
import { type EmbeddedBlock, holds, isBlank } from './open-block.ts';
import type { Evidence } from './own-score.ts';
import { pick, priceOf, type StampOf } from './pick.ts';
import { hasPassed, PreservingView, salientIn, salientShareOf } from './preserving.ts';
import { type QuietParts, quietChoices, unbroken, withAll } from './quiet.ts';
import { blocksOf } from './reasons.ts';
import type { SalientLine } from './salient-line.ts';
import type { SampledSection } from './section-lines.ts';
import { hasErrors } from './tally.ts';
import { underHeadings } from './under-headings.ts';
import type { Unit } from './units.ts';
import type { Watches, WatchesOf } from './watches.ts';
import type { Lexicon } from './words.ts';

/** What data may take of the room, and of the score of its strongest line. */
const FAILING = { from: 4, share: 0.4, priority: 0.6 };
const QUIET = { share: 1 / 6, priority: 3 };
/**
 * What the first lines of a section count: less than all that speaks of failure, more than lines
 * far from the end.
 */
const SECTION = { heading: 0.5, next: 0.25 };
/**
 * What lines may take that stand out by their shape: where nothing speaks of failure, and
 * elsewhere.
 */
const UNUSUAL = { alone: 0.4, beside: 0.12, priority: 6 };
/** What lines may take that say what was made: where nothing failed, and elsewhere. */
const RESULTS = { alone: 0.12, beside: 0.03 };
/** What markers may take to tell in how many more lines, and where, the same is said. */
const NOTES_SHARE = 0.1;
const WORTH_NOTING = 4;
/** A heading is asked for just before the lines below it. */
const HEADING_FACTOR = 1.01;
/** A marker, about. */
const GAP_CHARS = 48;
/** So many chars left are worth another try. */
const WORTH_ANOTHER = 100;

/** `evidence`: `supported` for text that may be about something else. */
export function smartSummary(watches: WatchesOf, evidence: Evidence = 'any'): Strategy {
  return {
    name: 'smart_summary',
    start: (policy, reachChars, known) =>
      new SmartSelector(policy, reachChars, watches(reachChars, known), evidence, known?.isFile === true),
  };
}

/** Gaps inside JSON are marked so that it stays JSON; all others stand on lines of their own. */
const JSON_INSIDE_TEXT: Grammar = { mark: (what) => (what.slot === undefined ? null : jsonGap(what)) };

class SmartSelector implements Selector {
  readonly grammar = JSON_INSIDE_TEXT;
  readonly #policy: Policy;
  readonly #ends: Ends;
  readonly #watch: Watch;
  readonly #embedded: EmbeddedJson;
  #unusualLines: readonly SalientLine[] | undefined;
  #resultLines: readonly SalientLine[] | undefined;
  readonly #opening: Opening;
  readonly #ending: Ending;
  #blocks: readonly EmbeddedBlock[] | undefined;
  #edges: Pick<QuietParts, 'opening' | 'ending'> | undefined;
  #samples: readonly SampledSection[] | undefined;
  #failingWithOthers:
    | { readonly others: readonly SalientLine[]; readonly lines: readonly SalientLine[] }
    | undefined;
  /** What the last lines to pick from became, with headings. */
  #prepared: { readonly from: readonly SalientLine[]; readonly lines: readonly SalientLine[] } | undefined;
  readonly #positional: PreservingView;
  #kept: PreservingView | KeptRuns;
  readonly #lexicon: Lexicon;
  /** The time stamp of a line, where it may be left out: of a file all that is shown is exact. */
  readonly #stampOf: StampOf<SalientLine | BlockChoice>;
  #chosen: readonly (SalientLine | BlockChoice)[] | null = null;
  findings: Findings | null = null;

  constructor(policy: Policy, reachChars: number, watches: Watches, evidence: Evidence, isFile: boolean) {
    this.#policy = policy;
    this.#ends = new Ends(reachBytes(reachChars));
    this.#embedded = new EmbeddedJson(reachChars);
    this.#opening = new Opening(reachChars);
    this.#ending = new Ending(reachChars);
    this.#watch = watches.watch(evidence, 'all', (unit, own) => {
      this.#embedded.add(unit, own);
      this.#opening.add(unit);
      this.#ending.add(unit);
    });
    const { headRatio, snap } = policy;
    this.#positional = new PreservingView(policy, this.#ends, this.#watch, (ends, share) =>
      selectEnds(ends, share, policy, headRatio, snap),
    );
    this.#kept = this.#positional;
    this.#lexicon = watches.lexicon;
    const stamps = policy.clean !== 'never' && !isFile ? new LineStamps() : null;
    this.#stampOf = (choice) => (isBlock(choice) ? null : (stamps?.of(choice.candidate.unit) ?? null));
  }

  push(piece: Piece): void {
    this.#ends.push(piece);
    this.#watch.push(piece);
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#kept.bytes(range);
  }

  select(share: Share): Selection {
    const { total } = this.#ends;
    const fits = total.chars <= share.chars && linesOf(this.#ends) <= share.lines;
    // Its lines are asked for first: that ends the watch.
    const isQuiet =
      this.#watch.lines.length === 0 || !hasErrors(this.#watch.seen) || hasPassed(this.#watch, share);
    this.#blocks ??= this.#embedded.blocks.filter((block) => !this.#isWhole(block));
    const isPlain =
      this.#blocks.length === 0 &&
      this.#watch.sections.count === 0 &&
      this.#unusualFirst.length === 0 &&
      this.#results.length === 0;
    if (fits || (isQuiet && isPlain)) return this.#byPosition(share);
    if (isQuiet) return this.#quiet(share, this.#blocks);
    return this.#failing(share, this.#blocks);
  }

  /**
   * What is shown of a part that tells of failure; what is left of the room goes to data that was
   * cut.
   */
  #failing(share: Share, found: readonly EmbeddedBlock[]): Selection {
    const first = this.#failingWith(share, found, 0);
    const chosen = this.#chosen ?? [];
    const cut = chosen.filter(isBlock).filter(({ run }) => run.value.omitted.length > 0);
    const price = this.#priceOf(chosen, share);
    const left = share.chars - price - 2 * share.gap.chars;
    if (cut.length === 0 || left < WORTH_ANOTHER) return first;
    const second = this.#failingWith(share, found, left / cut.length);
    const isBetter = (this.#chosen ?? []).length >= chosen.length;
    return isBetter ? second : this.#failingWith(share, found, 0);
  }

  /** `more`: what each block may take beyond its share. */
  #failingWith(share: Share, found: readonly EmbeddedBlock[], more: number): Selection {
    const blocks = this.#failingBlocks(share, found, more);
    // Data of which nothing can be shown, and that says nothing of the failure, is not shown line
    // by line either.
    const shown = new Set(blocks.map(({ block }) => block));
    const gone = found.filter((block) => !shown.has(block) && block.strongest < FAILING.from);
    const unusual = within(this.#unusualFirst, share, UNUSUAL.beside * share.chars);
    const results = within(this.#results, share, RESULTS.beside * share.chars);
    const lines = this.#failingLines([...unusual, ...results]);
    const outside =
      gone.length === 0 ? lines : lines.filter(({ index }) => !gone.some((block) => holds(block, index)));
    return this.#pick(outside, blocks, share);
  }

  /** What speaks of failure, and the first lines of sections, with others among them. */
  #failingLines(others: readonly SalientLine[]): readonly SalientLine[] {
    // While a selection is made to fit, the same is asked for several times.
    const known = this.#failingWithOthers;
    if (known?.others.length === others.length && known.others.every((line, i) => line === others[i]))
      return known.lines;
    const samples = this.#sampled().flatMap(({ heading, next }) => [
      heading.with(SECTION.heading),
      ...(next === null ? [] : [next.with(SECTION.next)]),
    ]);
    const lines = withAll(this.#watch.lines, [...samples, ...others]);
    this.#failingWithOthers = { others, lines };
    return lines;
  }

  /** What is shown of a part without trouble; what is left of the room goes to its ends. */
  #quiet(share: Share, found: readonly EmbeddedBlock[]): Selection {
    const first = this.#quietWith(share, found, 0);
    const left = share.chars - this.#priceOf(this.#chosen ?? [], share);
    return left < WORTH_ANOTHER ? first : this.#quietWith(share, found, left);
  }

  #quietWith(share: Share, found: readonly EmbeddedBlock[], more: number): Selection {
    const { lines, blocks, ends } = quietChoices(
      { ...this.#quietEnds, samples: this.#sampled(), blocks: found },
      share,
      this.#policy,
      {
        block: (block, room, priority) => this.#show(block, room, priority, share),
        salientShare: Math.max(
          salientShareOf(this.#watch, share, this.#policy),
          this.#unusualFirst.length === 0 ? 0 : this.#unusualShare(share),
        ),
        ended: hasPassed(this.#watch, share) ? 'passed' : 'unknown',
        salient: (shown) => this.#salientOutside(shown, share),
      },
      more,
    );
    return this.#pick(lines, blocks, share, (chosen) => unbroken(chosen, ends));
  }

  get #quietEnds(): Pick<QuietParts, 'opening' | 'ending' | 'totalChars'> {
    const lineOf = (unit: Unit) => this.#watch.lineOf(unit, 'position', 0);
    this.#edges ??= { opening: this.#opening.units.map(lineOf), ending: this.#ending.units.map(lineOf) };
    return { ...this.#edges, totalChars: this.#ends.total.chars };
  }

  /**
   * The lines of a quiet part that are worth preserving and not shown already, as many as may be.
   */
  #salientOutside(shown: ReadonlySet<number>, share: Share): readonly SalientLine[] {
    const isHidden = ({ index }: SalientLine) => !shown.has(index);
    const unusual = within(
      this.#unusualFirst.filter(isHidden),
      share,
      this.#unusualShare(share) * share.chars,
    );
    const results = within(this.#results.filter(isHidden), share, RESULTS.alone * share.chars);
    const others = withAll(unusual, results);
    const salient = salientIn(this.#watch, this.#policy).filter(isHidden);
    if (salient.length === 0) return others;
    const body = Math.max(0, share.chars - share.gap.chars);
    // The ends pay for a marker anyway.
    const chars = Math.floor(body * salientShareOf(this.#watch, share, this.#policy)) + share.gap.chars;
    return withAll(pick(salient, { ...share, chars }, this.#watch.count, this.#ends.total), others);
  }

  /**
   * The lines that stand out by their shape, the rarest first; headings and data are shown in their
   * own way.
   */
  get #unusualFirst(): readonly SalientLine[] {
    if (this.#unusualLines !== undefined) return this.#unusualLines;
    const headings = new Set(this.#watch.sections.samples.map(({ heading }) => heading.index));
    const isElsewhere = ({ index }: Unit) =>
      headings.has(index) || this.#embedded.blocks.some((block) => holds(block, index));
    this.#unusualLines = this.#watch.unusual.lines
      .filter(({ unit }) => !isElsewhere(unit))
      .toSorted((a, b) => a.count - b.count || a.unit.index - b.unit.index)
      .map(({ unit }) => this.#watch.lineOf(unit, 'unusual', UNUSUAL.priority));
    return this.#unusualLines;
  }

  get #results(): readonly SalientLine[] {
    this.#resultLines ??= this.#watch.results;
    return this.#resultLines;
  }

  /**
   * What they may take of the room: much where nothing else was found, little where that ended
   * well.
   */
  #unusualShare(share: Share): number {
    const isAlone = !hasErrors(this.#watch.seen) && !hasPassed(this.#watch, share);
    return isAlone ? UNUSUAL.alone : UNUSUAL.beside;
  }

  /** The sections of the part as lines. */
  #sampled(): readonly SampledSection[] {
    this.#samples ??= this.#watch.sections.samples.map(({ heading, next }) => ({
      heading: this.#watch.lineOf(heading, 'section', 0),
      next: next === null ? null : this.#watch.lineOf(next, 'section', 0),
    }));
    return this.#samples;
  }

  /** The best of lines and blocks that there is room for. */
  #pick(
    lines: readonly SalientLine[],
    blocks: readonly BlockChoice[],
    share: Share,
    tidied = (chosen: readonly (SalientLine | BlockChoice)[]) => chosen,
  ): Selection {
    const { total } = this.#ends;
    const count = this.#watch.count - unitsLess(blocks);
    const headed = this.#prepare(lines);
    const hasGroups = lines.some(({ candidate }) => (candidate.group?.count ?? 0) >= WORTH_NOTING);
    const room = hasGroups ? { ...share, chars: Math.floor(share.chars * (1 - NOTES_SHARE)) } : share;
    const picked = pick(inPlace(headed, blocks), room, count, total, this.#stampOf);
    const tidy = tidied(underHeadings(picked));
    // Leaving a line out may need another marker.
    const chosen = this.#priceOf(tidy, share) <= share.chars ? tidy : picked;
    const judged = chosen.filter(isLine).filter(({ candidate }) => candidate.features !== null);
    const others = chosen
      .filter(isLine)
      .filter(({ candidate }) => candidate.features === null)
      .map(({ start, end }) => ({ start: start.bytes, end: end.bytes }));
    this.#chosen = chosen;
    this.findings = findingsOf(this.#watch, judged, [
      ...others,
      ...chosen.filter(isBlock).flatMap(shownRanges),
    ]);
    this.#kept = new KeptRuns(
      chosen.map((choice) => this.#runOf(choice)),
      total,
      linesOf(this.#ends) > total.breaks,
      hasGroups ? share.chars - this.#priceOf(chosen, share) : 0,
    );
    return this.#kept.selection();
  }

  #priceOf(chosen: readonly (SalientLine | BlockChoice)[], share: Share): number {
    return priceOf(chosen, share, this.#ends.total, this.#stampOf);
  }

  /** What is shown, with the time stamp that it begins with. */
  #runOf(choice: SalientLine | BlockChoice): KeptRun | KeptBlock {
    const stamp = this.#stampOf(choice);
    return stamp === null || isBlock(choice) ? choice.run : { ...choice.run, stamp };
  }

  /** Lines with their headings. */
  #prepare(lines: readonly SalientLine[]): readonly SalientLine[] {
    if (this.#prepared?.from !== lines) this.#prepared = { from: lines, lines: this.#withHeadings(lines) };
    return this.#prepared.lines;
  }

  /** Lines with the headings they stand under, each worth as much as the best line below it. */
  #withHeadings(lines: readonly SalientLine[]): readonly SalientLine[] {
    const priorities = new Map<Unit, number>();
    for (const {
      candidate: { heading },
      priority,
    } of lines)
      if (heading !== null)
        priorities.set(heading, Math.max(priority * HEADING_FACTOR, priorities.get(heading) ?? 0));
    const headings = [...priorities].map(([unit, priority]) => this.#watch.lineOf(unit, 'heading', priority));
    return withAll(lines, headings);
  }

  hasErrorsAlready(): boolean {
    return this.#watch.hasErrorsAlready;
  }

  release(): void {
    this.#watch.release();
  }

  hasErrors(): boolean {
    return this.#watch.hasErrors;
  }

  /**
   * Whether lines far from the ends are unlike all others, and so few that all of them can be shown.
   */
  standsOut({ chars: room }: Share): boolean {
    this.#watch.end();
    const { chars } = this.#ends.total;
    const unusual = this.#unusualFirst;
    const size = unusual.reduce((sum, { shown }) => sum + shown + GAP_CHARS, 0);
    return (
      size <= UNUSUAL.alone * room &&
      unusual.some(({ start, end }) => start.chars > room / 2 && chars - end.chars > room / 2)
    );
  }

  reasons(): readonly KeptLines[] {
    const chosen = this.#chosen;
    if (chosen === null) return this.#positional.reasons(this.#lexicon);
    return [
      ...blocksOf(chosen.filter(isLine), this.#lexicon),
      ...chosen.filter(isBlock).map(blockReason),
    ].sort((a, b) => a.firstLine - b.firstLine);
  }

  /**
   * The data in a part that tells of failure, each block within what it may take: more if it does
   * itself, less if the like was before it.
   */
  #failingBlocks(share: Share, found: readonly EmbeddedBlock[], more: number): BlockChoice[] {
    return found.flatMap((block, i) => {
      const room = share.chars * (block.strongest >= FAILING.from ? FAILING.share : QUIET.share);
      const priority = Math.max(QUIET.priority / (1 + i), FAILING.priority * block.strongest);
      return this.#show(block, Math.floor(room + more), priority, share) ?? [];
    });
  }

  #show(block: EmbeddedBlock, chars: number, priority: number, share: Share): BlockChoice | null {
    const lines = share.lines === Number.POSITIVE_INFINITY ? 'any' : 'one';
    return blockChoice(block, { chars, lines, priority }, this.#policy);
  }

  /** A document is not embedded in anything: its lines tell more of it. */
  #isWhole({ start, end, lead, trail }: EmbeddedBlock): boolean {
    return start.bytes === 0 && end.bytes === this.#ends.total.bytes && isBlank(lead) && isBlank(trail);
  }

  #byPosition(share: Share): Selection {
    this.#chosen = null;
    const selection = this.#positional.select(share);
    this.#kept = this.#positional;
    this.findings = this.#positional.findings;
    return selection;
  }
}

/** The first of some lines that fit, each with a marker of its own; in order. */
function within(lines: readonly SalientLine[], { gap }: Share, chars: number): readonly SalientLine[] {
  let left = chars;
  const chosen = lines.filter(({ shown }) => {
    if (shown + gap.chars > left) return false;
    left -= shown + gap.chars;
    return true;
  });
  return chosen.sort((a, b) => a.index - b.index);
}

function isBlock(choice: SalientLine | BlockChoice): choice is BlockChoice {
  return 'block' in choice;
}

function isLine(choice: SalientLine | BlockChoice): choice is SalientLine {
  return !isBlock(choice);
}
