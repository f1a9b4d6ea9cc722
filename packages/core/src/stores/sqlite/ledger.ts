/**
 * Sessions and events: small rows, written inside the transaction of whatever caused them. Times
 * are milliseconds.
 */
import type { LedgerEvent } from '../../model/events.ts';
import type { OutputDraft } from '../../model/output.ts';
import { showsLife } from '../drafting.ts';
import { checkedJson } from './checked.ts';
import type { Connection } from './driver.ts';
import { keyText } from './schema.ts';

export function addEvents(db: Connection, events: readonly LedgerEvent[]): void {
  for (const event of events) {
    const scope = keyText(event.scope);
    const high =
      db.get<{ high: number }>('SELECT high FROM event ORDER BY seq DESC LIMIT 1')?.high ?? event.at;
    db.run(
      'INSERT INTO event (at, high, scope, type, record) VALUES (?, ?, ?, ?, ?)',
      event.at,
      Math.max(high, event.at),
      scope,
      event.type,
      checkedJson(event),
    );
    if (event.session === undefined || !showsLife(event.type)) continue;
    db.run(
      'UPDATE session SET seen_at = ? WHERE scope = ? AND id = ? AND seen_at < ?',
      event.at,
      scope,
      keyText(event.session),
      event.at,
    );
  }
}

/**
 * An output or a message of a session arrived: the session exists, was seen, and if it had ended it
 * goes on.
 */
export function seeSession(
  db: Connection,
  draft: Pick<OutputDraft, 'scope' | 'session' | 'startedAt'>,
  at: number,
): void {
  db.run(
    `INSERT INTO session (scope, id, opened_at, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, id) DO UPDATE SET seen_at = max(seen_at, excluded.seen_at), ended_at = NULL`,
    keyText(draft.scope),
    keyText(draft.session),
    draft.startedAt,
    at,
  );
}
