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
  get,
  LEAST_PACKED_BYTES,
  type LedgerEvent,
  packed,
  parseSessionNames,
  type ReadFrom,
  readChecked,
  run,
  type SqlValue,
  type StoredPiece,
  showsLife,
} from '@spillway/core/store';
import { NAMES_INDEXED } from './schema.ts';

const PIECES_A_STEP = 8;
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
  disclosed: 'disclosed AND revoked_at IS NULL',
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

  *checkpoint(content, _, from) {
    const [condition, value] = startsBefore(from);
    const found = yield* get<{ bytes: number; chars: number; breaks: number }>(
      `SELECT start_bytes AS bytes, start_chars AS chars, start_breaks AS breaks FROM @piece
       WHERE content = ? AND ${condition} LIMIT 1`,
      content,
      Math.min(Math.max(value, -1), Number.MAX_SAFE_INTEGER),
    );
    return found ?? { bytes: 0, chars: 0, breaks: 0 };
  },

  pieces: (content, start, most) =>
    all<StoredPiece>(
      `SELECT start_bytes AS start, bytes, crc, data, codec FROM @piece
       WHERE content = ? AND start_bytes >= ? ORDER BY start_bytes LIMIT ?`,
      content,
      start,
      most,
    ),

  *release(output) {
    const parts = yield* all<{ content: number }>(
      'DELETE FROM @part WHERE output = ? RETURNING content',
      output,
    );
    const contents = parts.map(({ content }) => content);
    yield* run(
      `UPDATE @content SET refs = refs - gone.parts
       FROM (SELECT id, count(*) AS parts FROM unnest(?::bigint[]) AS id GROUP BY id) AS gone WHERE gone.id = @content.id`,
      contents,
    );
    const freed = yield* all<{ bytes: number }>(
      'DELETE FROM @content WHERE id = ANY(?::bigint[]) AND refs = 0 RETURNING bytes',
      contents,
    );
    return freed.reduce((sum, { bytes }) => sum + bytes, 0);
  },

  *archive(content, from, codec) {
    const pieces = yield* all<{ start_bytes: number; crc: number; data: Uint8Array }>(
      `SELECT start_bytes, crc, data FROM @piece WHERE content = ? AND start_bytes >= ?
       AND codec IS NULL AND bytes >= ${LEAST_PACKED_BYTES} ORDER BY start_bytes LIMIT ${PIECES_A_STEP}`,
      content,
      from,
    );
    let [before, after] = [0, 0];
    for (const { start_bytes: start, crc, data } of pieces) {
      const smaller = packed(data, crc, codec);
      if (smaller === null) continue;
      const changed = yield* run(
        'UPDATE @piece SET codec = ?, data = ? WHERE content = ? AND start_bytes = ? AND codec IS NULL',
        codec.name,
        smaller,
        content,
        start,
      );
      if (changed === 0) continue;
      before += data.length;
      after += smaller.length;
    }
    const last = pieces.at(-1);
    return pieces.length === PIECES_A_STEP && last !== undefined
      ? { before, after, next: last.start_bytes + 1 }
      : { before, after };
  },
};

/**
 * The key under which a name is looked up. UTF-16, so that names that differ only in lone
 * surrogates differ.
 */
export function keyOf(name: string): Uint8Array {
  return createHash('sha256').update(name, 'utf16le').digest();
}

export function sessionNames({
  scope,
  session,
}: {
  readonly scope: string;
  readonly session: string;
}): string {
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

/** By the index of names; names of an earlier release, which begin with the id, one by one. */
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

function startsBefore(from: ReadFrom): readonly [condition: string, value: number] {
  if ('breaks' in from)
    return ['start_breaks < ? ORDER BY start_breaks DESC, start_bytes DESC', Math.ceil(from.breaks)];
  if ('chars' in from)
    return ['start_chars <= ? ORDER BY start_chars DESC, start_bytes DESC', Math.floor(from.chars)];
  return ['start_bytes <= ? ORDER BY start_bytes DESC', Math.floor(from.bytes)];
}
