/**
 * Rows of `output` as records: the JSON as it was sealed, and over it the two things that change
 * afterwards.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputRecord, Tombstone } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import { parseOutputRecord, parseProjectionRecord } from '../../model/records.ts';
import type { OutputKey } from '../../model/store.ts';
import { idTaken, noSuchOutput } from '../refusals.ts';
import { checkedJson, damaged, readChecked } from './checked.ts';
import type { Connection } from './driver.ts';
import { fromKeyText, keyText } from './schema.ts';

export interface OutputRow {
  readonly seq: number;
  readonly id: string;
  readonly scope: string;
  readonly session: string;
  readonly tool: string;
  readonly version: number;
  readonly ended_at: number;
  readonly disclosed: number;
  readonly revoked_at: number | null;
  readonly purged_at: number | null;
  readonly record: string | null;
}

/** Only tombstones have no record, and nobody asks for theirs. */
export function recordOf(row: OutputRow): OutputRecord {
  const sealed = readChecked(row.record, (value) => parseOutputRecord(value));
  if (sealed === undefined) throw damaged(`The record of ${row.id}`);
  return withChanges(sealed, row);
}

/** As above; a damaged one is told in its place, so that the others can be listed. */
export function listedRecordOf(row: OutputRow): OutputRecord {
  const sealed = readChecked(row.record, (value) => parseOutputRecord(value));
  return withChanges(sealed ?? damagedRecord(row), row);
}

function withChanges(sealed: OutputRecord, row: OutputRow): OutputRecord {
  const record = { ...sealed, disclosed: row.disclosed === 1 };
  return row.revoked_at === null ? record : { ...record, retiredAt: row.revoked_at };
}

function damagedRecord(row: OutputRow): OutputRecord {
  return {
    id: row.id as ArtifactId,
    scope: fromKeyText(row.scope),
    session: fromKeyText(row.session),
    tool: fromKeyText(row.tool),
    startedAt: row.ended_at,
    endedAt: row.ended_at,
    version: row.version,
    outcome: { status: 'crashed' },
    complete: false,
    sourceTruncated: false,
    summary: '(the stored record is damaged)',
    disclosed: false,
    parts: [],
  };
}

export function findOutput(db: Connection, key: OutputKey): OutputRecord | Tombstone | undefined {
  const scope = keyText(key.scope);
  const row =
    'id' in key
      ? db.get<OutputRow>('SELECT * FROM output WHERE id = ? AND scope = ?', key.id, scope)
      : db.get<OutputRow>(
          'SELECT * FROM output WHERE scope = ? AND session = ? AND call_id = ? ORDER BY seq DESC LIMIT 1',
          scope,
          keyText(key.session),
          keyText(key.callId),
        );
  if (row === undefined) return undefined;
  if (row.purged_at === null) return recordOf(row);
  return { id: row.id as ArtifactId, scope: key.scope, purgedAt: row.purged_at };
}

export function mustBeNew(db: Connection, id: ArtifactId): void {
  const tables = ['output', 'draft'];
  if (tables.some((table) => db.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined))
    throw idTaken();
}

export function frozenProjection(
  db: Connection,
  id: ArtifactId,
  audience: Audience,
): ProjectionRecord | undefined {
  const row = db.get<{ record: string }>(
    'SELECT p.record FROM output o JOIN projection p ON p.output = o.seq WHERE o.id = ? AND p.audience = ?',
    id,
    audience,
  );
  if (row === undefined) return undefined;
  const record = readChecked(row.record, (value) => parseProjectionRecord(value));
  if (record === undefined) throw damaged(`A kept projection of ${id}`);
  return record;
}

export function freezeProjection(
  db: Connection,
  record: ProjectionRecord,
  mode: 'first' | 'replace',
): ProjectionRecord {
  const output = db.get<{ seq: number }>(
    'SELECT seq FROM output WHERE id = ? AND purged_at IS NULL',
    record.output,
  );
  if (output === undefined) throw noSuchOutput();
  const kept = frozenProjection(db, record.output, record.audience);
  if (kept !== undefined && mode === 'first') return kept;
  db.run(
    'INSERT OR REPLACE INTO projection VALUES (?, ?, ?)',
    output.seq,
    record.audience,
    checkedJson(record),
  );
  if (record.disclosed) db.run('UPDATE output SET disclosed = 1 WHERE seq = ?', output.seq);
  return record;
}
