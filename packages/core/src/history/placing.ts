/**
 * Finds what stands behind each call: the output its result refers to, or one that was recorded under its id although nobody got to say so
 * (a crash in between), or nothing. What was sent before has a frozen projection; the rest shares what the window leaves.
 */
import type { Spillway } from '../index.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection, ProjectionRecord } from '../model/projection.ts';
import type { Store } from '../model/store.ts';
import type { Pair } from './pairing.ts';
import type { SessionName } from './reading.ts';

/** A pair with what is behind it. */
export interface Placed {
  readonly pair: Pair;
  readonly record: OutputRecord | null;
  /** The output that was there and is no longer kept. */
  readonly gone: ArtifactId | null;
  readonly frozen: Projection | null;
}

/** Looks up every pair, in order. */
export async function placeResults(
  store: Pick<Store, 'find' | 'frozen'>,
  name: SessionName,
  pairs: readonly Pair[],
): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (const pair of pairs) {
    const { record, gone } = await behind(store, name, pair);
    const frozen = record === null ? undefined : await store.frozen(record.id, 'model');
    placed.push({ pair, record, gone, frozen: frozen?.projection ?? null });
  }
  return placed;
}

async function behind(
  store: Pick<Store, 'find'>,
  name: SessionName,
  { call, result, shared }: Pair,
): Promise<Pick<Placed, 'record' | 'gone'>> {
  const { scope } = name;
  if (result === null) {
    // An id that several calls share says nothing of whose output it is.
    const found = shared ? undefined : await store.find({ ...name, callId: call.callId });
    return { record: found === undefined || 'purgedAt' in found ? null : found, gone: null };
  }
  const found = await store.find({ scope, id: result.output });
  if (found === undefined || 'purgedAt' in found) return { record: null, gone: result.output };
  return { record: found, gone: null };
}

/** Projects what was not sent yet, within what the window leaves. Nothing is frozen. */
export async function projectFresh(
  spillway: Spillway,
  placed: readonly Placed[],
  window: { readonly tokens: number; readonly used: number } | undefined,
): Promise<ReadonlyMap<Placed, ProjectionRecord>> {
  const fresh = placed.filter(({ record, frozen }) => record !== null && frozen === null);
  const records = fresh.flatMap(({ record }) => record ?? []);
  const made = await spillway.projectTogether(records, window === undefined ? {} : { window });
  return new Map(fresh.flatMap((one, i) => (made[i] === undefined ? [] : [[one, made[i]] as const])));
}
