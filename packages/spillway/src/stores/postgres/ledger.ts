/**
 * Sessions and events: small rows, written inside the transaction of whatever caused them. Times
 * are milliseconds.
 */
import { type LedgerEvent, type OutputDraft, showsLife } from '@spillway/core/store';
import type { Connection, PgValue } from './driver.ts';
import { keyOf } from './schema.ts';

export async function addEvents(db: Connection, events: readonly LedgerEvent[]): Promise<void> {
  if (events.length > 0) await db.run('SELECT @note($1, $2, $3, $4, $5)', ...eventColumns(events));
}

/** Events by column, as the functions take them; the session only where it shows life. */
export function eventColumns(events: readonly LedgerEvent[]): PgValue[] {
  return [
    events.map(({ at }) => at),
    events.map(({ scope }) => keyOf(scope)),
    events.map(({ type }) => type),
    events.map((event) => JSON.stringify(event)),
    events.map(({ session, type }) => (session === undefined || !showsLife(type) ? null : keyOf(session))),
  ];
}

/** The scope first: sessions are found by how it begins. */
export function sessionNames({ scope, session }: Pick<OutputDraft, 'scope' | 'session'>): string {
  return JSON.stringify({ scope, id: session });
}

/**
 * An output or a message of a session arrived: the session exists, was seen, and if it had ended it
 * goes on.
 */
export async function seeSession(
  db: Connection,
  draft: Pick<OutputDraft, 'scope' | 'session' | 'startedAt'>,
  at: number,
): Promise<void> {
  await db.run(
    `INSERT INTO @session AS known (scope, id, names, opened_at, seen_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT ON CONSTRAINT session_scope_id_key DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at), ended_at = NULL`,
    keyOf(draft.scope),
    keyOf(draft.session),
    sessionNames(draft),
    draft.startedAt,
    at,
  );
}
