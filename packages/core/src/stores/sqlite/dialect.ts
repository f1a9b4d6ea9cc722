/**
 * SQLite's side of the queries in `../sql`. Work that needs several statements is synchronous and
 * runs on the connection at once. Names are their own look-up keys, so they can be read back.
 */
import type { LedgerEvent } from '../../model/events.ts';
import { showsLife } from '../drafting.ts';
import { checkedJson } from '../records.ts';
import { answer, type Dialect, type Query, type SeenSession } from '../sql/dialect.ts';
import { dropKept, leaveFile, pieceFrom } from './contents.ts';
import { runningDrafts } from './drafts.ts';
import type { Connection, SqliteValue } from './driver.ts';

export function ask<T>(db: Connection, makeQuery: (d: Dialect) => Query<T>): T {
  let d = dialects.get(db);
  if (d === undefined) {
    d = sqliteDialect(db);
    dialects.set(db, d);
  }
  const query = makeQuery(d);
  let step = query.next();
  while (step.done !== true) {
    const { sql, values, wants } = step.value;
    const bound = values as readonly SqliteValue[];
    step = query.next(wants === 'rows' ? db.all(sql, ...bound) : db.run(sql, ...bound));
  }
  return step.value;
}

const dialects = new WeakMap<Connection, Dialect>();

function sqliteDialect(db: Connection): Dialect {
  return {
    key: keyText,
    nameOf: (key) => fromKeyText(String(key)),
    sessionOf: (row) => {
      const { scope, id } = row as unknown as { readonly scope: string; readonly id: string };
      return { id: fromKeyText(id), scope: fromKeyText(scope) };
    },
    text: checkedJson,
    among: (column, values) => [`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)],
    below,
    join: 'CROSS JOIN',
    unindexed: '+',
    lock: '',
    rowsPerInsert: 1,
    bytesHeld: `SELECT (SELECT value FROM meta WHERE name = 'open_bytes') AS open,
      (SELECT value FROM meta WHERE name = 'kept_bytes') AS kept`,
    running: () => answer(runningDrafts(db)),
    addEvents: (events) => answer(addEvents(db, events)),
    lastEventBefore: (since) => answer(lastEventBefore(db, since)),
    seeSession: (session) => answer(seeSession(db, session)),
    // One at a time, so a reader that stops has read no more than it used.
    pieces: (content, start) => answer([pieceFrom(db, content, start) ?? []].flat()),
    drop: (content, bytes) => answer(dropKept(db, content, bytes)),
    archived: (content) => answer(leaveFile(db, content)),
  };
}

/**
 * Text for a look-up column: as it is where SQLite keeps it exactly, else as JSON. (SQLite stores a
 * lone surrogate as U+FFFD, and some drivers read text only up to a NUL.)
 */
export function keyText(text: string): string {
  const plain = text.isWellFormed() && !text.includes('\0') && !text.startsWith('"');
  return plain ? text : JSON.stringify(text);
}

function fromKeyText(key: string): string {
  return key.startsWith('"') ? (JSON.parse(key) as string) : key;
}

function below(scope: string): readonly [string, ...string[]] {
  const plain = `${scope}:`;
  const quoted = JSON.stringify(plain).slice(0, -1);
  return [
    '(scope = ? OR substr(scope, 1, length(?)) = ? OR substr(scope, 1, length(?)) = ?)',
    keyText(scope),
    ...[plain, plain, quoted, quoted],
  ];
}

export function addEvents(db: Connection, events: readonly LedgerEvent[]): void {
  for (const event of events) {
    const scope = keyText(event.scope);
    db.run(
      `INSERT INTO event (at, high, scope, type, record) VALUES
       (?, max(?, coalesce((SELECT high FROM event ORDER BY seq DESC LIMIT 1), ?)), ?, ?, ?)`,
      event.at,
      event.at,
      event.at,
      scope,
      event.type,
      checkedJson(event),
    );
    if (event.session === undefined || !showsLife(event.type)) continue;
    db.run(
      'UPDATE session SET seen_at = ? WHERE scope = ? AND id = ? AND seen_at < ?',
      event.at,
      scope,
      keyText(event.session),
      event.at,
    );
  }
}

/** By bisection: `high`, the latest time so far, only grows. */
function lastEventBefore(db: Connection, since: number): number {
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

export function seeSession(db: Connection, { scope, session, startedAt, seenAt }: SeenSession): void {
  db.run(
    `INSERT INTO session (scope, id, opened_at, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, id) DO UPDATE SET seen_at = max(seen_at, excluded.seen_at), ended_at = NULL`,
    keyText(scope),
    keyText(session),
    startedAt,
    seenAt,
  );
}
