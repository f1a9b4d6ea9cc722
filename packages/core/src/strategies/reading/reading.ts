/**
 * `reading`: for source files, Markdown, reports and other text that is read rather than searched
 * for failures. Both ends are shown, and of the middle the passages that bring most new names for
 * their length, or that touch what the call asks for. What is shown is exact text, in whole lines;
 * of a file, in whole blocks. Memory is bounded by the reach: its ends and four times the reach of
 * the middle.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { KeptLines, SelectionContext, Selector, Share, Strategy } from '../../model/strategy.ts';
import { Query } from '../../text/query.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import { selectEnds } from '../positional.ts';
import { KeptRuns } from '../smart/kept.ts';
import { Choice } from './choice.ts';
import { ChunkFeed, type UnitShape } from './chunk-feed.ts';
import { ChunkPool } from './chunk-pool.ts';
import { Names, type Passage, passagesOf } from './passages.ts';
import { keptRange, runsOf, type ShownPassage } from './shown-runs.ts';

/** If less of the room than this is used, the plain ends show more. */
const LEAST_USED = 0.5;
/** A text with fewer names says nothing that could be chosen by. */
const LEAST_NAMES = 3;

export const reading: Strategy = {
  name: 'reading',
  start: (policy, reachChars, context) => new ReadingSelector(policy, reachChars, context),
};

class ReadingSelector implements Selector {
  readonly #policy: Policy;
  readonly #shape: UnitShape;
  readonly #query: Query;
  readonly #ends: Ends;
  readonly #pool: ChunkPool;
  readonly #feed: ChunkFeed;
  readonly #names = new Names();
  #passages: readonly Passage[] | undefined;
  #relevance: Float64Array = new Float64Array(0);
  #kept: Ends | KeptRuns;
  #shown: readonly ShownPassage[][] = [];

  constructor(policy: Policy, reachChars: number, context: SelectionContext = {}) {
    this.#policy = policy;
    this.#shape = context.isFile === true ? 'blocks' : 'lines';
    this.#query = new Query(context.input, context.about);
    this.#ends = new Ends(reachBytes(reachChars));
    this.#pool = new ChunkPool(reachChars, this.#query);
    this.#feed = new ChunkFeed(this.#shape, (chunk) => this.#pool.add(chunk));
    this.#kept = this.#ends;
  }

  push(piece: Piece): void {
    this.#ends.push(piece);
    this.#feed.push(piece);
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#kept.bytes(range);
  }

  select(share: Share): Selection {
    const { total } = this.#ends;
    if (total.chars <= share.chars && linesOf(this.#ends) <= share.lines) return this.#plain(share);
    const passages = this.#finished();
    const { headLines, tailLines } = this.#policy;
    const choice = new Choice(
      {
        passages,
        relevance: this.#relevance,
        nameCount: this.#names.count,
        end: total,
        shape: this.#shape,
        headLines: headLines ?? Number.POSITIVE_INFINITY,
        tailLines: tailLines ?? Number.POSITIVE_INFINITY,
      },
      share,
    );
    choice.ends();
    choice.fill();
    const isUnused = choice.left > share.chars * (1 - LEAST_USED);
    if (isUnused || this.#names.count < LEAST_NAMES) return this.#plain(share);
    const chosen = passages.flatMap((passage, at) =>
      choice.has(at) ? [{ passage, asked: this.#relevance[at] ?? 0 }] : [],
    );
    this.#shown = runsOf(chosen);
    const runs = chosen.map(({ passage }) => ({ ...passage, again: null }));
    const kept = new KeptRuns(runs, total, linesOf(this.#ends) > total.breaks);
    this.#kept = kept;
    return kept.selection();
  }

  reasons(): readonly KeptLines[] {
    return this.#shown.map((run) => keptRange(run, this.#ends.total.bytes));
  }

  #plain(share: Share): Selection {
    this.#shown = [];
    this.#kept = this.#ends;
    const { headRatio, snap } = this.#policy;
    return selectEnds(this.#ends, share, this.#policy, headRatio, snap);
  }

  #finished(): readonly Passage[] {
    if (this.#passages === undefined) {
      this.#feed.finish();
      this.#passages = passagesOf(this.#pool.finish(), this.#names);
      this.#relevance = this.#query.relevance(this.#passages.map(({ bytes }) => bytes));
    }
    return this.#passages;
  }
}
