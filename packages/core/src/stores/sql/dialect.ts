/** What two SQL engines do differently; everything else is in the queries of this folder. */
import type { LedgerEvent } from '../../model/events.ts';
import type { Extent } from '../../model/extent.ts';
import type { ReadFrom } from '../../model/store.ts';
import type { Codec } from '../codecs.ts';
import type { Condition, Query, SqlScalar } from './statement.ts';

/** One engine's side of the shared queries. */
export interface Dialect {
  /** The look-up key of a name (scope, session, tool, call or message id). */
  key(name: string): SqlScalar;
  /** The name of a key; undefined where the key is a digest. */
  nameOf(key: unknown): string | undefined;
  /** Scope and id of a row of `@session`. */
  sessionOf(row: SessionRow): { readonly id: string; readonly scope: string };
  text(record: unknown): string;

  among(column: string, values: readonly SqlScalar[], type: 'text' | 'key' | 'seq'): Condition;
  /** That a session belongs to a scope or to one below it. */
  below(scope: string): Condition;
  /** That an output is disclosed and in force, spelled like the partial index for it. */
  readonly disclosed: string;
  /** A join that begins with its left side. */
  readonly join: string;
  /** Before a column that must not choose the index. */
  readonly unindexed: string;
  /** Behind a SELECT whose rows stay as they are until the end of the transaction. */
  readonly lock: string;
  readonly rowsPerInsert: number;
  /** Selects `open` and `kept`: bytes being written and bytes kept. */
  readonly bytesHeld: string;

  addEvents(events: readonly LedgerEvent[]): Query<void>;
  /** The last event before any that happened at `since` or later; 0 if only a scan can tell. */
  lastEventBefore(since: number): Query<number>;
  /** Creates the session, or marks it as seen and reopens it if it had ended. */
  seeSession(session: SeenSession): Query<void>;
  /** The start of the last piece that begins at or before a place. */
  checkpoint(content: number, bytes: number, from: ReadFrom): Query<Extent>;
  /** Pieces in order from `start` on, at most so many; fewer at the end. */
  pieces(content: number, start: number, most: number): Query<readonly StoredPiece[]>;
  /** Drops the references of an output to its content; returns the bytes freed. */
  release(output: number): Query<number>;
  /** Compresses the next pieces of a content. */
  archive(content: number, from: number, codec: Codec): Query<ArchiveStep>;
}

/** A row of `@session`; how its names are kept is the engine's. */
export interface SessionRow {
  readonly seq: number;
  readonly opened_at: number;
  readonly seen_at: number;
  readonly ended_at: number | null;
}

/** A session that something arrived for. Times are milliseconds since 1970. */
export interface SeenSession {
  readonly scope: string;
  readonly session: string;
  readonly startedAt: number;
  readonly seenAt: number;
}

/** A piece as it is stored; `pieceBytes` checks it. */
export interface StoredPiece {
  readonly start: number;
  readonly bytes: number;
  readonly crc: number;
  /** As compressed by `codec`, if that is set; null where the bytes are missing. */
  readonly data: Uint8Array | null;
  readonly codec: string | null;
}

/** Bytes of the pieces that were compressed, before and after. */
export interface ArchiveStep {
  readonly before: number;
  readonly after: number;
  /** Where to continue; undefined at the end of the content. */
  readonly next?: number;
}
