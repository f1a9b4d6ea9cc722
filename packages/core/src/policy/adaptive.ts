/**
 * Budgets that follow the context window: as it fills, results get less, shared fairly over a batch
 * by need; never below a stated minimum. Repetitive output uses less than it may; a failed command
 * may get more. Units: a window is counted in tokens, limits in chars.
 */
import { invalidArgument, type SpillwayError } from '../model/errors.ts';
import { MIN_CHARS, type Policy } from '../model/policy.ts';
import { allocate } from '../text/allocate.ts';

/** The context window of the model that will read the results. */
export interface ContextWindow {
  /** Its size in tokens. */
  readonly tokens: number;
  /** How many of them are taken. */
  readonly used: number;
}

/** No result gets less than this because a window is full, unless its own limit is lower. */
export const MIN_ADAPTED_CHARS = 1_000;

/** Of what is free before compaction, the share that one batch of results may take. */
const BATCH_SHARE = 0.5;
/** Chars that a token stands for, on the safe side. */
const CHARS_PER_TOKEN = 3;
const DENSE_CHARS_PER_TOKEN = 1.5;
/** Below this share of distinct lines an output counts as repetitive. */
const REPETITIVE = 0.2;

/** The host's window, or an error: a wrong number would lift every limit. */
export function checkWindow(window: ContextWindow | undefined): void {
  if (window === undefined) return;
  if (window === null || typeof window !== 'object')
    throw wrongWindow('window', 'an object { tokens, used }');
  if (!isAmount(window.tokens, 1)) throw wrongWindow('window.tokens', 'a number of at least 1');
  if (!isAmount(window.used, 0)) throw wrongWindow('window.used', 'a number of at least 0');
}

function isAmount(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= least;
}

function wrongWindow(path: string, what: string): SpillwayError {
  return invalidArgument(`\`${path}\` must be ${what}. Nothing was stored.`);
}

/** The chars that all results of a batch may take together. */
export function batchAllowance(window: ContextWindow, compactAt: number): number {
  const free = Math.max(0, window.tokens * compactAt - window.used);
  return Math.floor(free * CHARS_PER_TOKEN * BATCH_SHARE);
}

export interface ResultFacts {
  readonly limit: number;
  readonly failed: boolean;
  readonly failingFactor: number;
  /** Distinct lines by all lines; 1 where nothing is known. */
  readonly distinct: number;
}

/** The limit when nothing is short: more if it failed, less if it is repetitive. */
export function ownLimit({ limit, failed, failingFactor, distinct }: ResultFacts): number {
  const grown = failed ? Math.floor(limit * failingFactor) : limit;
  return distinct < REPETITIVE ? Math.max(Math.min(grown, MIN_ADAPTED_CHARS), Math.floor(grown / 2)) : grown;
}

/**
 * The same where a request would not fit otherwise: all that is left, for text as dense as it gets.
 */
function lastAllowance(window: ContextWindow, hardAt: number): number {
  return Math.floor(Math.max(0, window.tokens * hardAt - window.used) * DENSE_CHARS_PER_TOKEN);
}

export function atLeastMinimum(share: number, limit: number, minimum = MIN_ADAPTED_CHARS): number {
  return Math.max(Math.min(limit, minimum), Math.min(share, limit));
}

export interface BatchNeed {
  readonly size: number;
  readonly limit: number;
  readonly policy: Pick<Policy, 'compactAt' | 'hardAt'>;
}

/**
 * The chars that each result may have, in order: the room that a window has left is shared over
 * results that are read together, by need. Each gets at least 1,000 chars (or its own limit, if that
 * is lower); with the `lowest` floor as little as a projection can have. Without a window each has its
 * limit.
 */
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
