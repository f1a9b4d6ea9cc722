/**
 * Adds to a positional strategy the lines that speak of failure and would fall into its gap: at most `salient_share` of the body, only as far as
 * there is something to say, verbatim, in order, with a marker at each gap. The positional ranges get the rest.
 */
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Selector, Share, Strategy } from '../../model/strategy.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import { LineFeed } from './feed.ts';
import { type KeptRun, KeptRuns } from './kept.ts';
import { pickUnits } from './pick.ts';
import { Salience, type Unit } from './salience.ts';

/** From this score on a line, or the block it belongs to, is worth keeping. */
const SALIENT = 2.5;
/** Without a line that surely speaks of failure, or of a warning, nothing is added. */
const STRONG = 4;

/** How a positional strategy shares out its body. */
export type SelectEnds = (ends: Ends, share: Share) => Selection;

export function preserving(name: string, selectEnds: (policy: Policy) => SelectEnds): Strategy {
  return {
    name,
    start: (policy, reachChars) => new PreservingSelector(policy, reachChars, selectEnds(policy)),
  };
}

class PreservingSelector implements Selector {
  readonly #policy: Policy;
  readonly #selectEnds: SelectEnds;
  readonly #ends: Ends;
  readonly #salience: Salience;
  readonly #feed: LineFeed;
  #units: readonly Unit[] | undefined;
  #kept: Ends | KeptRuns;

  constructor(policy: Policy, reachChars: number, selectEnds: SelectEnds) {
    this.#policy = policy;
    this.#selectEnds = selectEnds;
    this.#ends = new Ends(reachBytes(reachChars));
    this.#kept = this.#ends;
    this.#salience = new Salience(Math.max(1, Math.floor(reachChars * policy.salientShare)));
    this.#feed = new LineFeed((line) => (line === null ? this.#salience.skip() : this.#salience.add(line)));
  }

  push(piece: Parameters<Selector['push']>[0]): void {
    this.#ends.push(piece);
    this.#feed.push(piece);
  }

  bytes(range: Parameters<Selector['bytes']>[0]): Uint8Array {
    return this.#kept.bytes(range);
  }

  select(share: Share): Selection {
    this.#kept = this.#ends;
    const alone = this.#selectEnds(this.#ends, share);
    const units = this.#salient();
    if (units.length === 0 || alone.every((segment) => segment.kind === 'keep')) return alone;
    const room = Math.max(0, share.chars - share.gap.chars) * this.#policy.salientShare;
    const lines =
      share.lines === Number.POSITIVE_INFINITY
        ? share.lines
        : Math.floor(share.lines * this.#policy.salientShare);
    const outside = within(units, gapOf(alone));
    const chosen = pickUnits(outside, { ...share, chars: Math.floor(room), lines }, this.#salience.count);
    if (chosen.length === 0) return alone;
    const cost = costOf(chosen, share);
    const reduced = this.#selectEnds(this.#ends, {
      ...share,
      chars: share.chars - cost.chars,
      lines: share.lines - cost.lines,
    });
    return this.#merge(reduced, within(chosen, gapOf(reduced)));
  }

  #salient(): readonly Unit[] {
    if (this.#units === undefined) {
      this.#feed.finish();
      const { preserveErrors, preserveWarnings } = this.#policy;
      const all = this.#salience.finish();
      const enough =
        (preserveErrors && this.#salience.strongest >= STRONG) ||
        (preserveWarnings && this.#salience.warnings > 0);
      this.#units = enough
        ? all
            .filter((unit) => isSalient(unit, this.#policy))
            .map((unit) => ({ ...unit, priority: unit.context }))
        : [];
    }
    return this.#units;
  }

  /** The positional ranges with the chosen lines between them. */
  #merge(positional: Selection, chosen: readonly Unit[]): Selection {
    const runs: KeptRun[] = [];
    for (const segment of positional) {
      if (segment.kind !== 'keep') continue;
      const { start, end } = segment;
      const bytes = this.#ends.bytes(segment);
      runs.push({
        start: this.#ends.extentAt(start),
        end: this.#ends.extentAt(end),
        bytes,
        clean: [],
        first: this.#ends.isLineStart(start),
      });
    }
    runs.push(...chosen.map((unit) => unit.line));
    runs.sort((a, b) => a.start.bytes - b.start.bytes);
    const kept = new KeptRuns(runs, this.#ends.total, linesOf(this.#ends) > this.#ends.total.breaks);
    this.#kept = kept;
    return kept.selection();
  }
}

function isSalient(unit: Unit, { preserveErrors, preserveWarnings }: Policy): boolean {
  if (preserveWarnings && unit.warns && unit.own > 0.5) return true;
  return preserveErrors && unit.context >= SALIENT;
}

function gapOf(selection: Selection): { start: number; end: number } {
  return selection.find((segment) => segment.kind === 'omit') ?? { start: 0, end: 0 };
}

function within(units: readonly Unit[], { start, end }: { start: number; end: number }): Unit[] {
  return units.filter((unit) => unit.line.start.bytes >= start && unit.line.end.bytes <= end);
}

/** What chosen lines take: their text, and a marker for each stretch of them. */
function costOf(chosen: readonly Unit[], share: Share): { chars: number; lines: number } {
  const stretches = chosen.filter((unit, i) => chosen[i - 1]?.index !== unit.index - 1).length;
  return {
    chars: chosen.reduce((sum, unit) => sum + unit.chars, 0) + stretches * share.gap.chars,
    lines: chosen.length + stretches * share.gap.lines,
  };
}
