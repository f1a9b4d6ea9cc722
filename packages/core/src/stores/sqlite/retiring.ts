/**
 * Ends handles and purges records, a bounded number of outputs a transaction. What was retired no longer matches, so an order that
 * was interrupted is finished by giving it again.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { Retired, RetireOrder } from '../../model/store.ts';
import type { Connection, SqliteValue } from './driver.ts';
import { purge } from './purging.ts';
import { keyText, notCited } from './schema.ts';

const OUTPUTS_A_STEP = 32;

/** What would be retired. */
export function previewRetire(db: Connection, order: RetireOrder): Retired {
  const [where, values] = meant(order);
  const { outputs } = db.get<{ outputs: number }>(
    `SELECT count(*) AS outputs FROM output WHERE ${where}`,
    ...values,
  ) ?? { outputs: 0 };
  const [idle, ending] = sessionsMeant(order);
  const sessions = db.get<{ ended: number }>(
    `SELECT count(*) AS ended FROM session WHERE ended_at IS NULL AND ${idle}`,
    ...ending,
  );
  const sessionsEnded = order.endSession ? (sessions?.ended ?? 0) : 0;
  if (order.how === 'revoke') return { outputs, bytesFreed: 0, sessionsEnded };
  const freed = db.get<{ bytes: number | null }>(
    `SELECT sum(bytes) AS bytes FROM (
       SELECT c.bytes FROM output_part p JOIN content c ON c.id = p.content
       WHERE p.output IN (SELECT seq FROM output WHERE ${where}) GROUP BY c.id HAVING count(*) = c.refs)`,
    ...values,
  );
  return { outputs, bytesFreed: freed?.bytes ?? 0, sessionsEnded };
}

/** Returns how many sessions it ended. */
export function endSessions(db: Connection, order: RetireOrder): number {
  if (!order.endSession) return 0;
  const [where, values] = sessionsMeant(order);
  return db.run(`UPDATE session SET ended_at = ? WHERE ended_at IS NULL AND ${where}`, order.at, ...values);
}

/** The next few outputs an order means, and where to go on; without that, they are the last. */
export interface Stretch {
  readonly meant: readonly number[];
  readonly last?: number;
}

/** Looks at a bounded number of outputs, however many of them are meant: no look takes long, and none needs the lock. */
export function nextStretch(db: Connection, order: RetireOrder, after: number): Stretch {
  if (order.ids !== undefined) return stretchOfIds(db, order, order.ids, after);
  const [among, bounds] = candidates(order);
  const looked = db.all<{ seq: number }>(
    `SELECT seq FROM output WHERE ${among} AND seq > ? ORDER BY seq LIMIT ?`,
    ...bounds,
    after,
    OUTPUTS_A_STEP,
  );
  const last = looked.at(-1)?.seq;
  if (last === undefined) return { meant: [] };
  const [where, values] = meant(order);
  const rows = db.all<{ seq: number }>(
    `SELECT seq FROM output WHERE ${where} AND seq > ? AND seq <= ? ORDER BY seq`,
    ...values,
    after,
    last,
  );
  return { meant: rows.map(({ seq }) => seq), last };
}

function stretchOfIds(
  db: Connection,
  order: RetireOrder,
  ids: readonly ArtifactId[],
  after: number,
): Stretch {
  const last = after + OUTPUTS_A_STEP;
  const [where, values] = meant({ ...order, ids: ids.slice(after, last) });
  const rows = db.all<{ seq: number }>(`SELECT seq FROM output WHERE ${where}`, ...values);
  const found = { meant: rows.map(({ seq }) => seq) };
  return last < ids.length ? { ...found, last } : found;
}

/** Retires outputs by their place; one that was retired meanwhile is passed over. */
export function retireSome(
  db: Connection,
  order: RetireOrder,
  seqs: readonly number[],
): Omit<Retired, 'sessionsEnded'> {
  let outputs = 0;
  let bytesFreed = 0;
  for (const seq of seqs) {
    const revoked = order.how === 'revoke' ? 'AND revoked_at IS NULL' : '';
    if (db.get(`SELECT 1 FROM output WHERE seq = ? AND purged_at IS NULL ${revoked}`, seq) === undefined)
      continue;
    outputs++;
    if (order.how === 'purge') bytesFreed += purge(db, seq, order.at);
    else db.run('UPDATE output SET revoked_at = ? WHERE seq = ?', order.at, seq);
  }
  return { outputs, bytesFreed };
}

type Condition = readonly [sql: string, ...values: SqliteValue[]];
type Where = readonly [sql: string, values: SqliteValue[]];

/** The outputs among which to look. The plus keeps SQLite from choosing an index by scope where there is one by id. */
function candidates(order: RetireOrder): Where {
  const by = order.ids === undefined ? '' : '+';
  const conditions: Condition[] = [['purged_at IS NULL'], [`${by}scope = ?`, keyText(order.scope)]];
  if (order.session !== undefined) conditions.push([`${by}session = ?`, keyText(order.session)]);
  return allOf(conditions);
}

/** The outputs an order means and that it has not reached yet. */
function meant(order: RetireOrder): Where {
  const [among, bounds] = candidates(order);
  const conditions: Condition[] = [[among, ...bounds]];
  if (order.how === 'revoke') conditions.push(['revoked_at IS NULL']);
  if (order.before !== undefined) conditions.push(['ended_at < ?', order.before]);
  if (order.ids !== undefined)
    conditions.push(['id IN (SELECT value FROM json_each(?))', JSON.stringify(order.ids)]);
  if (order.ended)
    conditions.push([
      `session IN (SELECT id FROM session WHERE scope = ? AND ended_at IS NOT NULL) AND ${notCited('output.id')}`,
      keyText(order.scope),
    ]);
  if (order.idleSince !== undefined) {
    const idle = 'session IN (SELECT id FROM session WHERE scope = ? AND seen_at < ?)';
    conditions.push([idle, keyText(order.scope), order.idleSince]);
  }
  return allOf(conditions);
}

function sessionsMeant(order: RetireOrder): Where {
  const conditions: Condition[] = [['scope = ?', keyText(order.scope)]];
  if (order.session !== undefined) conditions.push(['id = ?', keyText(order.session)]);
  if (order.idleSince !== undefined) conditions.push(['seen_at < ?', order.idleSince]);
  return allOf(conditions);
}

function allOf(conditions: readonly Condition[]): Where {
  return [conditions.map(([sql]) => sql).join(' AND '), conditions.flatMap(([, ...values]) => values)];
}
