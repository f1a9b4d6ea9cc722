/** What the parts of a history share. */
import type { Spillway } from '../engine.ts';
import type { Store } from '../model/store.ts';
import type { TokenCounts } from './counting.ts';
import type { Invariants } from './invariants.ts';
import type { SessionLedger } from './session-ledger.ts';

export interface SessionContext {
  readonly spillway: Spillway;
  readonly store: Store;
  readonly invariants: Invariants;
  readonly ledger: SessionLedger;
  readonly counts: TokenCounts;
  readonly clock: () => number;
}
