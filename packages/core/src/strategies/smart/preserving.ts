/**
 * Adds to a positional strategy the lines that speak of failure and would fall into its gap: at
 * most `salient_share` of the body, only as far as there is something to say, verbatim, in order,
 * with a marker at each gap. The positional ranges get the rest.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, KeptLines, Selector, Share, Strategy } from '../../model/strategy.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import type { Watch } from './choices.ts';
import { smallGaps } from './closing.ts';
import { findingsOf } from './findings.ts';
import { isWholeLine, type KeptRun, KeptRuns } from './kept.ts';
import type { Evidence } from './own-score.ts';
import { gapPrice, pick } from './pick.ts';
import { withAll } from './quiet.ts';
import { blocksOf, positionalBlock } from './reasons.ts';
import type { SalientLine } from './salient-line.ts';
import { hasErrors, isWarning } from './tally.ts';
import type { WatchesOf } from './watches.ts';
import type { Lexicon } from './words.ts';

/** From this score on a line, or the block it belongs to, is worth keeping. */
const SALIENT = 1.5;
/** Of warnings that differ in numbers only so many are kept. */
const MOST_ALIKE = 5;
const ROUNDS = 4;

/** What of the body lines that speak of failure may take where the whole ended well. */
const PASSED_SHARE = 0.07;

/** How a positional strategy shares out its body. */
export type SelectEnds = (ends: Ends, share: Share) => Selection;

export interface PreservingOptions {
  /** Whether a line that is too long may be shown in part. */
  readonly unit?: 'segments' | 'whole lines';
  /** Which lines are worth preserving in this kind of text. */
  readonly evidence?: Evidence;
}

export function preserving(
  name: string,
  watches: WatchesOf,
  selectEnds: (policy: Policy) => SelectEnds,
  { unit = 'segments', evidence = 'any' }: PreservingOptions = {},
): Strategy {
  return {
    name,
    start: (policy, reachChars, known) => {
      const ends = new Ends(reachBytes(reachChars));
      const part = watches(reachChars, known);
      const watch = part.watch(evidence);
      return new PreservingSelector(
        ends,
        watch,
        new PreservingView(policy, ends, watch, selectEnds(policy), unit),
        part.lexicon,
      );
    },
  };
}

class PreservingSelector implements Selector {
  readonly #ends: Ends;
  readonly #watch: Watch;
  readonly #view: PreservingView;
  readonly #lexicon: Lexicon;

  constructor(ends: Ends, watch: Watch, view: PreservingView, lexicon: Lexicon) {
    this.#lexicon = lexicon;
    this.#ends = ends;
    this.#watch = watch;
    this.#view = view;
  }

  push(piece: Piece): void {
    this.#ends.push(piece);
    this.#watch.push(piece);
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#view.bytes(range);
  }

  select(share: Share): Selection {
    return this.#view.select(share);
  }

  release(): void {
    this.#watch.release();
  }

  get findings(): Findings | null {
    return this.#view.findings;
  }

  reasons(): readonly KeptLines[] {
    return this.#view.reasons(this.#lexicon);
  }
}

/** Positional ranges of a part, with the lines between them that a watch found worth keeping. */
export class PreservingView {
  readonly #policy: Policy;
  readonly #selectEnds: SelectEnds;
  readonly #ends: Ends;
  readonly #watch: Watch;
  #salient: readonly SalientLine[] | undefined;
  readonly #unit: 'segments' | 'whole lines';
  #kept: Ends | KeptRuns;
  #positional: readonly KeptRun[] = [];
  #added: readonly SalientLine[] = [];
  findings: Findings | null = null;

  constructor(
    policy: Policy,
    ends: Ends,
    watch: Watch,
    selectEnds: SelectEnds,
    unit: 'segments' | 'whole lines' = 'segments',
  ) {
    this.#policy = policy;
    this.#selectEnds = selectEnds;
    this.#ends = ends;
    this.#watch = watch;
    this.#kept = ends;
    this.#unit = unit;
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#kept.bytes(range);
  }

  select(share: Share): Selection {
    this.#salient ??= salientIn(this.#watch, this.#policy, this.#unit);
    this.#kept = this.#ends;
    this.findings = null;
    const alone = this.#selectEnds(this.#ends, share);
    this.#positional = this.#runsOf(alone);
    this.#added = [];
    const isWhole = alone.every((segment) => segment.kind === 'keep');
    if (isWhole) return alone;
    const chosen = this.#salient.length === 0 ? [] : this.#choose(share);
    return this.#merge(share, chosen);
  }

  /** Why each block of the last selection was kept, in order. */
  reasons(lexicon: Lexicon): readonly KeptLines[] {
    return [...this.#positional.map(positionalBlock), ...blocksOf(this.#added, lexicon)].sort(
      (a, b) => a.firstLine - b.firstLine,
    );
  }

  /**
   * Lines from the gap that the positional ranges leave when all of the salient share is taken from
   * them.
   */
  #choose(share: Share): readonly SalientLine[] {
    const salientShare = salientShareOf(this.#watch, share, this.#policy);
    const room = {
      ...share,
      chars: Math.floor(Math.max(0, share.chars - share.gap.chars) * salientShare),
      lines: Math.floor(share.lines * salientShare),
    };
    const least = this.#selectEnds(this.#ends, less(share, room));
    // The positional ranges pay for a marker anyway: the lines between them need one less than if
    // they stood alone.
    const paid = { ...room, chars: room.chars + share.gap.chars, lines: room.lines + share.gap.lines };
    return pick(outside(this.#salient ?? [], least), paid, this.#watch.count, this.#ends.total);
  }

  /**
   * The positional ranges in the room that the chosen lines leave, with those lines between them.
   */
  #merge(share: Share, chosen: readonly SalientLine[]): Selection {
    let added = chosen;
    let positional = this.#selectEnds(this.#ends, less(share, costOf(added, share)));
    // Lines that lie in the positional ranges by now leave their room to them.
    for (let round = 0; round < ROUNDS; round++) {
      const still = outside(added, positional);
      if (still.length === added.length) break;
      added = still;
      positional = this.#selectEnds(this.#ends, less(share, costOf(added, share)));
    }
    added = outside(added, positional);
    const runs = inOrder([...this.#runsOf(positional), ...added.map((line) => line.run)]);
    const closing = added.length === 0 ? [] : this.#closing(runs, share);
    this.#positional = [...this.#runsOf(positional), ...closing];
    this.#added = added;
    if (hasErrors(this.#watch.seen) || this.#watch.seen.warnings > 0)
      this.findings = findingsOf(this.#watch, added, this.#positional.map(rangeOf));
    if (added.length === 0) return positional;
    return this.#keep(inOrder([...runs, ...closing]));
  }

  /** What lies in the gaps that cost no more to show than to mark, as far as it is still held. */
  #closing(runs: readonly KeptRun[], share: Share): readonly KeptRun[] {
    return smallGaps(runs, share).flatMap(({ from, to }) => {
      const range = { start: from.bytes, end: to.bytes };
      if (this.#ends.holds(range)) return [this.#runOf(range)];
      const lines = this.#watch.lines.filter(
        ({ start, end }) => start.bytes >= range.start && end.bytes <= range.end,
      );
      const held = lines.reduce((sum, { start, end }) => sum + end.bytes - start.bytes, 0);
      return held === range.end - range.start ? lines.map(({ run }) => ({ ...run, again: null })) : [];
    });
  }

  #keep(runs: readonly KeptRun[]): Selection {
    const kept = new KeptRuns(runs, this.#ends.total, linesOf(this.#ends) > this.#ends.total.breaks);
    this.#kept = kept;
    return kept.selection();
  }

  #runsOf(selection: Selection): readonly KeptRun[] {
    return selection.flatMap((segment) => (segment.kind === 'keep' ? [this.#runOf(segment)] : []));
  }

  #runOf(range: ByteRange): KeptRun {
    const bytes = this.#ends.bytes(range);
    const first = this.#ends.isLineStart(range.start);
    return {
      start: this.#ends.extentAt(range.start),
      end: this.#ends.extentAt(range.end),
      again: null,
      bytes,
      first,
    };
  }
}

/** The lines that are worth preserving, as the policy has it. */
export function salientIn(
  watch: Watch,
  policy: Policy,
  unit: 'segments' | 'whole lines' = 'segments',
): readonly SalientLine[] {
  const isShowable = (line: SalientLine) => unit === 'segments' || isWholeLine(line.run);
  // Of a quiet text no line need be ranked.
  const salient = watch.isQuiet ? [] : foundIn(watch, policy).filter(isShowable);
  return policy.preserveErrors ? withAll(salient, watch.supported.filter(isShowable)) : salient;
}

/** The lines that speak of a failure or warn, and what belongs to them. */
function foundIn(watch: Watch, { preserveErrors, preserveWarnings }: Policy): readonly SalientLine[] {
  const { lines, seen } = watch;
  const errors = preserveErrors && hasErrors(seen);
  const warnings = preserveWarnings && seen.warnings > 0;
  return lines.filter(({ candidate: { features, context, pull, before } }) => {
    if (features !== null && isWarning(features, seen.warning)) return warnings && before < MOST_ALIKE;
    return errors && Math.max(context, pull) >= SALIENT;
  });
}

/** The share of the body that lines that speak of failure may take at the most. */
export function salientShareOf(watch: Watch, share: Share, { salientShare }: Policy): number {
  return hasPassed(watch, share) ? Math.min(PASSED_SHARE, salientShare) : salientShare;
}

/** Whether errors did not matter in the end: the text says so, and nobody knows better. */
export function hasPassed(watch: Watch, share: Share): boolean {
  return watch.seen.passed && share.ended !== 'badly';
}

/** The lines that lie in the gap of a selection. */
function outside(lines: readonly SalientLine[], selection: Selection): SalientLine[] {
  const gap = selection.find((segment) => segment.kind === 'omit') ?? { start: 0, end: 0 };
  return lines.filter(({ start, end }) => start.bytes >= gap.start && end.bytes <= gap.end);
}

function inOrder(runs: readonly KeptRun[]): readonly KeptRun[] {
  return runs.toSorted((a, b) => a.start.bytes - b.start.bytes);
}

function rangeOf({ start, end }: KeptRun): ByteRange {
  return { start: start.bytes, end: end.bytes };
}

function less(share: Share, { chars, lines }: { chars: number; lines: number }): Share {
  // Lines may be unbounded on both sides.
  const left = Number.isFinite(share.lines) ? share.lines - lines : share.lines;
  return { ...share, chars: share.chars - chars, lines: left };
}

/**
 * What chosen lines take: their text, and a marker for each range of them, with the numbers it
 * will have.
 */
function costOf(chosen: readonly SalientLine[], { gap }: Share): { chars: number; lines: number } {
  let chars = 0;
  let keptRuns = 0;
  chosen.forEach((line, i) => {
    chars += line.shown;
    const before = chosen[i - 1];
    if (before?.index === line.index - 1) return;
    keptRuns++;
    chars += before === undefined ? gap.chars : gapPrice('middle', before.end, line.start, { gap });
  });
  return { chars, lines: chosen.length + keptRuns * gap.lines };
}
