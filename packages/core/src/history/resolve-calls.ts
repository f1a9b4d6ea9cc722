/**
 * Finds what stands behind each call: the output its result refers to, or one that was recorded
 * under its id although nobody got to say so (a crash in between), or nothing, or something that is
 * damaged. What was sent before has a frozen projection; the rest shares what the window leaves.
 */
import type { Spillway } from '../engine.ts';
import type { About } from '../model/about.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection, ProjectionRecord } from '../model/projection.ts';
import type { SessionContext } from './context.ts';
import type { Synthetic } from './message.ts';
import type { Pair } from './pairing.ts';
import { unlessDamaged } from './read-session.ts';

/** A pair with what is behind it. */
export interface ResolvedCall {
  readonly pair: Pair;
  readonly record: OutputRecord | null;
  /** The output that was there and is no longer kept, or cannot be read. */
  readonly gone: ArtifactId | null;
  readonly why: Exclude<Synthetic, 'missing'> | null;
  readonly frozen: Projection | null;
  /** What stands in its place where it was dropped, because a later call read the same. */
  readonly dropped?: string;
}

/** Whether a message says that an output is the result of some call. */
export type IsRecorded = (output: ArtifactId) => Promise<boolean>;

/** Looks up every pair, in order. */
export async function resolveCalls(
  context: Pick<SessionContext, 'store' | 'name'>,
  pairs: readonly Pair[],
  isRecorded: IsRecorded,
): Promise<ResolvedCall[]> {
  const resolved: ResolvedCall[] = [];
  for (const pair of pairs) {
    const found = await unlessDamaged(async () => {
      const { record, gone } = await behind(context, pair, isRecorded);
      const frozen = record === null ? undefined : await context.store.frozen(record.id, 'model');
      const why = gone === null ? null : whyGone(pair);
      return { pair, record, gone, why, frozen: frozen?.projection ?? null };
    });
    resolved.push(found ?? asDamaged(pair, pair.result?.output ?? null));
  }
  return resolved;
}

function whyGone({ result }: Pair): 'gone' | 'unstored' {
  return result?.unstored === true ? 'unstored' : 'gone';
}

/** What is known of a result that cannot be read. */
export function asDamaged(pair: Pair, gone: ArtifactId | null): ResolvedCall {
  return { pair, record: null, gone, why: gone === null ? null : 'damaged', frozen: null };
}

async function behind(
  { store, name }: Pick<SessionContext, 'store' | 'name'>,
  pair: Pair,
  isRecorded: IsRecorded,
): Promise<Pick<ResolvedCall, 'record' | 'gone'>> {
  const { call, result } = pair;
  if (result === null) {
    const found = await store.find({ ...name, callId: call.callId });
    const own =
      found !== undefined && !('purgedAt' in found) && isOf(found, pair) && !(await isRecorded(found.id));
    return { record: own ? found : null, gone: null };
  }
  const found = await store.find({ scope: name.scope, id: result.output });
  if (found === undefined || 'purgedAt' in found) return { record: null, gone: result.output };
  return { record: found, gone: null };
}

/** Where an id is used again, an output belongs to the last call before it. */
function isOf({ startedAt }: OutputRecord, { from, until, shared }: Pair): boolean {
  return !shared || (startedAt >= from && (until === null || startedAt < until));
}

/** What a window leaves for new results, in tokens, and how little each of them may have. */
export interface FreshRoom {
  readonly tokens: number;
  readonly used: number;
  readonly floor: 'usual' | 'lowest';
}

/** Projects unsent results within the room; null if one is damaged. Nothing is frozen. */
export async function projectFresh(
  spillway: Pick<Spillway, 'projectTogether'>,
  resolved: readonly ResolvedCall[],
  room: FreshRoom | undefined,
  about?: About,
): Promise<ReadonlyMap<ResolvedCall, ProjectionRecord> | null> {
  const fresh = freshOf(resolved);
  const records = fresh.flatMap(({ record }) => record ?? []);
  const made = await unlessDamaged(() =>
    spillway.projectTogether(records, {
      ...(about === undefined ? {} : { about }),
      ...(room === undefined ? {} : { window: room, floor: room.floor }),
    }),
  );
  if (made === null) return null;
  return new Map(fresh.flatMap((one, i) => (made[i] === undefined ? [] : [[one, made[i]] as const])));
}

/** Those of what was not sent yet that cannot be read. */
export async function damagedOf(
  spillway: Pick<Spillway, 'projectTogether'>,
  resolved: readonly ResolvedCall[],
): Promise<ReadonlySet<ResolvedCall>> {
  const damaged = new Set<ResolvedCall>();
  for (const one of freshOf(resolved))
    if ((await projectFresh(spillway, [one], undefined)) === null) damaged.add(one);
  return damaged;
}

function freshOf(resolved: readonly ResolvedCall[]): readonly ResolvedCall[] {
  return resolved.filter(
    ({ record, frozen, dropped }) => record !== null && frozen === null && dropped === undefined,
  );
}
