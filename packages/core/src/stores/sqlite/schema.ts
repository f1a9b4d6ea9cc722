/**
 * The tables. Canonical bytes are BLOBs, one row a piece, and a piece is a checkpoint; records are
 * JSON text, which escapes NUL and lone surrogates; other text columns only serve look-ups. Every
 * listing has an index in its own order, so a page costs the same however much is stored.
 * `content.state` is 0 while being written, 1 when kept, 2 when nothing refers to it any more.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { Connection } from './driver.ts';

export const WRITING = 0;
export const KEPT = 1;
export const GARBAGE = 2;

/**
 * Version 2: messages and summaries. Records are complete; the other columns only serve look-ups.
 */
const MESSAGES = `
CREATE TABLE message (
  scope TEXT NOT NULL, session TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL);
CREATE UNIQUE INDEX message_place ON message (scope, session, place);
CREATE UNIQUE INDEX message_id ON message (scope, session, id);
CREATE TABLE summary (scope TEXT NOT NULL, session TEXT NOT NULL, version INTEGER NOT NULL, record TEXT NOT NULL);
CREATE UNIQUE INDEX summary_version ON summary (scope, session, version);
`;

/** Version 3: what calls were given, to find calls alike. */
const CALLS = `
CREATE TABLE IF NOT EXISTS output_call_input (
  scope TEXT NOT NULL, tool TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL, output INTEGER NOT NULL PRIMARY KEY);
CREATE INDEX IF NOT EXISTS output_call_input_alike ON output_call_input (scope, tool, input, output);
`;

/**
 * Version 4: outputs that sessions cite without having produced them, and compressed pieces. A
 * piece in `archived` has no bytes of its own; deleting it deletes both.
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

/**
 * Version 5: drops indexes that cost each output a page more than they save. Pieces by chars or
 * lines and events by time are found by bisection, the rest through the next wider index. Large
 * content continues in a file (content-files.ts).
 */
const LEAN = `
DROP INDEX piece_chars;
DROP INDEX piece_breaks;
DROP INDEX output_told_session;
DROP INDEX output_told_tool;
DROP INDEX session_open;
DROP INDEX event_high;
DROP INDEX event_type;
DROP INDEX event_scope_type;
CREATE TABLE content_file (
  content INTEGER PRIMARY KEY, name TEXT NOT NULL, start_bytes INTEGER NOT NULL, removed INTEGER NOT NULL);
CREATE INDEX content_file_removed ON content_file (name) WHERE removed > 0;
`;

const FIRST = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('schema', 1), ('open_bytes', 0), ('kept_bytes', 0);

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
`;

/**
 * Each step upgrades the version before. Steps only add tables and drop indexes, so an older
 * process with the file open can continue.
 */
const STEPS: readonly string[] = [FIRST, MESSAGES, CALLS, ARCHIVE, LEAN];
const VERSION = STEPS.length;

export function ensureSchema(db: Connection, file: string): void {
  if (versionOf(db, file) < VERSION) inTransaction(db, () => upgrade(db, file));
}

/**
 * Refuses a database that is not ours, and one with foreign tables, views or triggers, which would
 * run with our statements. Nothing is read or changed before this.
 */
export function refuseOthers(db: Connection, file: string): void {
  versionOf(db, file);
}

/**
 * Compares the schema in each transaction, since somebody may add a trigger at any time. A later
 * version of Spillway may upgrade the store meanwhile: it adds tables with indexes and drops
 * indexes.
 */
export class SchemaCheck {
  readonly #file: string;
  #known: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  mustBeOurs(db: Connection): void {
    const found = db.get<{ text: string }>('SELECT group_concat(sql) AS text FROM sqlite_schema')?.text;
    if (found === this.#known) return;
    if (!isOfLaterVersion(db)) refuseOthers(db, this.#file);
    this.#known = found;
  }
}

function isOfLaterVersion(db: Connection): boolean {
  const rows = db.all<SchemaRow>('SELECT type, name, tbl_name, sql FROM sqlite_schema').filter(isDeclared);
  const found = new Set(rows.map(({ sql }) => sql ?? ''));
  if ((recordedVersion(db, [...found]) ?? 0) <= VERSION) return false;
  const ours = new Set(declaredBy(VERSION));
  const tables = new Set(rows.filter(({ sql }) => ours.has(sql ?? '')).map((row) => row.tbl_name));
  const isAdded = (row: SchemaRow) => ['table', 'index'].includes(row.type) && !tables.has(row.tbl_name);
  return (
    rows.every((row) => ours.has(row.sql ?? '') || isAdded(row)) &&
    [...ours].every((sql) => found.has(sql) || /^CREATE (UNIQUE )?INDEX /.test(sql))
  );
}

export function refuseEarlier(db: Connection, file: string): void {
  if (versionOf(db, file) !== VERSION)
    throw new SpillwayError(
      'store_unavailable',
      `${file} was written by an earlier version of Spillway, and cannot be brought up to date where it can only be read: make it writable once, or name another file.`,
    );
}

/** Another process may have upgraded it while this one waited for the lock. */
function upgrade(db: Connection, file: string): void {
  for (let version = versionOf(db, file); version < VERSION; version++) {
    db.exec(STEPS[version] ?? '');
    db.run("UPDATE meta SET value = ? WHERE name = 'schema'", version + 1);
  }
}

function inTransaction(db: Connection, change: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    change();
    db.exec('COMMIT');
  } catch (error) {
    db.rollback();
    throw error;
  }
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** 0 for an empty file. The tables must be exactly those of the version. */
function versionOf(db: Connection, file: string): number {
  const rows = db.all<SchemaRow>('SELECT type, name, tbl_name, sql FROM sqlite_schema').filter(isDeclared);
  if (rows.length === 0) return 0;
  const found = rows.map(({ sql }) => sql ?? '').sort();
  const version = STEPS.findLastIndex((_, i) => isDeeplyEqual(found, declaredBy(i + 1))) + 1;
  const recorded = recordedVersion(db, found);
  if (version > 0 && recorded === version) return version;
  throw new SpillwayError('store_unavailable', `${file} ${whatElse(recorded)}`);
}

/** SQLite adds indexes of keys, which have no SQL, and the sequence table. */
function isDeclared({ type, name, sql }: SchemaRow): boolean {
  if (sql === null) return !(type === 'index' && name.startsWith('sqlite_autoindex_'));
  return sql !== 'CREATE TABLE sqlite_sequence(name,seq)';
}

/** The statements as SQLite keeps them: without comments and IF NOT EXISTS. */
function declaredBy(version: number): readonly string[] {
  const known = declared[version];
  if (known !== undefined) return known;
  const statements = STEPS.slice(0, version)
    .join('')
    .split(/;\n/)
    .map((statement) => statement.replace(/^\s*(--.*\n\s*)*/, '').replace('IF NOT EXISTS ', ''));
  const dropped = statements.flatMap((statement) => /^DROP INDEX (\w+)/.exec(statement)?.[1] ?? []);
  declared[version] = statements
    .filter((statement) => statement.startsWith('CREATE'))
    .filter((statement) => !dropped.some((name) => statement.startsWith(`CREATE INDEX ${name} `)))
    .sort();
  return declared[version];
}

const declared: (readonly string[])[] = [];

function isDeeplyEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

/** Undefined if the table `meta` is not ours. */
function recordedVersion(db: Connection, found: readonly string[]): number | undefined {
  const [meta] = declaredBy(VERSION).filter((sql) => sql.startsWith('CREATE TABLE meta '));
  if (meta === undefined || !found.includes(meta)) return undefined;
  return db.get<{ value: number }>("SELECT value FROM meta WHERE name = 'schema'")?.value;
}

function whatElse(recorded: number | undefined): string {
  if (recorded === undefined) return 'is a database of something else: name another file.';
  if (recorded > VERSION)
    return `was written by a later version of Spillway (store ${recorded}, this one reads ${VERSION}): update Spillway, or name another file.`;
  return 'holds tables, views or triggers that Spillway did not make, so somebody changed it: restore it from a copy, or move it away to begin a new one.';
}
