/**
 * What another inline_limit would have done: the ledger is replayed under each limit that could
 * matter, and the one with which the model would have read least is recommended, if it saves
 * enough. Reading counts what was shown, what was fetched later, and the price of each further
 * call. Chars throughout.
 */
import type { ArtifactId } from '@spillway/core';
import type { OutputTrail } from './ledger.ts';

/**
 * What a further call costs beside what it returns: a turn of the conversation, some 2,000 tokens
 * of thought, call and context that is read again.
 */
const CALL_CHARS = 8_000;
/** Too few cuts say nothing. */
const LEAST_CUTS = 5;
/** Savings below this share of all that was read are noise. */
const LEAST_SAVING = 0.05;
const STEP = 500;

/** A limit with which models would have read less. */
export interface LimitAdvice {
  readonly setting: 'inline_limit';
  /** The limit that is recommended, in chars. */
  readonly value: number;
  /** The limit that most of the cuts were made under. */
  readonly current: number;
  /** Of the cut outputs that were fetched again, the share that would have been shown whole. */
  readonly avoided_share: number;
  /** The share of the cut outputs of which something was fetched later. */
  readonly refetched_share: number;
  /** Chars that models would have read less, fetches included. */
  readonly chars_saved: number;
  /** The outputs that would have been shown whole, instead of being fetched again. */
  readonly evidence: readonly ArtifactId[];
}

/** What the model would have read, under a limit. */
export function replay(trails: readonly OutputTrail[], limit: number): number {
  return trails.reduce((sum, trail) => {
    const shownWhole = trail.chars <= limit;
    const shown = shownWhole ? trail.chars : trail.cut ? Math.min(trail.chars, limit) : (trail.shown ?? 0);
    return sum + shown + (shownWhole ? 0 : trail.fetchedChars + trail.fetches * CALL_CHARS);
  }, 0);
}

/** A better limit for the outputs of one tool, or null if none is clearly better. */
export function recommendLimit(trails: readonly OutputTrail[]): LimitAdvice | null {
  const projected = trails.filter(({ shown }) => shown !== null);
  const cut = projected.filter((trail) => trail.cut);
  const refetched = cut.filter(({ fetches }) => fetches > 0);
  const current = mostCommon(cut.flatMap(({ limit }) => limit ?? []));
  if (cut.length < LEAST_CUTS || refetched.length === 0 || current === undefined) return null;
  const now = replay(projected, current);
  // Only a limit at the size of some output changes anything.
  const candidates = new Set(cut.map(({ chars }) => Math.ceil(chars / STEP) * STEP));
  let best = { value: current, read: now };
  for (const value of candidates) {
    const read = value > current ? replay(projected, value) : Number.POSITIVE_INFINITY;
    if (read < best.read) best = { value, read };
  }
  if (now - best.read < now * LEAST_SAVING) return null;
  const avoided = refetched.filter(({ chars }) => chars <= best.value);
  return {
    setting: 'inline_limit',
    value: best.value,
    current,
    avoided_share: share(avoided.length, refetched.length),
    refetched_share: share(refetched.length, cut.length),
    chars_saved: now - best.read,
    evidence: avoided.map(({ id }) => id),
  };
}

export function mostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
