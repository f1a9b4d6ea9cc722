/**
 * Ends handles and purges records, a bounded number of outputs a transaction. What was retired no longer matches, so an order that was interrupted is finished by
 * giving it again.
 */
import type { Retired, RetireOrder } from '@spillway/core';
import { allOf, type Where } from './conditions.ts';
import type { Connection } from './driver.ts';
import { purge } from './purging.ts';
import { keyOf, notCited } from './schema.ts';

const OUTPUTS_A_STEP = 100;

/** What would be retired. */
export async function previewRetire(db: Connection, order: RetireOrder): Promise<Retired> {
  const { sql, values } = outputsMeant(order);
  const found = await db.get<{ outputs: string }>(
    `SELECT count(*) AS outputs FROM @output WHERE ${sql}`,
    ...values,
  );
  const sessions = sessionsMeant(order);
  const ending = await db.get<{ ended: string }>(
    `SELECT count(*) AS ended FROM @session WHERE ended_at IS NULL AND ${sessions.sql}`,
    ...sessions.values,
  );
  const freed = await db.get<{ bytes: string | null }>(
    `SELECT sum(bytes) AS bytes FROM (
       SELECT c.bytes FROM @part p JOIN @content c ON c.id = p.content
       WHERE p.output IN (SELECT seq FROM @output WHERE ${sql}) GROUP BY c.id HAVING count(*) = c.refs) AS unshared`,
    ...values,
  );
  return {
    outputs: Number(found?.outputs),
    bytesFreed: order.how === 'revoke' ? 0 : Number(freed?.bytes ?? 0),
    sessionsEnded: order.endSession ? Number(ending?.ended) : 0,
  };
}

/** Retires the next few; fewer than a step means that they were the last. */
export async function retireSome(
  db: Connection,
  order: RetireOrder,
): Promise<{ readonly outputs: number; readonly bytesFreed: number; readonly last: boolean }> {
  const { sql, values } = outputsMeant(order);
  const rows = await db.all<{ seq: string }>(
    `SELECT seq FROM @output WHERE ${sql} ORDER BY seq LIMIT ${OUTPUTS_A_STEP}`,
    ...values,
  );
  const seqs = rows.map(({ seq }) => seq);
  let bytesFreed = 0;
  if (order.how === 'purge') for (const seq of seqs) bytesFreed += await purge(db, seq, order.at);
  else await db.run('UPDATE @output SET revoked_at = $1 WHERE seq = ANY($2::bigint[])', order.at, seqs);
  return { outputs: seqs.length, bytesFreed, last: seqs.length < OUTPUTS_A_STEP };
}

/** Returns how many sessions it ended. */
export function endSessions(db: Connection, order: RetireOrder): Promise<number> {
  const { sql, values } = sessionsMeant(order);
  const at = `$${values.length + 1}`;
  return db.run(
    `UPDATE @session SET ended_at = ${at} WHERE ended_at IS NULL AND ${sql}`,
    ...values,
    order.at,
  );
}

/** The outputs an order means and that it has not reached yet. */
function outputsMeant(order: RetireOrder): Where {
  const scope = keyOf(order.scope);
  return allOf([
    ['purged_at IS NULL AND scope = ?', scope],
    order.how === 'revoke' ? ['revoked_at IS NULL'] : undefined,
    order.session === undefined ? undefined : ['session = ?', keyOf(order.session)],
    order.before === undefined ? undefined : ['ended_at < ?', order.before],
    order.ids === undefined ? undefined : ['id = ANY(?::text[])', order.ids],
    order.ended
      ? [
          `session IN (SELECT id FROM @session WHERE scope = ? AND ended_at IS NOT NULL) AND ${notCited('output.id')}`,
          scope,
        ]
      : undefined,
    order.idleSince === undefined
      ? undefined
      : ['session IN (SELECT id FROM @session WHERE scope = ? AND seen_at < ?)', scope, order.idleSince],
  ]);
}

function sessionsMeant(order: RetireOrder): Where {
  return allOf([
    ['scope = ?', keyOf(order.scope)],
    order.session === undefined ? undefined : ['id = ?', keyOf(order.session)],
    order.idleSince === undefined ? undefined : ['seen_at < ?', order.idleSince],
  ]);
}
