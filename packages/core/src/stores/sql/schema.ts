/**
 * The tables of every SQL store, written once; an engine names its types. Canonical bytes are kept
 * as pieces of at most 64 KB, each with its place and checksum. Records are JSON text, which escapes
 * NUL and lone surrogates; all other columns only serve look-ups. Every listing has an index in its
 * own order, so a page costs the same however much is stored. Sizes are bytes, times milliseconds.
 */

/** The version of these tables. Another one is refused; there is nothing to migrate from. */
export const STORE_VERSION = 10;

/** What engines spell differently. */
export interface TableDialect {
  /** A number of its own for each row, never used again. */
  readonly id: string;
  /** A look-up key of a name. */
  readonly key: string;
  /** Bytes. */
  readonly data: string;
  /** Behind a table that is kept in the order of its key. */
  readonly inKeyOrder: string;
  /** Further columns of `content`. */
  readonly content: string;
  /** Further columns of `session`. */
  readonly session: string;
  /** Further columns of `event`. */
  readonly event: string;
  /** Behind the column of `piece` that names a content. */
  readonly pieceOf: string;
  /** Behind the column of `part` that names a content. */
  readonly partOf: string;
}

/** Statements that make the tables, in order. */
export function tableStatements(d: TableDialect): readonly string[] {
  return `
CREATE TABLE @meta (name text PRIMARY KEY, value bigint NOT NULL)${d.inKeyOrder};
CREATE TABLE @content (
  id ${d.id}, hash text UNIQUE, bytes bigint NOT NULL, refs bigint NOT NULL DEFAULT 0${d.content});
CREATE TABLE @piece (
  content bigint NOT NULL${d.pieceOf}, start_bytes bigint NOT NULL, start_chars bigint NOT NULL,
  start_breaks bigint NOT NULL, bytes bigint NOT NULL, crc bigint NOT NULL, codec text,
  data ${d.data} NOT NULL, PRIMARY KEY (content, start_bytes));
CREATE TABLE @output (
  seq ${d.id}, id text NOT NULL UNIQUE, scope ${d.key} NOT NULL, session ${d.key} NOT NULL,
  tool ${d.key} NOT NULL, call_id ${d.key}, version bigint NOT NULL, fingerprint text NOT NULL,
  input text, status text NOT NULL, ended_at double precision NOT NULL, disclosed boolean NOT NULL,
  revoked_at double precision, purged_at double precision, record text,
  model text, transport text, screen text);
CREATE INDEX output_call ON @output (scope, session, call_id, seq) WHERE call_id IS NOT NULL;
CREATE INDEX output_scope ON @output (scope, seq) WHERE purged_at IS NULL;
CREATE INDEX output_session ON @output (scope, session, seq) WHERE purged_at IS NULL;
CREATE INDEX output_disclosed ON @output (scope, seq)
  WHERE disclosed AND revoked_at IS NULL AND purged_at IS NULL;
CREATE INDEX output_input ON @output (scope, tool, input, seq)
  WHERE input IS NOT NULL AND purged_at IS NULL;
CREATE TABLE @part (
  output bigint NOT NULL, idx bigint NOT NULL, content bigint NOT NULL${d.partOf},
  PRIMARY KEY (output, idx))${d.inKeyOrder};
CREATE TABLE @session (
  seq ${d.id}, scope ${d.key} NOT NULL, id ${d.key} NOT NULL${d.session},
  opened_at double precision NOT NULL, seen_at double precision NOT NULL,
  ended_at double precision, UNIQUE (scope, id));
CREATE INDEX session_seen ON @session (seen_at, seq);
CREATE INDEX session_scope ON @session (scope, seen_at, seq);
CREATE TABLE @event (
  seq ${d.id}, at double precision NOT NULL${d.event}, scope ${d.key} NOT NULL, type text NOT NULL,
  record text NOT NULL);
CREATE INDEX event_scope ON @event (scope, seq);
CREATE TABLE @message (
  scope ${d.key} NOT NULL, session ${d.key} NOT NULL, place bigint NOT NULL, id ${d.key} NOT NULL,
  record text NOT NULL, PRIMARY KEY (scope, session, place), UNIQUE (scope, session, id));
CREATE TABLE @summary (
  scope ${d.key} NOT NULL, session ${d.key} NOT NULL, version bigint NOT NULL, record text NOT NULL,
  PRIMARY KEY (scope, session, version));
CREATE TABLE @citation (
  output text NOT NULL, scope ${d.key} NOT NULL, session ${d.key} NOT NULL,
  PRIMARY KEY (output, scope, session))${d.inKeyOrder};
INSERT INTO @meta VALUES ('schema', ${STORE_VERSION})`
    .trim()
    .split(';\n');
}

/** Says that the tables are of another version, and what to do. Nothing was changed. */
export function otherVersion(what: string, found: number): string {
  return `${what} was written by ${found > STORE_VERSION ? 'a later' : 'an earlier'} version of Spillway (store ${found}, this one reads ${STORE_VERSION}), and was left as it is. Go on with that version,`;
}
