/**
 * Queries written once for every SQL engine, and what two engines do differently. A query is a
 * generator: it yields one statement at a time and gets back its rows, so a synchronous driver
 * (SQLite) and an asynchronous one (PostgreSQL) run the same code. In the text `@name` is a table of
 * the store and `?` the next value; everything from outside is bound.
 */
import type { LedgerEvent } from '../../model/events.ts';
import type { SessionName } from '../../model/session.ts';
import type { RunningOutput } from '../../model/store.ts';

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

/** What a statement may bind; booleans only where the engine has them. */
export type SqlScalar = string | number | boolean | null | Uint8Array;
/** The same, or a list for engines that have arrays. */
export type SqlValue = SqlScalar | readonly SqlScalar[];

/** One statement of a query. */
export interface Statement {
  /** The text, with a `?` for each value. */
  readonly sql: string;
  /** In the order of the marks. */
  readonly values: readonly SqlValue[];
  /** What the query wants back: its rows, or how many rows it changed. */
  readonly wants: 'rows' | 'changes';
}

/** Runs again from the start after a failed transaction, so it changes nothing but the store. */
export type Query<T> = Generator<Statement, T, unknown>;

/** The row type follows from the SQL next to the call. */
export function* all<Row>(sql: string, ...values: SqlValue[]): Query<Row[]> {
  return (yield { sql, values, wants: 'rows' }) as Row[];
}

/** The first row. */
export function* get<Row>(sql: string, ...values: SqlValue[]): Query<Row | undefined> {
  return ((yield { sql, values, wants: 'rows' }) as Row[])[0];
}

/** The number of rows it changed. */
export function* run(sql: string, ...values: SqlValue[]): Query<number> {
  return (yield { sql, values, wants: 'changes' }) as number;
}

/** A query whose answer is known without asking. */
// biome-ignore lint/correctness/useYield: there is nothing to ask
export function* answer<T>(value: T): Query<T> {
  return value;
}

/** A condition and the values it binds; undefined when there is nothing to ask. */
export type Condition = readonly [sql: string, ...values: SqlValue[]] | undefined;

export interface Where {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function allOf(conditions: readonly Condition[]): Where {
  const given = conditions.filter((condition) => condition !== undefined);
  return {
    sql: given.length === 0 ? 'true' : given.map(([sql]) => sql).join(' AND '),
    values: given.flatMap(([, ...bound]) => bound),
  };
}
