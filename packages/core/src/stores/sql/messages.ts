/**
 * Messages and summaries of sessions. Each is appended under a lock (of the store, or of the row of
 * the session), so several writers get ordinals without gap or repeat.
 */
import type { MessageRecord } from '../../model/message.ts';
import { parseKeptMessage, parseSummaryRecord, storedMessage } from '../../model/records.ts';
import type { SessionName, SummaryDraft, SummaryRecord } from '../../model/session.ts';
import type {
  AddMessagesRequest,
  MessageQuery,
  Page,
  RetireRequest,
  SummaryQuery,
} from '../../model/store.ts';
import { citedBy, numberMessages } from '../drafting.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';
import { readChecked } from '../records.ts';
import { damaged, summaryOutdated } from '../refusals.ts';
import { all, allOf, type Dialect, get, type Query, run, type SqlScalar } from './dialect.ts';

/** A page of messages ends after this many bytes, even below its limit. */
const PAGE_BYTES = 8 * 1024 * 1024;

interface MessageRow {
  readonly place: number;
  readonly record: string;
}

export function* addMessages(d: Dialect, request: AddMessagesRequest): Query<readonly MessageRecord[]> {
  const { scope, session, messages } = request;
  if (messages.length === 0) return [];
  const names = namesOf(d, request);
  const times = messages.map(({ at }) => at);
  // Locks the session, where the engine has locks on rows.
  yield* d.seeSession({ scope, session, startedAt: Math.min(...times), seenAt: Math.max(...times) });
  const last = yield* get<{ last: number | null }>(
    'SELECT max(place) AS last FROM @message WHERE scope = ? AND session = ?',
    ...names,
  );
  const { sql, values } = allOf([
    ['scope = ? AND session = ?', ...names],
    d.among(
      'id',
      messages.map(({ id }) => d.key(id)),
      'key',
    ),
  ]);
  const rows = yield* all<MessageRow>(`SELECT place, record FROM @message WHERE ${sql}`, ...values);
  const kept = new Map(rows.map(messageOf).map((record) => [record.id, record]));
  const { records, added } = numberMessages(request, {
    last: last?.last ?? 0,
    find: (id) => kept.get(id),
  });
  yield* insertRows(
    d,
    '@message',
    added.map((record) => [...names, record.ordinal, d.key(record.id), d.text(storedMessage(record))]),
  );
  const cited = [...new Set(added.flatMap(citedBy))];
  if (cited.length > 0) yield* cite(d, names, cited);
  return records;
}

/** Remembers outputs of other sessions, which stay as long as this one has not ended. */
function* cite(d: Dialect, names: readonly [SqlScalar, SqlScalar], outputs: readonly string[]): Query<void> {
  const { sql, values } = allOf([d.among('id', outputs, 'text'), ['(scope <> ? OR session <> ?)', ...names]]);
  const found = yield* all<{ id: string }>(`SELECT id FROM @output WHERE ${sql}`, ...values);
  for (const { id } of found)
    yield* run('INSERT INTO @citation VALUES (?, ?, ?) ON CONFLICT DO NOTHING', id, ...names);
}

function* insertRows(d: Dialect, table: string, rows: readonly (readonly SqlScalar[])[]): Query<void> {
  for (let at = 0; at < rows.length; at += d.rowsPerInsert) {
    const some = rows.slice(at, at + d.rowsPerInsert);
    const tuples = some.map((row) => `(${row.map(() => '?').join(', ')})`);
    yield* run(`INSERT INTO ${table} VALUES ${tuples.join(', ')}`, ...some.flat());
  }
}

export function* listMessages(d: Dialect, query: MessageQuery): Query<Page<MessageRecord>> {
  const limit = pageLimit(query.limit);
  const [cursor] = parseCursor(query.after) ?? [];
  const isNewest = query.order === 'newest';
  const order = `ORDER BY place ${isNewest ? 'DESC' : 'ASC'}`;
  const names = namesOf(d, query);
  const found = yield* all<{ place: number; bytes: number }>(
    `SELECT place, length(record) AS bytes FROM @message
     WHERE scope = ? AND session = ? AND place > ? AND place < ? ${order} LIMIT ?`,
    ...names,
    Math.max(query.above ?? 0, isNewest ? 0 : (cursor ?? 0)),
    isNewest ? (cursor ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    limit + 1,
  );
  const shown = fitting(found.slice(0, limit)).map(({ place }) => place);
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return { items: [] };
  const rows = yield* all<MessageRow>(
    `SELECT place, record FROM @message WHERE scope = ? AND session = ? AND place BETWEEN ? AND ? ${order}`,
    ...names,
    Math.min(first, last),
    Math.max(first, last),
  );
  const items = rows.map(messageOf);
  return found.length > items.length ? { items, next: `${last}` } : { items };
}

function fitting<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes;
    return i > 0 && bytes > PAGE_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function messageOf({ place, record }: MessageRow): MessageRecord {
  const message = readChecked(record, parseKeptMessage);
  if (message === undefined) throw damaged(`Message ${place} of the session`);
  return message;
}

export function* addSummary(d: Dialect, draft: SummaryDraft): Query<SummaryRecord> {
  const names = namesOf(d, draft);
  if (d.lock !== '') yield* get(`SELECT 1 FROM @session WHERE scope = ? AND id = ?${d.lock}`, ...names);
  const last = yield* get<{ last: number | null }>(
    'SELECT max(version) AS last FROM @summary WHERE scope = ? AND session = ?',
    ...names,
  );
  const latest = last?.last ?? 0;
  if (draft.parent !== latest) throw summaryOutdated(latest);
  const record = { ...draft, version: latest + 1 };
  yield* run('INSERT INTO @summary VALUES (?, ?, ?, ?)', ...names, record.version, d.text(record));
  return record;
}

export function* listSummaries(d: Dialect, query: SummaryQuery): Query<Page<SummaryRecord>> {
  const limit = pageLimit(query.limit);
  const [before] = parseCursor(query.after) ?? [Number.MAX_SAFE_INTEGER];
  const rows = yield* all<{ version: number; record: string }>(
    `SELECT version, record FROM @summary WHERE scope = ? AND session = ? AND version < ?
     ORDER BY version DESC LIMIT ?`,
    ...namesOf(d, query),
    before,
    limit + 1,
  );
  return pageOf(
    rows,
    limit,
    (row) => `${row.version}`,
    (row) =>
      readChecked(row.record, (value) => parseSummaryRecord(value)) ?? damagedSummary(query, row.version),
  );
}

/** A damaged summary covers no messages; they are all there, and the next version follows it. */
function damagedSummary({ scope, session }: SummaryQuery, version: number): SummaryRecord {
  const nothing = { covers: 0, by: 'extractive', text: '', state: {}, at: 0 } as const;
  return { scope, session, version, parent: version - 1, ...nothing };
}

/** Messages and summaries of the whole sessions that a purge means. */
export function* purgeMessages(d: Dialect, request: RetireRequest): Query<void> {
  if (request.how !== 'purge' || request.ids !== undefined || request.before !== undefined) return;
  const scope = d.key(request.scope);
  const sessions = 'session IN (SELECT id FROM @session WHERE scope = ? AND';
  const { sql, values } = allOf([
    ['scope = ?', scope],
    request.session === undefined ? undefined : ['session = ?', d.key(request.session)],
    request.idleSince === undefined ? undefined : [`${sessions} seen_at < ?)`, scope, request.idleSince],
    request.ended === undefined ? undefined : [`${sessions} ended_at IS NOT NULL)`, scope],
  ]);
  for (const table of ['@message', '@summary', '@citation'])
    yield* run(`DELETE FROM ${table} WHERE ${sql}`, ...values);
}

function namesOf(d: Dialect, { scope, session }: SessionName): readonly [SqlScalar, SqlScalar] {
  return [d.key(scope), d.key(session)];
}
