/**
 * Messages and summaries of sessions, each an append under the lock of the store: several processes
 * get places without gap or repeat.
 */
import type { MessageRecord } from '../../model/message.ts';
import { parseKeptMessage, parseSummaryRecord, storedMessage } from '../../model/records.ts';
import type {
  AddMessagesRequest,
  MessageQuery,
  Page,
  RetireRequest,
  SummaryQuery,
} from '../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../model/summary.ts';
import { citedBy, numberMessages } from '../number-messages.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';
import { summaryOutdated } from '../refusals.ts';
import { checkedJson, damaged, readChecked } from './checked.ts';
import type { Connection } from './driver.ts';
import { seeSession } from './ledger.ts';
import { keyText } from './schema.ts';

/** Bytes after which a page of messages ends, however many it may have: records are read whole. */
const PAGE_BYTES = 8 * 1024 * 1024;

type Name = Pick<AddMessagesRequest, 'scope' | 'session'>;

export function addMessages(db: Connection, request: AddMessagesRequest): readonly MessageRecord[] {
  const name = namesOf(request);
  const last = db.get<{ last: number | null }>(
    'SELECT max(place) AS last FROM message WHERE scope = ? AND session = ?',
    ...name,
  );
  const { records, added } = numberMessages(request, {
    last: last?.last ?? 0,
    find: (id) =>
      messageOf(
        db.get<MessageRow>(
          'SELECT place, record FROM message WHERE scope = ? AND session = ? AND id = ?',
          ...name,
          keyText(id),
        ),
      ),
  });
  for (const record of added) {
    db.run(
      'INSERT INTO message VALUES (?, ?, ?, ?, ?)',
      ...name,
      record.ordinal,
      keyText(record.id),
      checkedJson(storedMessage(record)),
    );
  }
  for (const record of added) for (const output of citedBy(record)) cite(db, name, output);
  const { scope, session } = request;
  for (const { at } of request.messages) seeSession(db, { scope, session, startedAt: at }, at);
  return records;
}

/** Remembers an output of another session, so that it stays as long as this one goes on. */
function cite(db: Connection, [scope, session]: readonly [string, string], output: string): void {
  db.run(
    `INSERT OR IGNORE INTO citation SELECT id, ?1, ?2 FROM output WHERE id = ?3 AND (scope <> ?1 OR session <> ?2)`,
    scope,
    session,
    output,
  );
}

interface MessageRow {
  readonly place: number;
  readonly record: string;
}

export function listMessages(db: Connection, query: MessageQuery): Page<MessageRecord> {
  const limit = pageLimit(query.limit);
  const [cursor] = parseCursor(query.after) ?? [];
  const newest = query.order === 'newest';
  const above = Math.max(query.above ?? 0, newest ? 0 : (cursor ?? 0));
  const below = newest ? (cursor ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  const found = db.all<{ place: number; bytes: number }>(
    `SELECT place, length(record) AS bytes FROM message WHERE scope = ? AND session = ? AND place > ? AND place < ?
     ORDER BY place ${newest ? 'DESC' : ''} LIMIT ?`,
    ...namesOf(query),
    above,
    below,
    limit + 1,
  );
  const shown = fitting(found);
  const rows = shown.map(({ place }) =>
    db.get<MessageRow>(
      'SELECT place, record FROM message WHERE scope = ? AND session = ? AND place = ?',
      ...namesOf(query),
      place,
    ),
  );
  const items = rows.slice(0, limit).flatMap((row) => messageOf(row) ?? []);
  const last = items.at(-1);
  return found.length > items.length && last !== undefined ? { items, next: `${last.ordinal}` } : { items };
}

/** As many as one page may hold; always one. */
function fitting<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes;
    return i > 0 && bytes > PAGE_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function messageOf(row: MessageRow | undefined): MessageRecord | undefined {
  if (row === undefined) return undefined;
  const record = readChecked(row.record, parseKeptMessage);
  if (record === undefined) throw damaged(`Message ${row.place} of the session`);
  return record;
}

export function addSummary(db: Connection, draft: SummaryDraft): SummaryRecord {
  const name = namesOf(draft);
  const last = db.get<{ last: number | null }>(
    'SELECT max(version) AS last FROM summary WHERE scope = ? AND session = ?',
    ...name,
  );
  const latest = last?.last ?? 0;
  if (draft.parent !== latest) throw summaryOutdated(latest);
  const record = { ...draft, version: latest + 1 };
  db.run('INSERT INTO summary VALUES (?, ?, ?, ?)', ...name, record.version, checkedJson(record));
  return record;
}

export function listSummaries(db: Connection, query: SummaryQuery): Page<SummaryRecord> {
  const limit = pageLimit(query.limit);
  const [before] = parseCursor(query.after) ?? [Number.MAX_SAFE_INTEGER];
  const rows = db.all<{ version: number; record: string }>(
    'SELECT version, record FROM summary WHERE scope = ? AND session = ? AND version < ? ORDER BY version DESC LIMIT ?',
    ...namesOf(query),
    before,
    limit + 1,
  );
  return pageOf(
    rows,
    limit,
    (row) => `${row.version}`,
    (row) => {
      const record = readChecked(row.record, (value) => parseSummaryRecord(value));
      return record ?? damagedSummary(query, row.version);
    },
  );
}

/**
 * One that cannot be read covers nothing: the messages behind it are all there, and the next
 * version follows it.
 */
function damagedSummary({ scope, session }: SummaryQuery, version: number): SummaryRecord {
  const nothing = { covers: 0, by: 'extractive', text: '', state: {}, at: 0 } as const;
  return { scope, session, version, parent: version - 1, ...nothing };
}

/** Messages and summaries of the whole sessions that a purge means. */
export function purgeMessages(db: Connection, request: RetireRequest): void {
  if (request.how !== 'purge' || request.ids !== undefined || request.before !== undefined) return;
  const idle = 'SELECT id FROM session WHERE scope = ? AND seen_at < ?';
  const ended = 'SELECT id FROM session WHERE scope = ? AND ended_at IS NOT NULL';
  const conditions: readonly (readonly [string, ...(string | number)[]])[] = [
    ['scope = ?', keyText(request.scope)],
    ...(request.session === undefined ? [] : [['session = ?', keyText(request.session)] as const]),
    ...(request.idleSince === undefined
      ? []
      : [[`session IN (${idle})`, keyText(request.scope), request.idleSince] as const]),
    ...(request.ended === undefined ? [] : [[`session IN (${ended})`, keyText(request.scope)] as const]),
  ];
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const values = conditions.flatMap(([, ...bound]) => bound);
  for (const table of ['message', 'summary', 'citation'])
    db.run(`DELETE FROM ${table} WHERE ${where}`, ...values);
}

function namesOf({ scope, session }: Name): readonly [string, string] {
  return [keyText(scope), keyText(session)];
}
