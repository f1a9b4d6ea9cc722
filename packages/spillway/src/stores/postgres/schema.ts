/**
 * The tables. Content is bytea; records are JSON in text, whose escapes carry NUL and lone
 * surrogates (text refuses the one, jsonb both). Names are looked up by their SHA-256: a name may
 * be of any length and hold anything, and a key of an index may not. Sizes are bigint, times double
 * precision. Content has no hash while it is being written.
 */
import { SpillwayError } from '@spillway/core/store';
import type { Connection } from './driver.ts';
import { COUNTERS, functions } from './functions.ts';

const VERSION = 8;

const MESSAGES = `
CREATE TABLE @message (
  scope bytea NOT NULL, session bytea NOT NULL, place bigint NOT NULL, id bytea NOT NULL, record text NOT NULL,
  PRIMARY KEY (scope, session, place), UNIQUE (scope, session, id));
CREATE TABLE @summary (
  scope bytea NOT NULL, session bytea NOT NULL, version bigint NOT NULL, record text NOT NULL, PRIMARY KEY (scope, session, version));
`;

const CALLS = `
CREATE TABLE @call_input (
  scope bytea NOT NULL, tool bytea NOT NULL, input text NOT NULL, status text NOT NULL, output bigint PRIMARY KEY);
CREATE INDEX call_input_alike ON @call_input (scope, tool, input, output);
`;

const CITATIONS = `
CREATE TABLE @citation (
  output text NOT NULL, scope bytea NOT NULL, session bytea NOT NULL, PRIMARY KEY (output, scope, session));
`;

const CODECS = `
ALTER TABLE @piece ADD COLUMN codec text;
`;

const WRITING = `
ALTER TABLE @content ADD COLUMN written_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX content_open ON @content (written_at) WHERE hash IS NULL;
`;

/** Characters of the names of a session by which it is found. */
export const NAMES_INDEXED = 300;

const COUNTING = `${COUNTERS}
CREATE INDEX session_scope ON @session (scope, seen_at, seq);
UPDATE @session SET names = regexp_replace(names, '^\\{"id":("(?:[^"\\\\]|\\\\.)*"),"scope":("(?:[^"\\\\]|\\\\.)*")\\}$', '{"scope":\\2,"id":\\1}');
CREATE INDEX session_names ON @session (left(names, ${NAMES_INDEXED}) text_pattern_ops);
`;

const SETTINGS = '';

const STEPS: readonly string[] = [MESSAGES, CALLS, CITATIONS, CODECS, WRITING, COUNTING, SETTINGS];

const TABLES = `
CREATE TABLE @meta (name text PRIMARY KEY, value bigint NOT NULL);
INSERT INTO @meta VALUES ('schema', 1);
CREATE TABLE @content (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, hash text UNIQUE, bytes bigint NOT NULL, refs bigint NOT NULL DEFAULT 0);
CREATE TABLE @piece (
  content bigint NOT NULL REFERENCES @content ON DELETE CASCADE, start_bytes bigint NOT NULL, start_chars bigint NOT NULL,
  start_breaks bigint NOT NULL, bytes bigint NOT NULL, crc bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (content, start_bytes));
CREATE INDEX piece_chars ON @piece (content, start_chars, start_bytes);
CREATE INDEX piece_breaks ON @piece (content, start_breaks, start_bytes);
ALTER TABLE @piece ALTER data SET STORAGE EXTERNAL;
CREATE TABLE @output (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, scope bytea NOT NULL, session bytea NOT NULL,
  tool bytea NOT NULL, call_id bytea, version bigint NOT NULL, likeness text NOT NULL, ended_at double precision NOT NULL,
  disclosed boolean NOT NULL, revoked_at double precision, purged_at double precision, record text);
CREATE INDEX output_call ON @output (scope, session, call_id, seq) WHERE call_id IS NOT NULL;
CREATE INDEX output_all ON @output (scope, seq) WHERE purged_at IS NULL;
CREATE INDEX output_session ON @output (scope, session, seq) WHERE purged_at IS NULL;
CREATE INDEX output_told ON @output (scope, seq) WHERE disclosed AND revoked_at IS NULL;
CREATE TABLE @part (
  output bigint NOT NULL, idx bigint NOT NULL, content bigint NOT NULL REFERENCES @content, PRIMARY KEY (output, idx));
CREATE INDEX part_content ON @part (content);
CREATE TABLE @projection (output bigint NOT NULL, audience text NOT NULL, record text NOT NULL, PRIMARY KEY (output, audience));
CREATE TABLE @session (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope bytea NOT NULL, id bytea NOT NULL, names text NOT NULL,
  opened_at double precision NOT NULL, seen_at double precision NOT NULL, ended_at double precision, UNIQUE (scope, id));
CREATE INDEX session_seen ON @session (seen_at, seq);
CREATE TABLE @event (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at double precision NOT NULL, scope bytea NOT NULL, type text NOT NULL,
  record text NOT NULL);
CREATE INDEX event_scope ON @event (scope, seq);
`;

export async function isCurrent(db: Connection, schema: string): Promise<boolean> {
  const name = `${schema}.meta`;
  const there = await db.get<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', name);
  if (there?.there !== true) return false;
  const { found, oldest } = await versions(db);
  return found === VERSION || (found > VERSION && oldest <= VERSION);
}

async function versions(db: Connection): Promise<Versions> {
  const rows = await db.all<{ name: string; value: number }>('SELECT name, value FROM @meta');
  const value = (name: string) => rows.find((row) => row.name === name)?.value;
  const found = Number(value('schema'));
  return { found, oldest: Number(value('oldest') ?? found), hasTenants: value('tenants') !== undefined };
}

interface Versions {
  readonly found: number;
  readonly oldest: number;
  readonly hasTenants: boolean;
}

/** Creates or upgrades the tables, and refuses a later version. Runs under the store's lock. */
export async function ensureSchema(db: Connection, schema: string): Promise<void> {
  const known = await db.get('SELECT 1 FROM pg_namespace WHERE nspname = $1', unquoted(schema));
  if (known === undefined) await db.run(`CREATE SCHEMA ${schema}`);
  const tables = await db.get(
    "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'",
    unquoted(schema),
  );
  if (tables === undefined) await runAll(db, TABLES);
  const { found, oldest, hasTenants } = await versions(db);
  if (found > VERSION && oldest <= VERSION) return;
  // Triggers need the functions first; functions find their tables when they run.
  if (found <= VERSION) for (const sql of functions(hasTenants)) await db.run(sql);
  for (let version = found; version >= 1 && version < VERSION; version++) {
    await runAll(db, STEPS[version - 1] ?? '');
    await db.run("UPDATE @meta SET value = $1 WHERE name = 'schema'", version + 1);
  }
  if (found >= 1 && found <= VERSION) return;
  throw new SpillwayError(
    'store_unavailable',
    `The schema holds a store of another version (${found}, this one reads ${VERSION}): update Spillway, or name another schema.`,
  );
}

async function runAll(db: Connection, statements: string): Promise<void> {
  for (const sql of statements.split(/;\n/).filter((each) => each.trim())) await db.run(sql);
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function unquoted(identifier: string): string {
  return identifier.slice(1, -1).replaceAll('""', '"');
}
