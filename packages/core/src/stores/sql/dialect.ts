/** What two SQL engines do differently; everything else is in the queries of this folder. */
import type { LedgerEvent } from '../../model/events.ts';
import type { SessionName } from '../../model/session.ts';
import type { RunningOutput } from '../../model/store.ts';
import type { Condition, Query, SqlScalar } from './statement.ts';

/** One engine's side of the shared queries. */
export interface Dialect {
  /** The look-up key of a name (scope, session, tool, call or message id). */
  key(name: string): SqlScalar;
  /** The name of a key; undefined where the key is a digest. */
  nameOf(key: unknown): string | undefined;
  /** Scope and id of a row of `@session`. */
  sessionOf(row: SessionRow): { readonly id: string; readonly scope: string };
  /** A record as the store keeps it. */
  text(record: unknown): string;

  /** That a column holds one of the values. */
  among(column: string, values: readonly SqlScalar[], type: 'text' | 'key' | 'seq'): Condition;
  /** That a session belongs to a scope or to one below it. */
  below(scope: string): Condition;
  /** A join that begins with its left side. */
  readonly join: string;
  /** Before a column that must not choose the index. */
  readonly unindexed: string;
  /** Behind a SELECT whose rows stay as they are until the end of the transaction. */
  readonly lock: string;
  /** Rows that one INSERT adds at most. */
  readonly rowsPerInsert: number;
  /** Selects `open` and `kept`: bytes being written and bytes kept. */
  readonly bytesHeld: string;
  /** Outputs that living processes are writing, where the engine knows them. */
  running?(): Query<readonly RunningOutput[]>;

  /** Adds events to the ledger, in order. */
  addEvents(events: readonly LedgerEvent[]): Query<void>;
  /** The last event before any that happened at `since` or later; 0 if only a scan can tell. */
  lastEventBefore(since: number): Query<number>;
  /** Creates the session, or marks it as seen and reopens it if it had ended. */
  seeSession(session: SeenSession): Query<void>;
  /** Pieces in order from `start` on, at most so many; fewer at the end. */
  pieces(content: number, start: number, most: number): Query<readonly StoredPiece[]>;
  /** Deletes content that nothing refers to any more, at once or later. */
  drop(content: number, bytes: number): Query<void>;
  /** Told once all of a content was archived. */
  archived?(content: number): Query<void>;
}

/** A row of `@session`; how its names are kept is the engine's. */
export interface SessionRow {
  /** Its number in the table. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly opened_at: number;
  /** Milliseconds since 1970. */
  readonly seen_at: number;
  /** Milliseconds since 1970; null while it is open. */
  readonly ended_at: number | null;
}

/** A session that something arrived for. Times are milliseconds since 1970. */
export interface SeenSession extends SessionName {
  /** When what arrived began. */
  readonly startedAt: number;
  /** When it arrived. */
  readonly seenAt: number;
}

/** A piece as it is stored; `pieceBytes` checks it. */
export interface StoredPiece {
  /** Its first byte in the content. */
  readonly start: number;
  /** Its size before compression. */
  readonly bytes: number;
  /** CRC-32 of its bytes before compression. */
  readonly crc: number;
  /** As compressed by `codec`, if that is set; null where the bytes are missing. */
  readonly data: Uint8Array | null;
  /** The name of the codec; null where nothing is compressed. */
  readonly codec: string | null;
  /** Whether the bytes are not in the row. */
  readonly isElsewhere?: boolean;
}

/** Bytes of the pieces that were compressed, before and after. */
export interface ArchiveStep {
  /** Their bytes as they were. */
  readonly before: number;
  /** Their bytes since. */
  readonly after: number;
  /** Where to continue; undefined at the end of the content. */
  readonly next?: number;
}
