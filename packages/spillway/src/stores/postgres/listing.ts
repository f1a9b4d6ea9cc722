/**
 * Pages, by keyset: each query walks one index in its own order from where the last page ended and
 * stops after a page.
 */
import {
  type CallFingerprint,
  type EventPage,
  type EventQuery,
  eventPageOf,
  type OutputQuery,
  type OutputRecord,
  type Page,
  pageLimit,
  pageOf,
  parseCursor,
  parseEvent,
  parseSessionNames,
  type SessionQuery,
  type SessionRecord,
  storedJson,
  type Usage,
  type UsageQuery,
} from '@spillway/core/store';
import { allOf, type Condition, type Where } from './conditions.ts';
import { bytesHeld } from './contents.ts';
import type { Connection } from './driver.ts';
import { type OutputRow, recordOf } from './records.ts';
import { keyOf, NAMES_INDEXED } from './schema.ts';

export async function listOutputs(db: Connection, query: OutputQuery): Promise<Page<OutputRecord>> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  const rows = await select<OutputRow>(db, '@output', 'seq DESC', limit, [
    [query.show === 'all' ? 'purged_at IS NULL' : 'disclosed AND revoked_at IS NULL'],
    ['scope = ?', keyOf(query.scope)],
    query.session === undefined ? undefined : ['session = ?', keyOf(query.session)],
    query.tool === undefined ? undefined : ['tool = ?', keyOf(query.tool)],
    query.call === undefined ? undefined : alike(query.scope, query.call),
    before && ['seq < ?', before[0]],
  ]);
  return pageOf(rows, limit, (row) => row.seq, recordOf);
}

/** Found by the index of its own, however much is stored. */
function alike(scope: string, { tool, input, status }: CallFingerprint): Condition {
  const among = 'SELECT output FROM @call_input WHERE scope = ? AND tool = ? AND input = ?';
  const values = [keyOf(scope), keyOf(tool), input];
  return status === undefined
    ? [`seq IN (${among})`, ...values]
    : [`seq IN (${among} AND status = ?)`, ...values, status];
}

/** Up to which place of the ledger nothing more can come. Waits for writers that are under way. */
export async function decidedEvents(db: Connection): Promise<number> {
  const row = await db.get<{ decided: string }>('SELECT @decided() AS decided');
  return Number(row?.decided);
}

/** A page of the ledger, and whether something behind the place that is decided was left out. */
export interface DecidedPage extends EventPage {
  readonly isCut: boolean;
}

export async function listEvents(db: Connection, query: EventQuery, decided: number): Promise<DecidedPage> {
  const limit = pageLimit(query.limit);
  const after = parseCursor(query.after);
  const found = await select<{ seq: string; record: string }>(db, '@event', 'seq', limit, [
    query.scope === undefined ? undefined : ['scope = ?', keyOf(query.scope)],
    query.type === undefined ? undefined : ['type = ?', query.type],
    query.since === undefined ? undefined : ['at >= ?', query.since],
    after && ['seq > ?', after[0]],
  ]);
  const rows = found.filter(({ seq }) => Number(seq) <= decided);
  const page = eventPageOf(
    rows,
    limit,
    (row) => row.seq,
    (row) => storedJson(row.record, parseEvent, `Event ${row.seq}`),
  );
  return { ...page, isCut: rows.length < found.length };
}

interface SessionRow {
  readonly seq: string;
  readonly names: string;
  readonly opened_at: number;
  readonly seen_at: number;
  readonly ended_at: number | null;
}

export async function listSessions(db: Connection, query: SessionQuery): Promise<Page<SessionRecord>> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  const rows = await select<SessionRow>(db, '@session', 'seen_at DESC, seq DESC', limit, [
    query.show === 'all' ? undefined : ['ended_at IS NULL'],
    query.scope === undefined ? undefined : ['scope = ?', keyOf(query.scope)],
    query.below === undefined ? undefined : below(query.below),
    query.idleSince === undefined ? undefined : ['seen_at < ?', query.idleSince],
    before && ['(seen_at, seq) < (?, ?)', ...before],
  ]);
  return pageOf(rows, limit, (row) => `${row.seen_at}.${row.seq}`, sessionOf);
}

/** By the index of names; those that an earlier release wrote, which begin with the id, one by one. */
function below(scope: string): Condition {
  const named = JSON.stringify(`${scope}:`).slice(0, -1);
  const start = `{"scope":${named}`;
  const indexed = `left(names, ${NAMES_INDEXED})`;
  return [
    `(scope = ? OR (${indexed} LIKE ? AND starts_with(names, ?))
      OR (${indexed} LIKE '{"id":%' AND position(? IN names) > 0))`,
    keyOf(scope),
    `${start.slice(0, NAMES_INDEXED).replace(/[\\%_]/g, '\\$&')}%`,
    start,
    `,"scope":${named}`,
  ];
}

export async function usage(db: Connection, { scopes }: UsageQuery): Promise<Usage> {
  const { sql, values } = allOf([
    scopes === undefined ? undefined : ['scope = ANY(?::bytea[])', scopes.map(keyOf)],
  ]);
  const counts = await db.get<Record<'outputs' | 'sessions' | 'events', string>>(
    `SELECT (SELECT count(*) FROM @output WHERE purged_at IS NULL AND ${sql}) AS outputs,
            (SELECT count(*) FROM @session WHERE ${sql}) AS sessions, (SELECT count(*) FROM @event WHERE ${sql}) AS events`,
    ...values,
  );
  const bytes = scopes === undefined ? (await bytesHeld(db)).kept : await bytesOf(db, { sql, values });
  return {
    outputs: Number(counts?.outputs),
    bytes,
    sessions: Number(counts?.sessions),
    events: Number(counts?.events),
  };
}

/** Bytes of the distinct content that outputs of some scopes refer to. */
async function bytesOf(db: Connection, { sql, values }: Where): Promise<number> {
  const row = await db.get<{ bytes: string | null }>(
    `SELECT sum(bytes) AS bytes FROM @content WHERE id IN (SELECT p.content FROM @part p
       JOIN @output o ON o.seq = p.output WHERE o.purged_at IS NULL AND ${sql})`,
    ...values,
  );
  return Number(row?.bytes ?? 0);
}

function select<Row>(
  db: Connection,
  table: string,
  order: string,
  limit: number,
  conditions: readonly Condition[],
): Promise<Row[]> {
  const { sql, values } = allOf(conditions);
  return db.all<Row>(`SELECT * FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT ${limit + 1}`, ...values);
}

function sessionOf(row: SessionRow): SessionRecord {
  const names = storedJson(row.names, parseSessionNames, 'The name of a session');
  const session = { ...names, openedAt: row.opened_at, seenAt: row.seen_at };
  return row.ended_at === null ? session : { ...session, endedAt: row.ended_at };
}
