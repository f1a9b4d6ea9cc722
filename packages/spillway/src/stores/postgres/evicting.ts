/**
 * Keeps the store below its limit: purges outputs of ended sessions, oldest first and no more than
 * needed. What a session that has not ended may still cite is never touched, nor what belongs to
 * another scope than that which needs the room. Sizes are bytes.
 */
import { overLimit } from '@spillway/core/store';
import { bytesHeld } from './contents.ts';
import type { Connection } from './driver.ts';
import { addEvents } from './ledger.ts';
import { purge } from './purging.ts';
import { type OutputRow, recordOf } from './records.ts';
import { keyOf, notCited } from './schema.ts';

/** What has to fit, for whom, and when. */
export interface Room {
  readonly scope: string;
  readonly wanted: number;
  readonly maxBytes: number;
  readonly at: number;
}

export async function makeRoom(db: Connection, { scope: own, wanted, maxBytes, at }: Room): Promise<void> {
  const { open, kept } = await bytesHeld(db);
  let missing = open + kept + wanted - maxBytes;
  while (missing > 0) {
    const victim = await db.get<OutputRow>(
      `SELECT o.* FROM @session s JOIN @output o ON o.scope = s.scope AND o.session = s.id AND o.purged_at IS NULL
       WHERE s.scope = $1 AND s.ended_at IS NOT NULL AND ${notCited('o.id')} ORDER BY o.seq LIMIT 1`,
      keyOf(own),
    );
    if (victim === undefined) throw overLimit(maxBytes);
    const { id, scope, session, tool } = recordOf(victim);
    const bytes = await purge(db, victim.seq, at);
    missing -= bytes;
    await addEvents(db, [
      { type: 'purged', at, scope, session, tool, output: id, data: { reason: 'evicted', bytes } },
    ]);
  }
}
