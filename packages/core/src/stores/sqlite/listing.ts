/**
 * Pages, by keyset: each query walks one index in its own order from where the last page ended and
 * stops after a page. Conditions are put together from constant text only; everything from outside
 * is bound.
 */
import type { LedgerEvent } from '../../model/events.ts';
import type { OutputRecord } from '../../model/output.ts';
import { parseEvent } from '../../model/records.ts';
import type { SessionRecord } from '../../model/session.ts';
import type {
  CallFingerprint,
  EventPage,
  EventQuery,
  OutputQuery,
  Page,
  SessionQuery,
  Usage,
  UsageQuery,
} from '../../model/store.ts';
import { eventPageOf, pageLimit, pageOf, parseCursor } from '../paging.ts';
import { readChecked } from './checked.ts';
import { bytesHeld } from './contents.ts';
import type { Connection, SqliteValue } from './driver.ts';
import { listedRecordOf, type OutputRow } from './records.ts';
import { fromKeyText, keyText } from './schema.ts';

/** A condition and the values it binds; left out when there is nothing to ask. */
type Condition = readonly [sql: string, ...values: SqliteValue[]] | undefined;

export function listOutputs(db: Connection, query: OutputQuery): Page<OutputRecord> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  // Spelled as the partial indexes are, so that they are used.
  // What is purged is no longer disclosed.
  const shown = query.show === 'all' ? 'purged_at IS NULL' : DISCLOSED;
  const conditions: readonly Condition[] = [
    [shown],
    ['output.scope = ?', keyText(query.scope)],
    query.session === undefined ? undefined : ['session = ?', keyText(query.session)],
    query.tool === undefined ? undefined : ['output.tool = ?', keyText(query.tool)],
    before && ['seq < ?', before[0]],
  ];
  const rows =
    query.call === undefined
      ? select<OutputRow>(db, 'SELECT * FROM output', 'seq DESC', limit, conditions)
      : select<OutputRow>(db, ALIKE, 'alike.output DESC', limit, [
          ...conditions,
          ...alike(query.scope, query.call),
        ]);
  return pageOf(rows, limit, (row) => `${row.seq}`, listedRecordOf);
}

const DISCLOSED = 'disclosed = 1 AND revoked_at IS NULL AND purged_at IS NULL';

/**
 * Walked by the index of calls from the newest on, so that a call made ten thousand times costs no
 * more than one made twice.
 */
const ALIKE =
  'SELECT output.* FROM output_call_input AS alike CROSS JOIN output ON output.seq = alike.output';

function alike(scope: string, { tool, input, status }: CallFingerprint): readonly Condition[] {
  return [
    ['alike.scope = ?', keyText(scope)],
    ['alike.tool = ?', keyText(tool)],
    ['alike.input = ?', input],
    status === undefined ? undefined : ['alike.status = ?', status],
  ];
}

export function listEvents(db: Connection, query: EventQuery): EventPage {
  const limit = pageLimit(query.limit);
  const after = parseCursor(query.after);
  const rows = select<EventRow>(db, 'SELECT * FROM event', 'seq', limit, [
    query.scope === undefined ? undefined : ['scope = ?', keyText(query.scope)],
    query.type === undefined ? undefined : ['type = ?', query.type],
    query.since === undefined ? undefined : ['at >= ?', query.since],
    ['seq > ?', Math.max(after?.[0] ?? 0, query.since === undefined ? 0 : lastBefore(db, query.since))],
  ]);
  return eventPageOf(rows, limit, (row) => `${row.seq}`, eventOf);
}

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly scope: string;
  readonly type: LedgerEvent['type'];
  readonly record: string;
}

/** Of a damaged one that much is known. */
function eventOf({ record, at, scope, type }: EventRow): LedgerEvent {
  return readChecked(record, parseEvent) ?? { type, at, scope: fromKeyText(scope) };
}

interface SessionRow {
  readonly seq: number;
  readonly scope: string;
  readonly id: string;
  readonly opened_at: number;
  readonly seen_at: number;
  readonly ended_at: number | null;
}

export function listSessions(db: Connection, query: SessionQuery): Page<SessionRecord> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  const rows = select<SessionRow>(db, 'SELECT * FROM session', 'seen_at DESC, seq DESC', limit, [
    query.show === 'all' ? undefined : ['ended_at IS NULL'],
    query.scope === undefined ? undefined : ['scope = ?', keyText(query.scope)],
    query.below === undefined ? undefined : below(query.below),
    query.idleSince === undefined ? undefined : ['seen_at < ?', query.idleSince],
    before && ['(seen_at, seq) < (?, ?)', ...before],
  ]);
  return pageOf(rows, limit, (row) => `${row.seen_at}.${row.seq}`, sessionOf);
}

/** The key of a name is the name, or its JSON. */
function below(scope: string): Condition {
  const plain = `${scope}:`;
  const quoted = JSON.stringify(plain).slice(0, -1);
  return [
    '(scope = ? OR substr(scope, 1, length(?)) = ? OR substr(scope, 1, length(?)) = ?)',
    keyText(scope),
    ...[plain, plain, quoted, quoted],
  ];
}

export function usage(db: Connection, { scopes }: UsageQuery): Usage {
  const own = scopes === undefined ? 'true' : `scope IN (${scopes.map(() => '?').join(', ')})`;
  const keys = (scopes ?? []).map(keyText);
  const counts = db.get<{ outputs: number; sessions: number; events: number }>(
    `SELECT (SELECT count(*) FROM output WHERE purged_at IS NULL AND ${own}) AS outputs,
            (SELECT count(*) FROM session WHERE ${own}) AS sessions, (SELECT count(*) FROM event WHERE ${own}) AS events`,
    ...keys,
    ...keys,
    ...keys,
  );
  const bytes = scopes === undefined ? bytesHeld(db).kept : bytesOf(db, own, keys);
  return { outputs: 0, sessions: 0, events: 0, ...counts, bytes };
}

/** Bytes of the distinct content that outputs of some scopes refer to. */
function bytesOf(db: Connection, own: string, keys: readonly SqliteValue[]): number {
  const row = db.get<{ bytes: number | null }>(
    `SELECT sum(bytes) AS bytes FROM content WHERE id IN
       (SELECT content FROM output_part WHERE output IN (SELECT seq FROM output WHERE purged_at IS NULL AND ${own}))`,
    ...keys,
  );
  return row?.bytes ?? 0;
}

function select<Row>(
  db: Connection,
  what: string,
  order: string,
  limit: number,
  conditions: readonly Condition[],
): Row[] {
  const given = conditions.filter((condition) => condition !== undefined);
  const where = given.length === 0 ? '' : ` WHERE ${given.map(([sql]) => sql).join(' AND ')}`;
  const values = given.flatMap(([, ...bound]) => bound);
  return db.all<Row>(`${what}${where} ORDER BY ${order} LIMIT ?`, ...values, limit + 1);
}

/**
 * The last event before any that happened at `since` or later. Found by halving: `high` only grows.
 */
function lastBefore(db: Connection, since: number): number {
  let last = 0;
  let end = db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM event')?.seq ?? 0;
  while (last < end) {
    const middle = Math.ceil((last + end) / 2);
    const at = db.get<{ seq: number; high: number }>(
      'SELECT seq, high FROM event WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
      middle,
    );
    if (at === undefined || at.high < since) last = middle;
    else end = at.seq - 1;
  }
  return last;
}

function sessionOf(row: SessionRow): SessionRecord {
  const session = {
    id: fromKeyText(row.id),
    scope: fromKeyText(row.scope),
    openedAt: row.opened_at,
    seenAt: row.seen_at,
  };
  return row.ended_at === null ? session : { ...session, endedAt: row.ended_at };
}
