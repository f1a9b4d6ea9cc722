/**
 * Ends handles and purges records, a bounded number of outputs a transaction. What was retired no
 * longer matches, so a request that was interrupted is finished by giving it again.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { RetireRequest, RetireResult } from '../../model/store.ts';
import { MOST_PREVIEWED } from '../paging.ts';
import type { Connection, SqliteValue } from './driver.ts';
import { purge } from './purging.ts';
import { keyText, notCited } from './schema.ts';

const OUTPUTS_A_STEP = 32;

/** What would be retired. */
export function previewRetire(db: Connection, request: RetireRequest): RetireResult {
  const [where, values] = meant(request);
  const { outputs } = db.get<{ outputs: number }>(
    `SELECT count(*) AS outputs FROM output WHERE ${where}`,
    ...values,
  ) ?? { outputs: 0 };
  const rows = db.all<{ id: ArtifactId }>(
    `SELECT id FROM output WHERE ${where} ORDER BY seq LIMIT ${MOST_PREVIEWED}`,
    ...values,
  );
  const ids = rows.map(({ id }) => id);
  const [idle, ending] = sessionsMeant(request);
  const sessions = db.get<{ ended: number }>(
    `SELECT count(*) AS ended FROM session WHERE ended_at IS NULL AND ${idle}`,
    ...ending,
  );
  const sessionsEnded = request.endSession ? (sessions?.ended ?? 0) : 0;
  if (request.how === 'retire') return { outputs, bytesFreed: 0, sessionsEnded, ids };
  const freed = db.get<{ bytes: number | null }>(
    `SELECT sum(bytes) AS bytes FROM (
       SELECT c.bytes FROM output_part p JOIN content c ON c.id = p.content
       WHERE p.output IN (SELECT seq FROM output WHERE ${where}) GROUP BY c.id HAVING count(*) = c.refs)`,
    ...values,
  );
  return { outputs, bytesFreed: freed?.bytes ?? 0, sessionsEnded, ids };
}

/** Returns how many sessions it ended. */
export function endSessions(db: Connection, request: RetireRequest): number {
  if (!request.endSession) return 0;
  const [where, values] = sessionsMeant(request);
  return db.run(`UPDATE session SET ended_at = ? WHERE ended_at IS NULL AND ${where}`, request.at, ...values);
}

/** The next few outputs a request means, and where to go on; without that, they are the last. */
export interface RetireBatch {
  readonly meant: readonly number[];
  readonly last?: number;
}

/**
 * Looks at a bounded number of outputs, however many of them are meant: no look takes long, and
 * none needs the lock.
 */
export function nextBatch(db: Connection, request: RetireRequest, after: number): RetireBatch {
  if (request.ids !== undefined) return batchOfIds(db, request, request.ids, after);
  const [among, bounds] = candidates(request);
  const looked = db.all<{ seq: number }>(
    `SELECT seq FROM output WHERE ${among} AND seq > ? ORDER BY seq LIMIT ?`,
    ...bounds,
    after,
    OUTPUTS_A_STEP,
  );
  const last = looked.at(-1)?.seq;
  if (last === undefined) return { meant: [] };
  const [where, values] = meant(request);
  const rows = db.all<{ seq: number }>(
    `SELECT seq FROM output WHERE ${where} AND seq > ? AND seq <= ? ORDER BY seq`,
    ...values,
    after,
    last,
  );
  return { meant: rows.map(({ seq }) => seq), last };
}

function batchOfIds(
  db: Connection,
  request: RetireRequest,
  ids: readonly ArtifactId[],
  after: number,
): RetireBatch {
  const last = after + OUTPUTS_A_STEP;
  const [where, values] = meant({ ...request, ids: ids.slice(after, last) });
  const rows = db.all<{ seq: number }>(`SELECT seq FROM output WHERE ${where}`, ...values);
  const found = { meant: rows.map(({ seq }) => seq) };
  return last < ids.length ? { ...found, last } : found;
}

/** Retires outputs by their place; one that was retired meanwhile is passed over. */
export function retireSome(
  db: Connection,
  request: RetireRequest,
  seqs: readonly number[],
): Omit<RetireResult, 'sessionsEnded'> {
  let outputs = 0;
  let bytesFreed = 0;
  for (const seq of seqs) {
    const alive = request.how === 'retire' ? 'AND revoked_at IS NULL' : '';
    if (db.get(`SELECT 1 FROM output WHERE seq = ? AND purged_at IS NULL ${alive}`, seq) === undefined)
      continue;
    outputs++;
    if (request.how === 'purge') bytesFreed += purge(db, seq, request.at);
    else db.run('UPDATE output SET revoked_at = ? WHERE seq = ?', request.at, seq);
  }
  return { outputs, bytesFreed };
}

type Condition = readonly [sql: string, ...values: SqliteValue[]];
type Where = readonly [sql: string, values: SqliteValue[]];

/**
 * The outputs among which to look. The plus keeps SQLite from choosing an index by scope where
 * there is one by id.
 */
function candidates(request: RetireRequest): Where {
  const by = request.ids === undefined ? '' : '+';
  const conditions: Condition[] = [['purged_at IS NULL'], [`${by}scope = ?`, keyText(request.scope)]];
  if (request.session !== undefined) conditions.push([`${by}session = ?`, keyText(request.session)]);
  return allOf(conditions);
}

/** The outputs a request means and that it has not reached yet. */
function meant(request: RetireRequest): Where {
  const [among, bounds] = candidates(request);
  const conditions: Condition[] = [[among, ...bounds]];
  if (request.how === 'retire') conditions.push(['revoked_at IS NULL']);
  if (request.before !== undefined) conditions.push(['ended_at < ?', request.before]);
  if (request.ids !== undefined)
    conditions.push(['id IN (SELECT value FROM json_each(?))', JSON.stringify(request.ids)]);
  if (request.ended)
    conditions.push([
      `session IN (SELECT id FROM session WHERE scope = ? AND ended_at IS NOT NULL) AND ${notCited('output.id')}`,
      keyText(request.scope),
    ]);
  if (request.idleSince !== undefined) {
    const idle = 'session IN (SELECT id FROM session WHERE scope = ? AND seen_at < ?)';
    conditions.push([idle, keyText(request.scope), request.idleSince]);
  }
  return allOf(conditions);
}

function sessionsMeant(request: RetireRequest): Where {
  const conditions: Condition[] = [['scope = ?', keyText(request.scope)]];
  if (request.session !== undefined) conditions.push(['id = ?', keyText(request.session)]);
  if (request.idleSince !== undefined) conditions.push(['seen_at < ?', request.idleSince]);
  return allOf(conditions);
}

function allOf(conditions: readonly Condition[]): Where {
  return [conditions.map(([sql]) => sql).join(' AND '), conditions.flatMap(([, ...values]) => values)];
}
