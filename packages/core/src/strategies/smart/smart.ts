/**
 * `smart_summary`: the lines that tell the story of a failure, verbatim and in order, within the budget, with what was found in all. Where nothing
 * tells of a failure, or the whole ended well, the beginning and the end are shown instead.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, KeptStretch, Known, Selector, Share, Strategy } from '../../model/strategy.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import { selectEnds } from '../positional.ts';
import { type SalientLine, Watch } from './choices.ts';
import { findingsOf } from './findings.ts';
import { KeptRuns } from './kept.ts';
import { pick } from './pick.ts';
import { hasPassed, PreservingView } from './preserving.ts';
import { blocksOf } from './reasons.ts';
import { tells } from './salience.ts';
import type { Lexicon } from './words.ts';

export function smartSummary(lexicon: () => Lexicon): Strategy {
  return {
    name: 'smart_summary',
    start: (policy, reachChars, known) => new SmartSelector(policy, reachChars, lexicon(), known),
  };
}

class SmartSelector implements Selector {
  readonly #ends: Ends;
  readonly #watch: Watch;
  readonly #positional: PreservingView;
  #kept: PreservingView | KeptRuns;
  readonly #lexicon: Lexicon;
  #chosen: readonly SalientLine[] | null = null;
  findings: Findings | null = null;

  constructor(policy: Policy, reachChars: number, lexicon: Lexicon, known?: Known) {
    this.#ends = new Ends(reachBytes(reachChars));
    this.#watch = new Watch(policy, reachChars, lexicon, known);
    const { headRatio, snap } = policy;
    this.#positional = new PreservingView(policy, this.#ends, this.#watch, (ends, share) =>
      selectEnds(ends, share, policy, headRatio, snap),
    );
    this.#kept = this.#positional;
    this.#lexicon = lexicon;
  }

  push(piece: Piece): void {
    this.#ends.push(piece);
    this.#watch.push(piece);
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#kept.bytes(range);
  }

  select(share: Share): Selection {
    const { lines } = this.#watch;
    const { total } = this.#ends;
    const totalLines = linesOf(this.#ends);
    const fits = total.chars <= share.chars && totalLines <= share.lines;
    if (fits || !tells(this.#watch.seen) || hasPassed(this.#watch, share)) return this.#byPosition(share);
    const chosen = pick(lines, share, this.#watch.count, total);
    this.#chosen = chosen;
    this.findings = findingsOf(this.#watch, chosen, []);
    this.#kept = new KeptRuns(
      chosen.map((line) => line.run),
      total,
      totalLines > total.breaks,
    );
    return this.#kept.selection();
  }

  reasons(): readonly KeptStretch[] {
    return this.#chosen === null
      ? this.#positional.reasons(this.#lexicon)
      : blocksOf(this.#chosen, this.#lexicon);
  }

  #byPosition(share: Share): Selection {
    this.#chosen = null;
    const selection = this.#positional.select(share);
    this.#kept = this.#positional;
    this.findings = this.#positional.findings;
    return selection;
  }
}
