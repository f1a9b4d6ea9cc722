/**
 * Suspected losses: a cut of which the model fetched nothing, where a line that surely reports a
 * failure was left out, or after which the same call was made again with the same result. In the
 * output of a failed call every error line counts. Statistics, the inspector and the command use
 * this one detector. Only the number of a line is told, never its text.
 */
import { type ArtifactId, type OutputRecord, type Spillway, SpillwayError } from '@spillway/core';
import { isShownPart, readerOf } from '@spillway/core/plugin';
import type { OutputTrail } from './ledger.ts';

/** Larger outputs are not read for it. */
const MOST_BYTES = 16 * 1024 * 1024;

/** An output of which the model may have missed something. */
export interface SuspectedLoss {
  /** The handle of the output. */
  readonly artifact_id: ArtifactId;
  /** The tool that returned it. */
  readonly tool: string;
  /** The agent's run. */
  readonly session: string;
  /** A failure was left out and never fetched, or the call was made again. */
  readonly why: 'failure_left_out' | 'made_again';
  /** The part of the first omitted line that reports a failure; null where the call was made again. */
  readonly part: string | null;
  /** The number of that line, from 1. */
  readonly line: number | null;
}

/** Why an output is a suspected loss, if it is. It stays so unless the call is made again. */
export type LossReason = Pick<SuspectedLoss, 'why' | 'part' | 'line'> | null;

/** `known`: what was found before, by output. */
export async function suspectedLoss(
  spillway: Spillway,
  trail: OutputTrail,
  known = new Map<string, LossReason>(),
): Promise<SuspectedLoss | null> {
  if (!trail.cut || trail.fetches > 0 || trail.isDismissed) return null;
  const { id, tool, session, madeAgain } = trail;
  const key = `${id} ${madeAgain?.id}`;
  const reason = known.has(key) ? known.get(key) : await unlessGone(reasonOf(spillway, trail));
  known.set(key, reason ?? null);
  return reason ? { artifact_id: id, tool, session, ...reason } : null;
}

async function reasonOf(spillway: Spillway, { id, scope, madeAgain }: OutputTrail): Promise<LossReason> {
  const record = await readerOf(spillway).find({ scope, id });
  const again = madeAgain === null ? null : await readerOf(spillway).find({ scope, id: madeAgain.id });
  if (again !== null && contentOf(again) === contentOf(record))
    return { why: 'made_again', part: null, line: null };
  for (const part of record.parts.filter((one) => isShownPart(one) && one.kind !== 'binary')) {
    if (part.bytes > MOST_BYTES) continue;
    const { errors } = await readerOf(spillway).findings(record, part.index, () => false);
    if (errors.lines.length === 0) continue;
    const frozen = await spillway.store.frozen(id, 'model');
    if (frozen === undefined) return null;
    const { runs } = await readerOf(spillway).view(record, part.index, frozen);
    const leftOut = runs.filter(({ kind }) => kind === 'left_out');
    const line = errors.lines.find((each) =>
      leftOut.some(({ first, last }) => first <= each && each <= last),
    );
    if (line !== undefined) return { why: 'failure_left_out', part: part.name, line };
  }
  return null;
}

/** The same for two outputs that returned the same and ended alike. */
function contentOf({ parts, outcome }: OutputRecord): string {
  const hashes = parts.filter(({ role }) => role === 'content').map(({ hash }) => hash);
  return JSON.stringify([hashes, outcome.status, outcome.exitCode]);
}

/** Null where what is stored was purged or cannot be read. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SpillwayError) return null;
    throw error;
  }
}
