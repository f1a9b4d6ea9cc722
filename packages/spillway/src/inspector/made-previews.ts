/**
 * Outputs as other settings would show them, with how far the reading is. What was made is kept: the
 * reasons of a result, what other settings would show, and the two sides of a preview ask for the
 * same projections, and a person who changes one side waits for that side only. Those that are
 * missing are made in one reading of the output.
 */
import type { SettingsInput } from '@spillway/core';
import { isShownPart, type PreviewedProjection, readerOf } from '@spillway/core/plugin';
import { type Progress, withProgress } from './answer.ts';
import type { FoundOutput } from './inspected.ts';
import { keepLast, sum } from './rows.ts';

const MOST_KEPT = 32;

interface PreviewWish {
  readonly settings: readonly SettingsInput[];
  /** Settings of this tool apply. */
  readonly tool?: string | undefined;
  readonly signal: AbortSignal;
}

/** Tells the progress now and then, and answers with the projections. */
export async function* madePreviews(
  found: FoundOutput,
  wish: PreviewWish,
): AsyncGenerator<Progress, readonly PreviewedProjection[]> {
  const of = sum(found.record.parts.filter(isShownPart), ({ bytes }) => bytes);
  let done = 0;
  const work = previewsOf(found, wish, (bytes) => {
    done += bytes;
  });
  return yield* withProgress(work, of, () => done);
}

const kept = new Map<string, PreviewedProjection>();

async function previewsOf(
  { record, spillway, store }: FoundOutput,
  { settings, tool, signal }: PreviewWish,
  seen: (bytes: number) => void,
): Promise<readonly PreviewedProjection[]> {
  const frozen = await store.frozen(record.id, 'model');
  const keys = settings.map((policy) => {
    const { policy: inForce } = spillway.explain(tool ?? record.tool, { session: record.session, policy });
    return JSON.stringify([record.id, tool, frozen?.at, inForce]);
  });
  const missing = [...new Set(keys)].filter((key) => !kept.has(key));
  const wanted = missing.map((key) => settings[keys.indexOf(key)] ?? {});
  const options = { signal, seen, ...(tool === undefined ? {} : { tool }) };
  const made = wanted.length === 0 ? [] : await readerOf(spillway).previews(record, wanted, options);
  const fresh = new Map(missing.map((key, i) => [key, made[i] as PreviewedProjection]));
  const all = keys.map((key) => (fresh.get(key) ?? kept.get(key)) as PreviewedProjection);
  for (const [i, key] of keys.entries()) keepLast(kept, key, all[i] as PreviewedProjection, MOST_KEPT);
  return all;
}
