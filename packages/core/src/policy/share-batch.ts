/**
 * Shares the room that a context window has left over results that are read together, by need. Each
 * result gets at least 1,000 chars (or its own limit, if that is lower); with the `lowest` floor as
 * little as a projection can have. Units: chars.
 */
import { MIN_CHARS, type Policy } from '../model/policy.ts';
import { allocate } from '../text/allocate.ts';
import { atLeastMinimum, batchAllowance, type ContextWindow, lastAllowance } from './adaptive.ts';

/** One of the results: how long it is, and the most it may have. */
export interface BatchNeed {
  readonly size: number;
  readonly limit: number;
  readonly policy: Pick<Policy, 'compactAt' | 'hardAt'>;
}

/** The chars that each result may have, in order. Without a window each has its limit. */
export function shareBatch(
  needs: readonly BatchNeed[],
  window: ContextWindow | undefined,
  floor: 'usual' | 'lowest' = 'usual',
): number[] {
  const isLowest = floor === 'lowest';
  const filledTo = Math.min(1, ...needs.map(({ policy }) => (isLowest ? policy.hardAt : policy.compactAt)));
  const allowance = isLowest ? lastAllowance : batchAllowance;
  const room = window === undefined ? Number.POSITIVE_INFINITY : allowance(window, filledTo);
  const shares = allocate(
    room,
    needs.map(({ size, limit }) => ({ size, limit, preferred: false })),
  );
  return needs.map(({ limit }, i) => atLeastMinimum(shares[i] ?? 0, limit, isLowest ? MIN_CHARS : undefined));
}
