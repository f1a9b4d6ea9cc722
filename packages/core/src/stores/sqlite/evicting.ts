/**
 * Keeps the store below its limit: purges outputs of ended sessions, oldest first and no more than
 * needed. What a session that has not ended may still cite is never touched. Sizes are bytes.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { LedgerEvent } from '../../model/events.ts';
import { overLimit } from '../refusals.ts';
import { bytesHeld } from './contents.ts';
import type { Connection } from './driver.ts';
import { addEvents } from './ledger.ts';
import { purge } from './purging.ts';
import { fromKeyText, notCited } from './schema.ts';

const OUTPUTS_A_LOOK = 32;

/**
 * Evicts outputs of ended sessions, oldest first, until `wanted` more bytes fit below `maxBytes`.
 */
export function makeRoom(db: Connection, wanted: number, maxBytes: number, now: number): void {
  const { open, kept } = bytesHeld(db);
  let missing = open + kept + wanted - maxBytes;
  while (missing > 0) {
    const victims = evictable(db);
    if (victims.length === 0) throw overLimit(maxBytes);
    for (const victim of victims) {
      if (missing <= 0) return;
      const bytes = purge(db, victim.seq, now);
      missing -= bytes;
      addEvents(db, [evicted(victim, bytes, now)]);
    }
  }
}

interface Victim {
  readonly seq: number;
  readonly id: string;
  readonly scope: string;
  readonly session: string;
  readonly tool: string;
}

function evictable(db: Connection): Victim[] {
  // CROSS JOIN fixes the order: from the ended sessions to their outputs, whatever else the store
  // holds.
  return db.all<Victim>(
    `SELECT o.seq, o.id, o.scope, o.session, o.tool
     FROM session s CROSS JOIN output o ON o.scope = s.scope AND o.session = s.id AND o.purged_at IS NULL
     WHERE s.ended_at IS NOT NULL AND ${notCited('o.id')} ORDER BY o.seq LIMIT ?`,
    OUTPUTS_A_LOOK,
  );
}

function evicted({ id, scope, session, tool }: Victim, bytes: number, at: number): LedgerEvent {
  return {
    type: 'purged',
    at,
    scope: fromKeyText(scope),
    session: fromKeyText(session),
    tool: fromKeyText(tool),
    output: id as ArtifactId,
    data: { reason: 'evicted', bytes },
  };
}
