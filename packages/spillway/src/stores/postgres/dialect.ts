/**
 * PostgreSQL's side of the shared queries. Names are looked up by their SHA-256, because an index
 * key is limited in length and content.
 */
import { createHash } from 'node:crypto';
import {
  all,
  answer,
  type Condition,
  type Dialect,
  damaged,
  type LedgerEvent,
  parseSessionNames,
  readChecked,
  run,
  type SeenSession,
  type SqlValue,
  type StoredPiece,
  showsLife,
} from '@spillway/core/store';
import { NAMES_INDEXED } from './schema.ts';

const ARRAYS = { text: 'text[]', key: 'bytea[]', seq: 'bigint[]' };

export const postgresDialect: Dialect = {
  key: keyOf,
  nameOf: () => undefined,
  sessionOf: (row) => {
    const { names } = row as unknown as { readonly names: string };
    const found = readChecked(names, parseSessionNames);
    if (found === undefined) throw damaged('The name of a session');
    return found;
  },
  text: (record) => JSON.stringify(record),
  among: (column, values, type) => [`${column} = ANY(?::${ARRAYS[type]})`, values],
  below,
  join: 'JOIN',
  unindexed: '',
  lock: ' FOR NO KEY UPDATE',
  rowsPerInsert: 1_000,
  bytesHeld: 'SELECT sum(open) AS open, sum(kept) AS kept FROM @counter',

  *addEvents(events) {
    if (events.length > 0) yield* run('SELECT @note(?, ?, ?, ?, ?)', ...eventColumns(events));
  },

  // No index for it: the time is a filter on what follows the cursor.
  lastEventBefore: () => answer(0),

  *seeSession(seen) {
    yield* run(
      `INSERT INTO @session AS known (scope, id, names, opened_at, seen_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT ON CONSTRAINT session_scope_id_key DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at), ended_at = NULL`,
      keyOf(seen.scope),
      keyOf(seen.session),
      sessionNames(seen),
      seen.startedAt,
      seen.seenAt,
    );
  },

  pieces: (content, start, most) =>
    all<StoredPiece>(
      `SELECT start_bytes AS start, bytes, crc, data, codec FROM @piece
       WHERE content = ? AND start_bytes >= ? ORDER BY start_bytes LIMIT ?`,
      content,
      start,
      most,
    ),

  *drop(content) {
    yield* run('DELETE FROM @content WHERE id = ? AND refs <= 0', content);
  },
};

/**
 * The key under which a name is looked up. UTF-16, so that names that differ only in lone
 * surrogates differ.
 */
export function keyOf(name: string): Uint8Array {
  return createHash('sha256').update(name, 'utf16le').digest();
}

export function sessionNames({ scope, session }: Pick<SeenSession, 'scope' | 'session'>): string {
  return JSON.stringify({ scope, id: session });
}

/** Events by column, as the functions take them; the session only where it shows life. */
export function eventColumns(events: readonly LedgerEvent[]): SqlValue[] {
  return [
    events.map(({ at }) => at),
    events.map(({ scope }) => keyOf(scope)),
    events.map(({ type }) => type),
    events.map((event) => JSON.stringify(event)),
    events.map(({ session, type }) => (session === undefined || !showsLife(type) ? null : keyOf(session))),
  ];
}

/** By the index of names. */
function below(scope: string): Condition {
  const start = `{"scope":${JSON.stringify(`${scope}:`).slice(0, -1)}`;
  return [
    `(scope = ? OR (left(names, ${NAMES_INDEXED}) LIKE ? AND starts_with(names, ?)))`,
    keyOf(scope),
    `${start.slice(0, NAMES_INDEXED).replace(/[\\%_]/g, '\\$&')}%`,
    start,
  ];
}
