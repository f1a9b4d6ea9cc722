/**
 * Messages and summaries of sessions, each an append under the lock of the session: several machines
 * get places without gap or repeat.
 */
import {
  type AddMessagesRequest,
  citedBy,
  type MessageQuery,
  type MessageRecord,
  numberMessages,
  type Page,
  pageLimit,
  pageOf,
  parseCursor,
  parseKeptMessage,
  parseSummaryRecord,
  type RetireRequest,
  type SummaryDraft,
  type SummaryQuery,
  type SummaryRecord,
  storedJson,
  storedMessage,
  summaryOutdated,
} from '@spillway/core/store';
import { allOf } from './conditions.ts';
import type { Connection } from './driver.ts';
import { seeSession } from './ledger.ts';
import { keyOf } from './schema.ts';

interface Row {
  readonly place: string;
  readonly record: string;
}

export async function addMessages(
  db: Connection,
  request: AddMessagesRequest,
): Promise<readonly MessageRecord[]> {
  const { scope, session, messages } = request;
  const name = namesOf(request);
  const times = messages.map(({ at }) => at);
  // The row of the session is locked from here on: places have one order.
  if (times.length > 0)
    await seeSession(db, { scope, session, startedAt: Math.min(...times) }, Math.max(...times));
  const last = await db.get<{ last: string | null }>(
    'SELECT max(place) AS last FROM @message WHERE scope = $1 AND session = $2',
    ...name,
  );
  const rows = await db.all<Row>(
    'SELECT place, record FROM @message WHERE scope = $1 AND session = $2 AND id = ANY($3::bytea[])',
    ...name,
    messages.map(({ id }) => keyOf(id)),
  );
  const kept = new Map(rows.map((row) => messageOf(row)).map((record) => [record.id, record]));
  const { records, added } = numberMessages(request, {
    last: Number(last?.last ?? 0),
    find: (id) => kept.get(id),
  });
  if (added.length > 0) await insertMessages(db, name, added);
  return records;
}

async function insertMessages(
  db: Connection,
  name: ReturnType<typeof namesOf>,
  added: readonly MessageRecord[],
): Promise<void> {
  await db.run(
    'INSERT INTO @message SELECT $1, $2, m.* FROM unnest($3::bigint[], $4::bytea[], $5::text[]) AS m',
    ...name,
    added.map(({ ordinal }) => ordinal),
    added.map(({ id }) => keyOf(id)),
    added.map((record) => JSON.stringify(storedMessage(record))),
  );
  const cited = added.flatMap((record) => [...citedBy(record)]);
  if (cited.length > 0)
    await db.run(
      `INSERT INTO @citation SELECT id, $1, $2 FROM @output WHERE id = ANY($3::text[]) AND (scope <> $1 OR session <> $2)
       ON CONFLICT DO NOTHING`,
      ...name,
      cited,
    );
}

export async function listMessages(db: Connection, query: MessageQuery): Promise<Page<MessageRecord>> {
  const limit = pageLimit(query.limit);
  const [cursor] = parseCursor(query.after) ?? [];
  const newest = query.order === 'newest';
  const rows = await db.all<Row>(
    `SELECT place, record FROM @message WHERE scope = $1 AND session = $2 AND place > $3 AND place < $4
     ORDER BY place ${newest ? 'DESC' : 'ASC'} LIMIT ${limit + 1}`,
    ...namesOf(query),
    Math.max(query.above ?? 0, newest ? 0 : (cursor ?? 0)),
    newest ? (cursor ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
  );
  return pageOf(rows, limit, (row) => row.place, messageOf);
}

export async function addSummary(db: Connection, draft: SummaryDraft): Promise<SummaryRecord> {
  // Two machines that add one at once meet here.
  await db.run('SELECT 1 FROM @session WHERE scope = $1 AND id = $2 FOR UPDATE', ...namesOf(draft));
  const last = await db.get<{ last: string | null }>(
    'SELECT max(version) AS last FROM @summary WHERE scope = $1 AND session = $2',
    ...namesOf(draft),
  );
  const latest = Number(last?.last ?? 0);
  if (draft.parent !== latest) throw summaryOutdated(latest);
  const record = { ...draft, version: latest + 1 };
  await db.run(
    'INSERT INTO @summary VALUES ($1, $2, $3, $4)',
    ...namesOf(draft),
    record.version,
    JSON.stringify(record),
  );
  return record;
}

export async function listSummaries(db: Connection, query: SummaryQuery): Promise<Page<SummaryRecord>> {
  const limit = pageLimit(query.limit);
  const [before] = parseCursor(query.after) ?? [Number.MAX_SAFE_INTEGER];
  const rows = await db.all<{ version: string; record: string }>(
    `SELECT version, record FROM @summary WHERE scope = $1 AND session = $2 AND version < $3 ORDER BY version DESC LIMIT ${limit + 1}`,
    ...namesOf(query),
    before,
  );
  return pageOf(
    rows,
    limit,
    (row) => row.version,
    (row) =>
      storedJson(row.record, (value) => parseSummaryRecord(value), `Summary ${row.version} of the session`),
  );
}

/** Messages and summaries of the whole sessions that a purge means. */
export async function purgeMessages(db: Connection, request: RetireRequest): Promise<void> {
  if (request.how !== 'purge' || request.ids !== undefined || request.before !== undefined) return;
  const { sql, values } = allOf([
    ['scope = ?', keyOf(request.scope)],
    request.session === undefined ? undefined : ['session = ?', keyOf(request.session)],
    request.idleSince === undefined
      ? undefined
      : [
          'session IN (SELECT id FROM @session WHERE scope = ? AND seen_at < ?)',
          keyOf(request.scope),
          request.idleSince,
        ],
    request.ended === undefined
      ? undefined
      : [
          'session IN (SELECT id FROM @session WHERE scope = ? AND ended_at IS NOT NULL)',
          keyOf(request.scope),
        ],
  ]);
  for (const table of ['@message', '@summary', '@citation'])
    await db.run(`DELETE FROM ${table} WHERE ${sql}`, ...values);
}

function messageOf({ record }: Row): MessageRecord {
  return storedJson(record, parseKeptMessage, 'A message of the session');
}

function namesOf({ scope, session }: Pick<AddMessagesRequest, 'scope' | 'session'>) {
  return [keyOf(scope), keyOf(session)] as const;
}
