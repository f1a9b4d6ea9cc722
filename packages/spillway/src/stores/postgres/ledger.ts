/**
 * Sessions and events: small rows, written inside the transaction of whatever caused them. Times
 * are milliseconds.
 */
import { type LedgerEvent, type OutputDraft, showsLife } from '@spillway/core/store';
import type { Connection } from './driver.ts';
import { keyOf } from './schema.ts';

export async function addEvents(db: Connection, events: readonly LedgerEvent[]): Promise<void> {
  for (const event of events) {
    const scope = keyOf(event.scope);
    await db.run(
      'INSERT INTO @event (at, scope, type, record) VALUES ($1, $2, $3, $4)',
      event.at,
      scope,
      event.type,
      JSON.stringify(event),
    );
    if (event.session === undefined || !showsLife(event.type)) continue;
    await db.run(
      'UPDATE @session SET seen_at = greatest(seen_at, $1) WHERE scope = $2 AND id = $3',
      event.at,
      scope,
      keyOf(event.session),
    );
  }
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
     ON CONFLICT (scope, id) DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at), ended_at = NULL`,
    keyOf(draft.scope),
    keyOf(draft.session),
    JSON.stringify({ id: draft.session, scope: draft.scope }),
    draft.startedAt,
    at,
  );
}
