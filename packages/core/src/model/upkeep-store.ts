/**
 * The part of a store that lasts: the ledger of what happened, the sessions it knows, and what ends
 * them. Statistics, retention and limits need it; a store without it keeps everything and tells
 * nothing of itself.
 */
import type { ArtifactId } from './artifact.ts';
import type { LedgerEvent } from './events.ts';
import type { Page, Paged, WaitOptions } from './page.ts';
import type { SessionRecord } from './session.ts';

/** What a store knows and does beside keeping. */
export interface UpkeepStore {
  /** Adds to the ledger. */
  note(events: readonly LedgerEvent[], options?: WaitOptions): Promise<void>;
  /** The ledger, oldest first. */
  events(query: EventQuery, options?: WaitOptions): Promise<EventPage>;
  /** Sessions, the one seen last first. */
  sessions(query: SessionQuery, options?: WaitOptions): Promise<Page<SessionRecord>>;
  /** Ends handles or purges outputs; ends a session when asked. */
  retire(request: RetireRequest, options?: WaitOptions): Promise<RetireResult>;
  /**
   * Makes the content of old outputs smaller where it lies, if the store knows how. What is read
   * stays the same.
   */
  archive(request: ArchiveRequest, options?: WaitOptions): Promise<ArchiveResult>;
  /** How much the store holds. */
  usage(query?: UsageQuery, options?: WaitOptions): Promise<Usage>;
}

/** Which events to read. */
export interface EventQuery extends Paged {
  readonly scope?: string;
  readonly since?: number;
  readonly type?: LedgerEvent['type'];
}

/** A page of the ledger, which goes on. */
export interface EventPage extends Page<LedgerEvent> {
  /**
   * Where this page ends. Passed as `after` at any later time, it gives what was noted since.
   * Absent on an empty page.
   */
  readonly end?: string;
}

/** Which sessions to list. */
export interface SessionQuery extends Paged {
  readonly scope?: string;
  /** Only sessions of this scope and of those below it, whose names go on with a colon. */
  readonly below?: string;
  readonly show?: 'open' | 'all';
  /** Only sessions that were last seen before. */
  readonly idleSince?: number;
}

/** Which outputs and sessions are to end, and how. */
export interface RetireRequest {
  /**
   * `retire`: handles end, records stay. `purge`: records and unshared content go, tombstones stay;
   * messages and summaries go with a purge that names neither `ids` nor `before`, which means whole
   * sessions.
   */
  readonly how: 'retire' | 'purge';
  readonly scope: string;
  readonly at: number;
  /** Only these; otherwise all of the scope that the other fields leave. */
  readonly ids?: readonly ArtifactId[];
  readonly session?: string;
  /** Only outputs that ended before. */
  readonly before?: number;
  /** Only outputs of sessions that have ended, and that no open session cites. */
  readonly ended?: true;
  /** Ends the session named, or, with `idleSince`, every session not seen since. */
  readonly endSession?: true;
  readonly idleSince?: number;
  /** Only count what would go. */
  readonly preview?: true;
}

/** What a request ended, or would. */
export interface RetireResult {
  readonly outputs: number;
  /** Bytes of content that no output refers to any more, and which are gone. */
  readonly bytesFreed: number;
  readonly sessionsEnded: number;
  /** Of a preview: the handles that would go, oldest first, the first 1,000 of them. */
  readonly ids?: readonly ArtifactId[];
}

/** Which outputs are old. */
export interface ArchiveRequest {
  readonly scope: string;
  readonly session?: string;
  /** Only outputs that ended before. */
  readonly before: number;
}

/** What archiving did. */
export interface ArchiveResult {
  /** Outputs that were looked at. */
  readonly outputs: number;
  /** Bytes of content that were compressed now, and what they take since. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What to count. */
export interface UsageQuery {
  /** Only what belongs to these scopes; content that they share with others counts whole. */
  readonly scopes?: readonly string[];
}

/** How much a store holds. */
export interface Usage {
  readonly outputs: number;
  /** Bytes of distinct content. */
  readonly bytes: number;
  readonly sessions: number;
  readonly events: number;
}

/**
 * What a store may hold. Only outputs of ended sessions that no open session cites are ever evicted
 * to keep it.
 */
export interface StoreLimits {
  readonly maxBytes?: number;
}
