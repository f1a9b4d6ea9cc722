/**
 * The ledger: what happened to outputs, append-only, numbers and names only. Statistics and recommendations are computed
 * from it. It never holds captured content.
 */
import type { ArtifactId } from './artifact.ts';

/** What can happen to an output or a session. */
export type EventType =
  | 'captured'
  | 'projected'
  | 'fetched'
  | 'reexecuted'
  | 'not_stored'
  | 'session_ended'
  | 'found_idle'
  | 'revoked'
  | 'purged';

/** One thing that happened. */
export interface LedgerEvent {
  readonly type: EventType;
  readonly at: number;
  readonly scope: string;
  readonly session?: string;
  readonly tool?: string;
  readonly output?: ArtifactId;
  /** Sizes, ranges, strategy and policy hash: whatever the type of event needs. */
  readonly data?: Readonly<Record<string, string | number | boolean>>;
}
