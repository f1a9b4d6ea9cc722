/** What the parts of a history share, and the same for one call that a signal may end. */
import type { Holding } from '../engine/holding.ts';
import type { Spillway } from '../engine.ts';
import type { SessionName } from '../model/session.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { withSignal } from '../stores/with-signal.ts';
import type { Invariants } from './invariants.ts';
import type { SessionLedger } from './session-ledger.ts';
import type { TokenCounts } from './token-counts.ts';

/** What a history asks of a Spillway. */
type SessionSpillway = Pick<
  Spillway,
  | 'explain'
  | 'withoutSecrets'
  | 'record'
  | 'projectTogether'
  | 'freeze'
  | 'contents'
  | 'firstError'
  | 'preview'
  | 'note'
>;

export interface SessionContext {
  readonly name: SessionName;
  readonly spillway: SessionSpillway;
  readonly holding: Holding;
  readonly store: Store;
  readonly invariants: Invariants;
  readonly ledger: SessionLedger;
  readonly counts: TokenCounts;
  readonly clock: () => number;
}

/** The same for one call: reading ends with the signal, recording is always finished. */
export function forCall(context: SessionContext, { signal }: WaitOptions): SessionContext {
  if (signal === undefined) return context;
  signal.throwIfAborted();
  const { spillway } = context;
  const reading: SessionSpillway = {
    explain: (tool, options) => spillway.explain(tool, options),
    withoutSecrets: (message, session, use) => spillway.withoutSecrets(message, session, use),
    record: (call, result, options) => spillway.record(call, result, options),
    projectTogether: (records, options) => spillway.projectTogether(records, { ...options, signal }),
    freeze: (output, projection, mode) => spillway.freeze(output, projection, mode, { signal }),
    contents: (record, index) => spillway.contents(record, index, { signal }),
    firstError: (record) => spillway.firstError(record, { signal }),
    preview: (name, options) => spillway.preview(name, { ...options, signal }),
    note: (event) => spillway.note(event, { signal }),
  };
  return { ...context, spillway: reading, store: withSignal(context.store, signal) };
}
