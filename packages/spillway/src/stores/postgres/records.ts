/**
 * Rows of `output` as records: the JSON as it was given to the seal, and over it the version that
 * the seal found and the two things that change afterwards.
 */
import {
  type ArtifactId,
  type Audience,
  noSuchOutput,
  type OutputKey,
  type OutputRecord,
  type ProjectionRecord,
  parseOutputRecord,
  parseProjectionRecord,
  storedJson,
  type Tombstone,
} from '@spillway/core/store';
import type { Connection } from './driver.ts';
import { keyOf } from './schema.ts';

export interface OutputRow {
  readonly seq: string;
  readonly id: string;
  readonly version: string;
  readonly disclosed: boolean;
  readonly revoked_at: number | null;
  readonly purged_at: number | null;
  readonly record: string | null;
}

export function recordOf(row: OutputRow): OutputRecord {
  // Only tombstones have no record, and nobody asks for theirs.
  const sealed = storedJson(row.record, (value) => parseOutputRecord(value), 'The record of an output');
  const record = { ...sealed, version: Number(row.version), disclosed: row.disclosed };
  return row.revoked_at === null ? record : { ...record, retiredAt: row.revoked_at };
}

export async function findOutput(
  db: Connection,
  key: OutputKey,
): Promise<OutputRecord | Tombstone | undefined> {
  const scope = keyOf(key.scope);
  const row =
    'id' in key
      ? await db.get<OutputRow>('SELECT * FROM @output WHERE id = $1 AND scope = $2', key.id, scope)
      : await db.get<OutputRow>(
          'SELECT * FROM @output WHERE scope = $1 AND session = $2 AND call_id = $3 ORDER BY seq DESC LIMIT 1',
          scope,
          keyOf(key.session),
          keyOf(key.callId),
        );
  if (row === undefined) return undefined;
  if (row.purged_at === null) return recordOf(row);
  return { id: row.id as ArtifactId, scope: key.scope, purgedAt: row.purged_at };
}

export async function frozenProjection(
  db: Connection,
  id: ArtifactId,
  audience: Audience,
): Promise<ProjectionRecord | undefined> {
  const row = await db.get<{ record: string }>(
    'SELECT p.record FROM @output o JOIN @projection p ON p.output = o.seq WHERE o.id = $1 AND p.audience = $2',
    id,
    audience,
  );
  return row && projectionOf(row.record, id);
}

function projectionOf(text: string, id: ArtifactId): ProjectionRecord {
  return storedJson(text, (value) => parseProjectionRecord(value), `A kept projection of ${id}`);
}

export async function freezeProjection(
  db: Connection,
  record: ProjectionRecord,
  mode: 'first' | 'replace',
): Promise<ProjectionRecord> {
  const row = await db.get<{ record: string }>(
    'SELECT * FROM @freeze($1, $2, $3, $4, $5)',
    record.output,
    record.audience,
    JSON.stringify(record),
    mode === 'replace',
    record.disclosed,
  );
  if (row === undefined) throw noSuchOutput();
  return projectionOf(row.record, record.output);
}
