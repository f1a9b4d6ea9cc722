/**
 * Suspected losses: a cut that nobody followed, where the part that was left out holds a line that speaks of failure, or after which the same call was made again. What was left out is read
 * back from the store, up to a bound; nothing of it is told but that there is such a line.
 */
import { type Projection, type Store, speaksOfFailure } from '@spillway/core';
import type { OutputStory } from './ledger.ts';

/** Bytes of one output that are looked through. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function isSuspectedLoss(store: Store, story: OutputStory): Promise<boolean> {
  if (!story.cut || story.fetches > 0) return false;
  if (story.madeAgain) return true;
  const frozen = await store.frozen(story.id, 'model').catch(() => undefined);
  if (frozen === undefined) return false;
  for (const gap of frozen.projection.metadata.omitted) {
    if (await holdsFailure(store, story, gap)) return true;
  }
  return false;
}

type Gap = Projection['metadata']['omitted'][number];

async function holdsFailure(store: Store, { id }: OutputStory, { part, bytes }: Gap): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  let looked = 0;
  try {
    const { at, pieces } = await store.read(id, part, { bytes: bytes.start });
    let place = at.bytes;
    for await (const piece of pieces) {
      const from = Math.max(0, bytes.start - place);
      const to = Math.max(from, Math.min(piece.length, bytes.end - place));
      const lines = (rest + decoder.decode(piece.subarray(from, to), { stream: true })).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      if (lines.some(speaksOfFailure)) return true;
      place += piece.length;
      looked += to - from;
      if (place >= bytes.end || looked > MOST_BYTES) break;
    }
  } catch {
    // Purged since, or damaged: nothing can be said of it.
    return false;
  }
  return speaksOfFailure(rest);
}
