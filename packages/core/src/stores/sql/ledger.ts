/** Events, sessions and what a store holds, by keyset pages. Times are milliseconds. */
import type { LedgerEvent } from '../../model/events.ts';
import { parseEvent } from '../../model/records.ts';
import type { SessionRecord } from '../../model/session.ts';
import type { EventPage, EventQuery, Page, SessionQuery, Usage, UsageQuery } from '../../model/store.ts';
import { eventPageOf, pageLimit, pageOf, parseCursor } from '../paging.ts';
import { readChecked } from '../records.ts';
import { damaged } from '../refusals.ts';
import { all, allOf, type Dialect, get, type Query, type SessionRow } from './dialect.ts';

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly scope: unknown;
  readonly type: LedgerEvent['type'];
  readonly record: string;
}

/** A page of the ledger up to a place, and whether something behind that place was left out. */
export function* listEvents(
  d: Dialect,
  query: EventQuery,
  upTo = Number.MAX_SAFE_INTEGER,
): Query<EventPage & { readonly isCut: boolean }> {
  const limit = pageLimit(query.limit);
  const [after = 0] = parseCursor(query.after) ?? [];
  const before = query.since === undefined ? 0 : yield* d.lastEventBefore(query.since);
  const { sql, values } = allOf([
    query.scope === undefined ? undefined : ['scope = ?', d.key(query.scope)],
    query.type === undefined ? undefined : ['type = ?', query.type],
    query.since === undefined ? undefined : ['at >= ?', query.since],
    ['seq > ?', Math.max(after, before)],
  ]);
  const found = yield* all<EventRow>(
    `SELECT * FROM @event WHERE ${sql} ORDER BY seq LIMIT ?`,
    ...values,
    limit + 1,
  );
  const rows = found.filter(({ seq }) => seq <= upTo);
  const page = eventPageOf(
    rows,
    limit,
    (row) => `${row.seq}`,
    (row) => eventOf(d, row),
  );
  return { ...page, isCut: rows.length < found.length };
}

/** A damaged event still has its columns. */
function eventOf(d: Dialect, { seq, record, at, scope: key, type }: EventRow): LedgerEvent {
  const event = readChecked(record, parseEvent);
  if (event !== undefined) return event;
  const scope = d.nameOf(key);
  if (scope === undefined) throw damaged(`Event ${seq}`);
  return { type, at, scope };
}

export function* listSessions(d: Dialect, query: SessionQuery): Query<Page<SessionRecord>> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  const { sql, values } = allOf([
    query.show === 'all' ? undefined : ['ended_at IS NULL'],
    query.scope === undefined ? undefined : ['scope = ?', d.key(query.scope)],
    query.below === undefined ? undefined : d.below(query.below),
    query.idleSince === undefined ? undefined : ['seen_at < ?', query.idleSince],
    before && ['(seen_at, seq) < (?, ?)', ...before],
  ]);
  const rows = yield* all<SessionRow>(
    `SELECT * FROM @session WHERE ${sql} ORDER BY seen_at DESC, seq DESC LIMIT ?`,
    ...values,
    limit + 1,
  );
  return pageOf(
    rows,
    limit,
    (row) => `${row.seen_at}.${row.seq}`,
    (row) => {
      const session = { ...d.sessionOf(row), openedAt: row.opened_at, seenAt: row.seen_at };
      return row.ended_at === null ? session : { ...session, endedAt: row.ended_at };
    },
  );
}

export function* usage(d: Dialect, { scopes }: UsageQuery = {}): Query<Usage> {
  const { sql, values } = allOf([scopes && d.among('scope', scopes.map(d.key), 'key')]);
  const counts = yield* get<{ outputs: number; sessions: number; events: number }>(
    `SELECT (SELECT count(*) FROM @output WHERE purged_at IS NULL AND ${sql}) AS outputs,
       (SELECT count(*) FROM @session WHERE ${sql}) AS sessions,
       (SELECT count(*) FROM @event WHERE ${sql}) AS events`,
    ...values,
    ...values,
    ...values,
  );
  if (scopes === undefined) {
    const running = d.running === undefined ? [] : yield* d.running();
    const bytes = (yield* bytesHeld(d)).kept;
    return { ...NONE, ...counts, bytes, ...(running.length === 0 ? {} : { running }) };
  }
  // Bytes of the distinct content that outputs of these scopes refer to.
  const own = yield* get<{ bytes: number | null }>(
    `SELECT sum(bytes) AS bytes FROM @content WHERE id IN (SELECT content FROM @part
       WHERE output IN (SELECT seq FROM @output WHERE purged_at IS NULL AND ${sql}))`,
    ...values,
  );
  return { ...NONE, ...counts, bytes: own?.bytes ?? 0 };
}

const NONE = { outputs: 0, sessions: 0, events: 0 };

/** Bytes that count against the limit: kept and being written. */
export function* bytesHeld(d: Dialect): Query<{ readonly open: number; readonly kept: number }> {
  const row = yield* get<{ open: number | null; kept: number | null }>(d.bytesHeld);
  return { open: row?.open ?? 0, kept: row?.kept ?? 0 };
}
