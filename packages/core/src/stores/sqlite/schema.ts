/**
 * The tables. Canonical bytes are BLOBs, one row a piece, and a piece is a checkpoint; records are JSON text, which escapes NUL
 * and lone surrogates; other text columns only serve look-ups. Every listing has an index in its own order, so a page costs the
 * same however much is stored. `content.state` is 0 while being written, 1 when kept, 2 when nothing refers to it any more.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { Connection } from './driver.ts';

const VERSION = 4;

export const WRITING = 0;
export const KEPT = 1;
export const GARBAGE = 2;

/** Messages and summaries of sessions, the second version of a store. Records are the whole; the other columns only serve look-ups. */
const MESSAGES = `
CREATE TABLE message (
  scope TEXT NOT NULL, session TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL);
CREATE UNIQUE INDEX message_place ON message (scope, session, place);
CREATE UNIQUE INDEX message_id ON message (scope, session, id);
CREATE TABLE summary (scope TEXT NOT NULL, session TEXT NOT NULL, version INTEGER NOT NULL, record TEXT NOT NULL);
CREATE UNIQUE INDEX summary_version ON summary (scope, session, version);
`;

/** What calls were given, so that calls alike are found: the third version. */
const CALLS = `
CREATE TABLE IF NOT EXISTS output_call_input (
  scope TEXT NOT NULL, tool TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL, output INTEGER NOT NULL PRIMARY KEY);
CREATE INDEX IF NOT EXISTS output_call_input_alike ON output_call_input (scope, tool, input, output);
`;

/**
 * Outputs that sessions cite which they did not come from, and pieces that were compressed, the fourth version. A piece whose bytes are in
 * `archived` has none of its own; what deletes a piece deletes both.
 */
const ARCHIVE = `
CREATE TABLE citation (
  output TEXT NOT NULL, scope TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (output, scope, session)) WITHOUT ROWID;
CREATE INDEX citation_session ON citation (scope, session);
CREATE TABLE archived (content INTEGER NOT NULL, start_bytes INTEGER NOT NULL, codec TEXT NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX archived_piece ON archived (content, start_bytes);
CREATE TRIGGER archived_gone AFTER DELETE ON piece WHEN length(OLD.data) = 0
BEGIN DELETE FROM archived WHERE content = OLD.content AND start_bytes = OLD.start_bytes; END;
`;

const TABLES = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('schema', ${VERSION}), ('open_bytes', 0), ('kept_bytes', 0);

-- Ids of content are never used again: a reader that lost its content must not find another's.
CREATE TABLE content (
  id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, hash TEXT, bytes INTEGER NOT NULL, refs INTEGER NOT NULL);
CREATE UNIQUE INDEX content_hash ON content (hash) WHERE hash IS NOT NULL;
CREATE INDEX content_garbage ON content (id) WHERE state = ${GARBAGE};

-- The bytes come last: a checkpoint is read without them.
CREATE TABLE piece (
  content INTEGER NOT NULL, start_bytes INTEGER NOT NULL, start_chars INTEGER NOT NULL, start_breaks INTEGER NOT NULL,
  bytes INTEGER NOT NULL, chars INTEGER NOT NULL, breaks INTEGER NOT NULL, ill_formed INTEGER NOT NULL,
  crc INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX piece_bytes ON piece (content, start_bytes);
CREATE INDEX piece_chars ON piece (content, start_chars, start_bytes);
CREATE INDEX piece_breaks ON piece (content, start_breaks, start_bytes);

-- A purged output keeps its row as a tombstone, without record.
CREATE TABLE output (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  call_id TEXT, version INTEGER NOT NULL, likeness TEXT NOT NULL, ended_at INTEGER NOT NULL, disclosed INTEGER NOT NULL,
  revoked_at INTEGER, purged_at INTEGER, record TEXT);
CREATE INDEX output_call ON output (scope, session, call_id, seq) WHERE call_id IS NOT NULL;
CREATE INDEX output_all ON output (scope, seq) WHERE purged_at IS NULL;
CREATE INDEX output_all_session ON output (scope, session, seq) WHERE purged_at IS NULL;
CREATE INDEX output_all_tool ON output (scope, tool, seq) WHERE purged_at IS NULL;
CREATE INDEX output_told ON output (scope, seq) WHERE disclosed = 1 AND revoked_at IS NULL;
CREATE INDEX output_told_session ON output (scope, session, seq) WHERE disclosed = 1 AND revoked_at IS NULL;
CREATE INDEX output_told_tool ON output (scope, tool, seq) WHERE disclosed = 1 AND revoked_at IS NULL;
CREATE TABLE output_part (
  output INTEGER NOT NULL, idx INTEGER NOT NULL, content INTEGER NOT NULL, PRIMARY KEY (output, idx)) WITHOUT ROWID;
CREATE TABLE projection (output INTEGER NOT NULL, audience TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (output, audience));

CREATE TABLE session (
  seq INTEGER PRIMARY KEY, scope TEXT NOT NULL, id TEXT NOT NULL, opened_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
  ended_at INTEGER, UNIQUE (scope, id));
CREATE INDEX session_all ON session (seen_at, seq);
CREATE INDEX session_all_scope ON session (scope, seen_at, seq);
CREATE INDEX session_open ON session (seen_at, seq) WHERE ended_at IS NULL;
CREATE INDEX session_open_scope ON session (scope, seen_at, seq) WHERE ended_at IS NULL;

-- high is the latest time noted so far: it only grows with seq, so a point in time is found by it.
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, high INTEGER NOT NULL, scope TEXT NOT NULL, type TEXT NOT NULL,
  record TEXT NOT NULL);
CREATE INDEX event_high ON event (high, seq);
CREATE INDEX event_scope ON event (scope, seq);
CREATE INDEX event_type ON event (type, seq);
CREATE INDEX event_scope_type ON event (scope, type, seq);

-- Outputs that are being written, and by whom.
CREATE TABLE draft (
  id TEXT PRIMARY KEY, draft TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, started_at INTEGER NOT NULL,
  instance TEXT NOT NULL, touched_at INTEGER NOT NULL);
CREATE TABLE draft_part (
  draft TEXT NOT NULL, idx INTEGER NOT NULL, spec TEXT NOT NULL, content INTEGER NOT NULL, PRIMARY KEY (draft, idx)) WITHOUT ROWID;
${MESSAGES}${CALLS}${ARCHIVE}`;

/** What brings a store of a version to the next. Tables are only ever added: an older process that has the file open goes on. */
const STEPS: ReadonlyMap<number, string> = new Map([
  [1, MESSAGES],
  [2, CALLS],
  [3, ARCHIVE],
]);

/** Makes the tables where there are none, brings those of an earlier version up to date, and refuses those of a later one. */
export function ensureSchema(db: Connection, file: string): void {
  if (isEmpty(db)) inTransaction(db, createTables);
  else if ((versionOf(db) ?? VERSION) < VERSION) inTransaction(db, upgrade);
  checkVersion(db, file);
}

/** Before anything is changed in it: a database that is not a store of ours stays as it is. */
export function refuseOthers(db: Connection, file: string): void {
  if (!isEmpty(db)) checkVersion(db, file);
}

/** Where nothing can be changed, an earlier version stays one. */
export function refuseEarlier(db: Connection, file: string): void {
  if (versionOf(db) !== VERSION)
    throw new SpillwayError(
      'store_unavailable',
      `${file} was written by an earlier version of Spillway, and cannot be brought up to date where it can only be read: make it writable once, or name another file.`,
    );
}

/** Another process may have come first while this one waited for the lock. */
function createTables(db: Connection): void {
  if (isEmpty(db)) db.exec(TABLES);
}

function upgrade(db: Connection): void {
  for (let version = versionOf(db) ?? VERSION; version < VERSION; version++) {
    db.exec(STEPS.get(version) ?? '');
    db.run("UPDATE meta SET value = ? WHERE name = 'schema'", version + 1);
  }
}

function inTransaction(db: Connection, change: (db: Connection) => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    change(db);
    db.exec('COMMIT');
  } catch (error) {
    db.rollback();
    throw error;
  }
}

function isEmpty(db: Connection): boolean {
  return db.get('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined;
}

function hasMeta(db: Connection): boolean {
  return db.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'") !== undefined;
}

function versionOf(db: Connection): number | undefined {
  return hasMeta(db)
    ? db.get<{ value: number }>("SELECT value FROM meta WHERE name = 'schema'")?.value
    : undefined;
}

/** An earlier version is one that can be brought up to date. */
function checkVersion(db: Connection, file: string): void {
  const found = versionOf(db);
  if (found === VERSION || (found !== undefined && STEPS.has(found))) return;
  throw new SpillwayError(
    'store_unavailable',
    found === undefined
      ? `${file} is a database of something else: name another file.`
      : `${file} was written by a later version of Spillway (store ${found}, this one reads ${VERSION}): update Spillway, or name another file.`,
  );
}

/** That no session which has not ended cites the output. */
export function notCited(id: string): string {
  return `NOT EXISTS (SELECT 1 FROM citation c JOIN session open ON open.scope = c.scope AND open.id = c.session
    WHERE c.output = ${id} AND open.ended_at IS NULL)`;
}

/**
 * Text for a look-up column: as it is where SQLite keeps it exactly, else as JSON. (SQLite stores a lone surrogate as U+FFFD, and
 * some drivers read text only up to a NUL.)
 */
export function keyText(text: string): string {
  const plain = text.isWellFormed() && !text.includes('\0') && !text.startsWith('"');
  return plain ? text : JSON.stringify(text);
}

export function fromKeyText(key: string): string {
  return key.startsWith('"') ? (JSON.parse(key) as string) : key;
}
