/**
 * The tables of the store (`tableStatements` of the core) with what PostgreSQL has of its own: names
 * are looked up by their SHA-256, because a name may be of any length and hold anything, and a key of
 * an index may not; content has no hash while it is being written; triggers count its bytes.
 *
 * Functions are one transaction in one round trip. A seal locks its session row, so versions of a call
 * id have one order and sessions do not wait for each other. Positions in the ledger are taken under
 * a lock that writers share; a reader of the ledger takes it alone for a moment to learn which are
 * final. Content rows are locked in the order of their hashes. Conflicts name their constraint, whose
 * columns tenants extend (migrating.ts).
 */
import { otherVersion, SpillwayError, STORE_VERSION, tableStatements } from '@spillway/core/store';
import type { Connection } from './driver.ts';

/** Characters of the names of a session by which it is found. */
export const NAMES_INDEXED = 300;

/** Whether the tables are there. Those of another version are refused. */
export async function isCurrent(db: Connection, schema: string): Promise<boolean> {
  const isMade = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'";
  if ((await db.get(isMade, unquoted(schema))) === undefined) return false;
  const found = await db.get<{ value: number }>("SELECT value FROM @meta WHERE name = 'schema'");
  if (found?.value === STORE_VERSION) return true;
  throw new SpillwayError(
    'store_unavailable',
    `${otherVersion('What the schema holds', found?.value ?? 0)} or name another schema to begin a new store.`,
  );
}

/** Creates the tables where there are none. Runs under the store's lock. */
export async function ensureSchema(db: Connection, schema: string): Promise<void> {
  if (await isCurrent(db, schema)) return;
  const known = await db.get('SELECT 1 FROM pg_namespace WHERE nspname = $1', unquoted(schema));
  if (known === undefined) await db.run(`CREATE SCHEMA ${schema}`);
  for (const sql of STATEMENTS) await db.run(sql);
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function unquoted(identifier: string): string {
  return identifier.slice(1, -1).replaceAll('""', '"');
}

/**
 * Settings of every transaction and function. Names mean PostgreSQL's own: nothing in `public` and no
 * temporary object can take their place. No statement waits long for a lock, which any role can
 * hold. Settings of a connection would be lost behind pgbouncer. Units: milliseconds.
 */
const LOCK_MS = 5_000;
/**
 * How long a transaction waits for its client: shorter, so that waiting transactions get their
 * turn.
 */
const IDLE_MS = 4_000;
const SEARCH_PATH = 'pg_catalog, pg_temp';

export function begin(statementMs: number): string {
  const lockMs = Math.min(LOCK_MS, statementMs);
  return `BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL search_path = ${SEARCH_PATH};
SET LOCAL statement_timeout = ${statementMs};
SET LOCAL lock_timeout = ${lockMs};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;
}

function plpgsql(lockMs = LOCK_MS): string {
  return `LANGUAGE plpgsql SET search_path = ${SEARCH_PATH} SET lock_timeout = ${lockMs}`;
}

/** The tables that writers write to by themselves. */
export const WRITTEN = 'content piece output part session event message summary citation'.split(' ');
const DECIDED_LOCK_MS = 1_000;
/** Shared by writers of events. */
const LEDGER_LOCK = `hashtextextended('spillway ' || @name, 0)`;

const SEAL = `
CREATE OR REPLACE FUNCTION @seal(
  p_id text, p_scope bytea, p_session bytea, p_tool bytea, p_call bytea, p_names text, p_started double precision,
  p_ended double precision, p_alike text, p_disclosed boolean, p_record text, p_audience text, p_projection text,
  p_input text, p_status text, p_hashes text[], p_sizes bigint[], p_contents bigint[],
  p_parts int[], p_starts bigint[], p_chars bigint[], p_breaks bigint[], p_lengths int[], p_crcs bigint[], p_offsets int[],
  p_data bytea, e_at double precision[], e_scope bytea[], e_type text[], e_record text[], e_session bytea[])
RETURNS TABLE (seq bigint, version bigint, record text, disclosed boolean, existing boolean)
${plpgsql()} AS $$
#variable_conflict use_column
DECLARE
  v_seq bigint;
  v_version bigint := 1;
  v_content bigint;
  v_new boolean;
  i int;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${LEDGER_LOCK});
  INSERT INTO @session AS known (scope, id, names, opened_at, seen_at)
    VALUES (p_scope, p_session, p_names, p_started, p_ended)
    ON CONFLICT ON CONSTRAINT session_scope_id_key DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at), ended_at = NULL;
  IF p_call IS NOT NULL THEN
    RETURN QUERY SELECT o.seq, o.version, o.record, o.disclosed, o.id <> p_id FROM @output o
      WHERE o.scope = p_scope AND o.session = p_session AND o.call_id = p_call AND o.fingerprint = p_alike
        AND o.revoked_at IS NULL AND o.purged_at IS NULL ORDER BY o.seq DESC LIMIT 1;
    IF FOUND THEN
      DELETE FROM @content c WHERE c.id = ANY(p_contents) AND c.hash IS NULL;
      RETURN;
    END IF;
    SELECT coalesce(max(o.version), 0) + 1 INTO v_version FROM @output o
      WHERE o.scope = p_scope AND o.session = p_session AND o.call_id = p_call;
  ELSE
    -- The same seal again: its first answer was lost.
    RETURN QUERY SELECT o.seq, o.version, o.record, o.disclosed, false FROM @output o
      WHERE o.id = p_id AND o.scope = p_scope AND o.record = p_record;
    IF FOUND THEN RETURN; END IF;
  END IF;
  INSERT INTO @output (id, scope, session, tool, call_id, version, fingerprint, input, status, ended_at, disclosed,
      record, model, transport, screen)
    VALUES (p_id, p_scope, p_session, p_tool, p_call, v_version, p_alike, p_input, p_status, p_ended, p_disclosed, p_record,
      CASE p_audience WHEN 'model' THEN p_projection END, CASE p_audience WHEN 'transport' THEN p_projection END,
      CASE p_audience WHEN 'screen' THEN p_projection END)
    RETURNING output.seq INTO v_seq;
  FOR i IN SELECT h.place FROM unnest(p_hashes) WITH ORDINALITY AS h (hash, place) ORDER BY h.hash LOOP
    IF p_contents[i] IS NULL THEN
      INSERT INTO @content AS c (hash, bytes, refs) VALUES (p_hashes[i], p_sizes[i], 1)
        ON CONFLICT ON CONSTRAINT content_hash_key DO UPDATE SET refs = c.refs + 1 RETURNING c.id, c.xmax = 0 INTO v_content, v_new;
      IF v_new THEN
        INSERT INTO @piece (content, start_bytes, start_chars, start_breaks, bytes, crc, data)
          SELECT v_content, p.start, p.chars, p.breaks, p.length, p.crc, substring(p_data FROM p.at + 1 FOR p.length)
          FROM unnest(p_parts, p_starts, p_chars, p_breaks, p_lengths, p_crcs, p_offsets)
            AS p (part, start, chars, breaks, length, crc, at) WHERE p.part = i - 1;
      END IF;
    ELSE
      UPDATE @content c SET refs = c.refs + 1 WHERE c.hash = p_hashes[i] RETURNING c.id INTO v_content;
      IF NOT FOUND THEN
        BEGIN
          UPDATE @content c SET hash = p_hashes[i], refs = 1
            WHERE c.id = p_contents[i] AND c.bytes = p_sizes[i] AND c.hash IS NULL RETURNING c.id INTO v_content;
        EXCEPTION WHEN unique_violation THEN
          UPDATE @content c SET refs = c.refs + 1 WHERE c.hash = p_hashes[i] RETURNING c.id INTO v_content;
        END;
        IF v_content IS NULL THEN
          RAISE EXCEPTION 'not every piece is there' USING ERRCODE = 'SPW01';
        END IF;
      END IF;
      DELETE FROM @content c WHERE c.id = p_contents[i] AND c.id <> v_content AND c.hash IS NULL;
    END IF;
    INSERT INTO @part VALUES (v_seq, i - 1, v_content);
  END LOOP;
  PERFORM @note(e_at, e_scope, e_type, e_record, e_session);
  RETURN QUERY SELECT v_seq, v_version, p_record, p_disclosed, false;
END $$`;

const NOTE = `
CREATE OR REPLACE FUNCTION @note(
  e_at double precision[], e_scope bytea[], e_type text[], e_record text[], e_session bytea[])
RETURNS void ${plpgsql()} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${LEDGER_LOCK});
  -- Sessions first and in one order, as everywhere; then places in the ledger.
  UPDATE @session s SET seen_at = greatest(s.seen_at, seen.at)
    FROM (SELECT e.scope, e.session, max(e.at) AS at FROM unnest(e_at, e_scope, e_session) AS e (at, scope, session)
      WHERE e.session IS NOT NULL GROUP BY e.scope, e.session ORDER BY e.scope, e.session) AS seen
    WHERE s.scope = seen.scope AND s.id = seen.session AND s.seen_at < seen.at;
  INSERT INTO @event (at, scope, type, record)
    SELECT e.at, e.scope, e.type, e.record FROM unnest(e_at, e_scope, e_type, e_record)
      WITH ORDINALITY AS e (at, scope, type, record, place) ORDER BY e.place;
END $$`;

/**
 * The position up to which the ledger is final. It gives up sooner than the writers that wait
 * behind it.
 */
const DECIDED = `
CREATE OR REPLACE FUNCTION @decided() RETURNS bigint ${plpgsql(DECIDED_LOCK_MS)} AS $$
BEGIN
  BEGIN
    PERFORM pg_advisory_xact_lock(${LEDGER_LOCK});
  EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION 'a writer has not finished' USING ERRCODE = 'SPW02';
  END;
  RETURN (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM @event_seq_seq);
END $$`;

export async function waitForLocks(db: Connection): Promise<void> {
  await db.run(`SELECT pg_advisory_xact_lock_shared(${LEDGER_LOCK})`);
  await db.run(`LOCK TABLE ${WRITTEN.map((table) => `@${table}`).join(', ')} IN ROW EXCLUSIVE MODE`);
}

/**
 * Bytes held, counted by deferred triggers in the transaction that changes content, so a counter is
 * the last row it locks; each connection uses one of 64, so writers seldom meet. Triggers run as
 * the owner of the tables. Invariant: the sums of `kept` and `open` are the bytes of content with
 * and without a hash.
 */
const COUNTERS: readonly string[] = [
  'CREATE TABLE @counter (shard int PRIMARY KEY, kept bigint NOT NULL, open bigint NOT NULL) WITH (fillfactor = 50)',
  'GRANT SELECT ON @counter TO PUBLIC',
  ...['INSERT', 'DELETE', 'UPDATE'].map(
    (change) => `CREATE CONSTRAINT TRIGGER content_${change.toLowerCase()} AFTER ${change} ON @content
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      ${change === 'UPDATE' ? 'WHEN (OLD.bytes <> NEW.bytes OR OLD.hash IS DISTINCT FROM NEW.hash)' : ''}
      EXECUTE FUNCTION @count_content()`,
  ),
];

/** With tenants, each has counters of its own. */
export function countContent(hasTenants: boolean): readonly string[] {
  const [column, value] = hasTenants ? [', tenant', ', coalesce(NEW.tenant, OLD.tenant)'] : ['', ''];
  return [
    `
CREATE OR REPLACE FUNCTION @count_content() RETURNS trigger SECURITY DEFINER ${plpgsql()} AS $$
DECLARE
  v_kept bigint := 0;
  v_open bigint := 0;
BEGIN
  IF TG_RELID <> (@name || '.content')::regclass THEN
    RAISE EXCEPTION 'counts the content of the store only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.hash IS NULL THEN v_open := NEW.bytes; ELSE v_kept := NEW.bytes; END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    IF OLD.hash IS NULL THEN v_open := v_open - OLD.bytes; ELSE v_kept := v_kept - OLD.bytes; END IF;
  END IF;
  INSERT INTO @counter AS c (shard, kept, open${column}) VALUES (pg_backend_pid() % 64, v_kept, v_open${value})
    ON CONFLICT ON CONSTRAINT counter_pkey DO UPDATE SET kept = c.kept + v_kept, open = c.open + v_open;
  RETURN NULL;
END $$`,
    'REVOKE ALL ON FUNCTION @count_content() FROM PUBLIC',
  ];
}

const STATEMENTS: readonly string[] = [
  ...tableStatements({
    id: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    key: 'bytea',
    data: 'bytea',
    inKeyOrder: '',
    content: ', written_at timestamptz NOT NULL DEFAULT now()',
    session: ', names text NOT NULL',
    event: '',
    pieceOf: ' REFERENCES @content ON DELETE CASCADE',
    partOf: ' REFERENCES @content',
  }),
  'ALTER TABLE @piece ALTER data SET STORAGE EXTERNAL',
  'CREATE INDEX part_content ON @part (content)',
  'CREATE INDEX content_open ON @content (written_at) WHERE hash IS NULL',
  `CREATE INDEX session_names ON @session (left(names, ${NAMES_INDEXED}) text_pattern_ops)`,
  // Triggers need their function first; functions find their tables when they run.
  NOTE,
  SEAL,
  DECIDED,
  ...countContent(false),
  ...COUNTERS,
];
