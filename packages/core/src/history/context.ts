/** What the parts of a history share. */
import type { Spillway } from '../engine.ts';
import type { Store } from '../model/store.ts';
import type { Invariants } from './invariants.ts';
import type { SessionLedger } from './session-ledger.ts';
import type { TokenCounts } from './token-counts.ts';

export interface SessionContext {
  readonly spillway: Spillway;
  readonly store: Store;
  readonly invariants: Invariants;
  readonly ledger: SessionLedger;
  readonly counts: TokenCounts;
  readonly clock: () => number;
}
