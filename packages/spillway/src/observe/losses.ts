/**
 * Suspected losses: a cut that nobody followed, where the part that was left out holds a line that
 * speaks of failure, or after which the same call was made again. What was left out is read back
 * from the store, up to a bound; only the number of such a line is told, never its text.
 */
import type { ArtifactId, Projection, Store } from '@spillway/core';
import { type LinePosition, type LineSink, LineSplitter, speaksOfFailure } from '@spillway/core/plugin';
import type { OutputTrail } from './ledger.ts';

/** Bytes of one output that are looked through. */
const MOST_BYTES = 4 * 1024 * 1024;

/** An output of which the model may have missed something. */
export interface SuspectedLoss {
  readonly artifact_id: ArtifactId;
  readonly tool: string;
  readonly session: string;
  readonly why: 'failure_left_out' | 'made_again';
  /**
   * The first line that speaks of failure and was left out, and its part; null where the call was
   * made again.
   */
  readonly part: string | null;
  readonly line: number | null;
}

/** The first failure that was left out of an output, if any. It stays as it is. */
export type LeftOut = Pick<SuspectedLoss, 'part' | 'line'> | null;

/** `known`: what was found before, by output. */
export async function suspectedLoss(
  store: Store,
  trail: OutputTrail,
  known = new Map<ArtifactId, LeftOut>(),
): Promise<SuspectedLoss | null> {
  if (!trail.cut || trail.fetches > 0) return null;
  const { id, tool, session } = trail;
  const about = { artifact_id: id, tool, session };
  if (trail.madeAgain) return { ...about, why: 'made_again', part: null, line: null };
  const frozen = await store.frozen(trail.id, 'model').catch(() => undefined);
  if (frozen === undefined) return null;
  const before = known.get(id);
  const found = before === undefined ? await failureLeftOut(store, trail, frozen.projection) : before;
  known.set(id, found);
  return found === null ? null : { ...about, why: 'failure_left_out', ...found };
}

async function failureLeftOut(store: Store, trail: OutputTrail, { metadata }: Projection): Promise<LeftOut> {
  for (const gap of metadata.omitted) {
    const line = await failureIn(store, trail, gap);
    if (line !== null) return { part: gap.name, line };
  }
  return null;
}

type Gap = Projection['metadata']['omitted'][number];

/** The first line of a gap that speaks of failure, counted in its part. */
async function failureIn(
  store: Store,
  { id }: OutputTrail,
  { part, bytes, first_line }: Gap,
): Promise<number | null> {
  const search = new FailureSearch();
  const lines = new LineSplitter(search, { bytes: bytes.start, chars: 0, breaks: first_line - 1 });
  try {
    const { at, pieces } = await store.read(id, part, { bytes: bytes.start });
    let offset = at.bytes;
    for await (const piece of pieces) {
      lines.push(piece.subarray(Math.max(0, bytes.start - offset), Math.max(0, bytes.end - offset)));
      offset += piece.length;
      if (search.line !== null || offset >= bytes.end || offset - bytes.start > MOST_BYTES) break;
    }
    lines.finish();
  } catch {
    // Purged since, or damaged: nothing can be said of it.
    return null;
  }
  return search.line;
}

class FailureSearch implements LineSink {
  /** The first line that speaks of failure. */
  line: number | null = null;

  /** A line is judged by its beginning. */
  text(text: string, { number }: LinePosition, skippedChars: number): void {
    if (this.line === null && skippedChars === 0 && speaksOfFailure(text)) this.line = number;
  }

  end(): void {}
}
