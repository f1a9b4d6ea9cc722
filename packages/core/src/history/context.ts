/** What the parts of a history share. */
import type { Spillway } from '../index.ts';
import type { Store } from '../model/store.ts';
import type { TokenCounts } from './counting.ts';
import type { Invariants } from './invariants.ts';

export interface SessionContext {
  readonly spillway: Spillway;
  readonly store: Store;
  readonly invariants: Invariants;
  readonly counts: TokenCounts;
  readonly clock: () => number;
}
