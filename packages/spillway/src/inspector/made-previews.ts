/**
 * Outputs as other settings would show them. What was made is kept: the reasons of a result, what
 * other settings would show, and the two sides of a preview ask for the same projections, and a
 * person who changes one side waits for that side only. Those that are missing are made in one
 * reading of the output.
 */
import type { SettingsInput } from '@spillway/core';
import type { PreviewedProjection } from '@spillway/core/plugin';
import type { FoundOutput } from './inspected.ts';

const MOST_KEPT = 32;

interface PreviewWish {
  readonly settings: readonly SettingsInput[];
  /** Settings of this tool apply. */
  readonly tool?: string | undefined;
  readonly signal: AbortSignal;
  /** Told how many bytes have been read. */
  readonly seen?: (bytes: number) => void;
}

const kept = new Map<string, PreviewedProjection>();

export async function madePreviews(
  { record, spillway, store }: FoundOutput,
  { settings, tool, signal, seen }: PreviewWish,
): Promise<readonly PreviewedProjection[]> {
  const frozen = await store.frozen(record.id, 'model');
  const keys = settings.map((policy) => {
    const { policy: inForce } = spillway.explain(tool ?? record.tool, { session: record.session, policy });
    return JSON.stringify([record.id, tool, frozen?.at, inForce]);
  });
  const missing = [...new Set(keys)].filter((key) => !kept.has(key));
  const wanted = missing.map((key) => settings[keys.indexOf(key)] ?? {});
  const options = {
    signal,
    ...(tool === undefined ? {} : { tool }),
    ...(seen === undefined ? {} : { seen }),
  };
  const made = wanted.length === 0 ? [] : await spillway.reader.previews(record, wanted, options);
  const fresh = new Map(missing.map((key, i) => [key, made[i] as PreviewedProjection]));
  const all = keys.map((key) => (fresh.get(key) ?? kept.get(key)) as PreviewedProjection);
  for (const [i, key] of keys.entries()) {
    kept.delete(key);
    kept.set(key, all[i] as PreviewedProjection);
  }
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return all;
}
