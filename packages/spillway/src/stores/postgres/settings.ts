/**
 * What holds on the server while a statement of ours runs. Names mean PostgreSQL's own: neither what
 * somebody put into `public` nor a temporary object can take their place. Nobody waits long for a
 * lock, which any role of the database can hold. Settings of a connection would be lost behind
 * pgbouncer, so each transaction and each function brings its own. Units: milliseconds.
 */

/** How long a statement waits for a lock. */
const LOCK_MS = 5_000;
/** How long a transaction waits for its client: less, so that whoever waits for it gets its turn. */
const IDLE_MS = 4_000;
const SEARCH_PATH = 'pg_catalog, pg_temp';

/** Begins a transaction, in one round trip. */
export function begin(statementMs: number): string {
  const lockMs = Math.min(LOCK_MS, statementMs);
  return `BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL search_path = ${SEARCH_PATH};
SET LOCAL statement_timeout = ${statementMs};
SET LOCAL lock_timeout = ${lockMs};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;
}

/** What every function of the schema is declared with. */
export function plpgsql(lockMs = LOCK_MS): string {
  return `LANGUAGE plpgsql SET search_path = ${SEARCH_PATH} SET lock_timeout = ${lockMs}`;
}
