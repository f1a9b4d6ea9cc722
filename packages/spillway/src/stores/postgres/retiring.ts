/**
 * Ends handles and purges records, a bounded number of outputs a transaction. What was retired no
 * longer matches, so a request that was interrupted is finished by giving it again.
 */
import type { ArtifactId, RetireRequest, RetireResult } from '@spillway/core/store';
import { allOf, type Where } from './conditions.ts';
import type { Connection } from './driver.ts';
import { purge } from './purging.ts';
import { keyOf, notCited } from './schema.ts';

const OUTPUTS_A_STEP = 100;
/** The most handles that a preview names, as in the other stores. */
const MOST_PREVIEWED = 1_000;

/** What would be retired. */
export async function previewRetire(db: Connection, request: RetireRequest): Promise<RetireResult> {
  const { sql, values } = outputsMeant(request);
  const found = await db.get<{ outputs: string }>(
    `SELECT count(*) AS outputs FROM @output WHERE ${sql}`,
    ...values,
  );
  const rows = await db.all<{ id: ArtifactId }>(
    `SELECT id FROM @output WHERE ${sql} ORDER BY seq LIMIT ${MOST_PREVIEWED}`,
    ...values,
  );
  const sessions = sessionsMeant(request);
  const ending = await db.get<{ ended: string }>(
    `SELECT count(*) AS ended FROM @session WHERE ended_at IS NULL AND ${sessions.sql}`,
    ...sessions.values,
  );
  const freed = await db.get<{ bytes: string | null }>(
    `SELECT sum(bytes) AS bytes FROM (
       SELECT c.bytes FROM @part p JOIN @content c ON c.id = p.content
       WHERE p.output IN (SELECT seq FROM @output WHERE ${sql}) GROUP BY c.id, c.bytes, c.refs HAVING count(*) = c.refs) AS unshared`,
    ...values,
  );
  return {
    outputs: Number(found?.outputs),
    bytesFreed: request.how === 'retire' ? 0 : Number(freed?.bytes ?? 0),
    sessionsEnded: request.endSession ? Number(ending?.ended) : 0,
    ids: rows.map(({ id }) => id),
  };
}

/** Retires the next few; fewer than a step means that they were the last. */
export async function retireSome(
  db: Connection,
  request: RetireRequest,
): Promise<{ readonly outputs: number; readonly bytesFreed: number; readonly last: boolean }> {
  const { sql, values } = outputsMeant(request);
  const rows = await db.all<{ seq: string }>(
    `SELECT seq FROM @output WHERE ${sql} ORDER BY seq LIMIT ${OUTPUTS_A_STEP}`,
    ...values,
  );
  const seqs = rows.map(({ seq }) => seq);
  // A session that goes on at this moment waits here, and keeps what it cites.
  if (request.ended === true) {
    await db.run(
      `SELECT 1 FROM @session s WHERE s.scope = $1 AND s.id IN (SELECT session FROM @output WHERE seq = ANY($2::bigint[]))
       ORDER BY s.seq FOR UPDATE`,
      keyOf(request.scope),
      seqs,
    );
    const still = await db.all<{ seq: string }>(
      `SELECT seq FROM @output WHERE ${sql} AND seq = ANY($${values.length + 1}::bigint[])`,
      ...values,
      seqs,
    );
    seqs.splice(0, seqs.length, ...still.map(({ seq }) => seq));
  }
  let bytesFreed = 0;
  if (request.how === 'purge') for (const seq of seqs) bytesFreed += await purge(db, seq, request.at);
  else await db.run('UPDATE @output SET revoked_at = $1 WHERE seq = ANY($2::bigint[])', request.at, seqs);
  return { outputs: seqs.length, bytesFreed, last: rows.length < OUTPUTS_A_STEP };
}

/** Returns how many sessions it ended. */
export function endSessions(db: Connection, request: RetireRequest): Promise<number> {
  const { sql, values } = sessionsMeant(request);
  const at = `$${values.length + 1}`;
  return db.run(
    `UPDATE @session SET ended_at = ${at} WHERE ended_at IS NULL AND ${sql}`,
    ...values,
    request.at,
  );
}

/** The outputs a request means and that it has not reached yet. */
function outputsMeant(request: RetireRequest): Where {
  const scope = keyOf(request.scope);
  return allOf([
    ['purged_at IS NULL AND scope = ?', scope],
    request.how === 'retire' ? ['revoked_at IS NULL'] : undefined,
    request.session === undefined ? undefined : ['session = ?', keyOf(request.session)],
    request.before === undefined ? undefined : ['ended_at < ?', request.before],
    request.ids === undefined ? undefined : ['id = ANY(?::text[])', request.ids],
    request.ended
      ? [
          `session IN (SELECT id FROM @session WHERE scope = ? AND ended_at IS NOT NULL) AND ${notCited('output.id')}`,
          scope,
        ]
      : undefined,
    request.idleSince === undefined
      ? undefined
      : ['session IN (SELECT id FROM @session WHERE scope = ? AND seen_at < ?)', scope, request.idleSince],
  ]);
}

function sessionsMeant(request: RetireRequest): Where {
  return allOf([
    ['scope = ?', keyOf(request.scope)],
    request.session === undefined ? undefined : ['id = ?', keyOf(request.session)],
    request.idleSince === undefined ? undefined : ['seen_at < ?', request.idleSince],
  ]);
}
