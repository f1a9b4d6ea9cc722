/**
 * Wraps any strategy so that lines that surely speak of a failure stay visible: they are put into
 * the gaps of the strategy's selection, at most `salient_share` of the room, and the strategy
 * selects again within what is left. Where nothing surely failed, the strategy's own selection
 * stands. Documents (JSON, XML) are left alone: they must stay valid. Units: bytes for places,
 * chars for room.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share, Strategy } from '../../model/strategy.ts';
import type { Watch } from './choices.ts';
import { findingsOf } from './findings.ts';
import { withLines } from './gap-lines.ts';
import { pick } from './pick.ts';
import { salientIn, salientShareOf } from './preserving.ts';
import { blocksOf } from './reasons.ts';
import type { SalientLine } from './salient-line.ts';
import { hasErrors } from './tally.ts';
import type { WatchesOf } from './watches.ts';
import type { Lexicon } from './words.ts';

export function keepErrors(strategy: Strategy, watches: WatchesOf): Strategy {
  return {
    name: strategy.name,
    start(policy, reachChars, known) {
      const part = watches(reachChars, known);
      const inner = strategy.start(policy, reachChars, known);
      return new KeepErrors(inner, part.watch('sure'), policy, part.lexicon);
    },
  };
}

class KeepErrors implements Selector {
  readonly #inner: Selector;
  readonly #watch: Watch;
  readonly #policy: Policy;
  readonly #lexicon: Lexicon;
  #salient: readonly SalientLine[] | undefined;
  #added: readonly SalientLine[] = [];
  #findings: Findings | null = null;

  constructor(inner: Selector, watch: Watch, policy: Policy, lexicon: Lexicon) {
    this.#inner = inner;
    this.#watch = watch;
    this.#policy = policy;
    this.#lexicon = lexicon;
  }

  push(piece: Piece): void {
    this.#inner.push(piece);
    this.#watch.push(piece);
  }

  select(share: Share): Selection {
    this.#added = [];
    this.#findings = null;
    const alone = this.#inner.select(share);
    const gone = alone.some(({ kind }) => kind === 'omit') && (this.#inner.grammar ?? null) === null;
    const salient = gone ? this.#worthKeeping : [];
    if (salient.length === 0) return alone;
    const chosen = this.#choose(insideGaps(salient, alone), share);
    if (chosen.length === 0) return this.#tell(alone, []);
    const left = this.#inner.select(without(share, chosen));
    const added = insideGaps(chosen, left);
    this.#added = added;
    return this.#tell(
      withLines(left, added, (offset) => this.#beginsLine(offset)),
      added,
    );
  }

  bytes(range: ByteRange): Uint8Array {
    const line = this.#added.find(({ start, end }) => range.start >= start.bytes && range.end <= end.bytes);
    if (line === undefined) return this.#inner.bytes(range);
    const { bytes, start } = line.run;
    return bytes.subarray(range.start - start.bytes, range.end - start.bytes);
  }

  get grammar(): Grammar | null {
    return this.#inner.grammar ?? null;
  }

  get failure(): string | null {
    return this.#inner.failure ?? null;
  }

  get findings(): Findings | null {
    return this.#findings ?? this.#inner.findings ?? null;
  }

  hasErrors(): boolean {
    return this.#worthKeeping.length > 0 && this.#watch.seen.errors > 0;
  }

  hasErrorsAlready(): boolean {
    return this.#policy.preserveErrors && this.#watch.hasErrorsAlready;
  }

  release(): void {
    this.#inner.release?.();
    this.#watch.release();
  }

  reasons(): readonly KeptLines[] {
    return [...(this.#inner.reasons?.() ?? []), ...blocksOf(this.#added, this.#lexicon)].sort(
      (a, b) => a.firstLine - b.firstLine,
    );
  }

  get #worthKeeping(): readonly SalientLine[] {
    this.#salient ??= salientIn(this.#watch, this.#policy);
    return this.#salient;
  }

  #choose(lines: readonly SalientLine[], share: Share): readonly SalientLine[] {
    const ratio = salientShareOf(this.#watch, share, this.#policy);
    const room = { ...share, chars: Math.floor(share.chars * ratio), lines: Math.floor(share.lines * ratio) };
    return pick(lines, room, this.#watch.count, { chars: Number.MAX_SAFE_INTEGER, breaks: 0 });
  }

  /** Notes what was found, and how much of it a selection shows. */
  #tell(selection: Selection, added: readonly SalientLine[]): Selection {
    if (!hasErrors(this.#watch.seen) && this.#watch.seen.warnings === 0) return selection;
    const kept = selection.filter(({ kind }) => kind === 'keep');
    const isAdded = ({ start, end }: ByteRange) =>
      added.some((line) => start >= line.start.bytes && end <= line.end.bytes);
    this.#findings = findingsOf(
      this.#watch,
      added,
      kept.filter((range) => !isAdded(range)),
    );
    return selection;
  }

  /** Whether a line begins where a gap does: behind kept text that ends one, or at the start. */
  #beginsLine(offset: number): boolean {
    if (offset === 0) return true;
    const last = this.#inner.bytes({ start: offset - 1, end: offset })[0];
    return last === 10 || last === 13;
  }
}

/** The lines that lie in gaps of a selection, none of them shown in part. */
function insideGaps(lines: readonly SalientLine[], selection: Selection): SalientLine[] {
  const gaps = selection.filter(({ kind }) => kind === 'omit');
  return lines.filter(
    ({ candidate, start: from, end: to }) =>
      candidate.unit.first && gaps.some(({ start, end }) => from.bytes >= start && to.bytes <= end),
  );
}

/** What chosen lines leave of a share: each range of them may need two markers. */
function without(share: Share, chosen: readonly SalientLine[]): Share {
  const runs = chosen.filter(({ index }, i) => chosen[i - 1]?.index !== index - 1).length;
  const text = chosen.reduce((sum, { shown }) => sum + shown, 0);
  return {
    ...share,
    chars: Math.max(0, share.chars - text - 2 * runs * share.gap.chars),
    lines: Number.isFinite(share.lines)
      ? Math.max(0, share.lines - chosen.length - 2 * runs * share.gap.lines)
      : share.lines,
  };
}
