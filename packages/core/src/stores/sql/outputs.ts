/**
 * Outputs: rows as records, look-ups, pages and frozen projections. A record is the JSON as it was
 * sealed; version, disclosure and retirement come from the row.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputRecord, Tombstone } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import { parseOutputRecord, parseStoredProjection, storedProjection } from '../../model/records.ts';
import type { OutputKey, OutputQuery, Page } from '../../model/store.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';
import { readChecked } from '../records.ts';
import { damaged, noSuchOutput } from '../refusals.ts';
import { all, allOf, type Dialect, get, type Query, run } from './dialect.ts';

/** The columns that make a record. */
export interface SealedRow {
  /** The handle. */
  readonly id: string;
  /** Counts outputs of one call id from 1. */
  readonly version: number;
  /** Whether the handle was told, as the engine has a boolean. */
  readonly disclosed: unknown;
  /** When the handle was retired; null while it is in force. */
  readonly revoked_at: number | null;
  /** The rest of the record as JSON; null once it is purged. */
  readonly record: string | null;
}

/** All but the projections, which are read one at a time. */
export const OUTPUT_COLUMNS =
  'seq, id, scope, session, tool, version, disclosed, ended_at, revoked_at, purged_at, record';

export interface OutputRow extends SealedRow {
  readonly seq: number;
  readonly scope: unknown;
  readonly session: unknown;
  readonly tool: unknown;
  readonly ended_at: number;
  readonly purged_at: number | null;
}

/** Tombstones have no record; callers check `purged_at` first. */
export function recordOf(row: SealedRow): OutputRecord {
  const sealed = readChecked(row.record, (value) => parseOutputRecord(value));
  if (sealed === undefined) throw damaged(`The record of ${row.id}`);
  return withChanges(sealed, row);
}

/** The same for a list: a damaged record keeps its place, if its names are known. */
export function listedRecordOf(d: Dialect, row: OutputRow): OutputRecord {
  const sealed = readChecked(row.record, (value) => parseOutputRecord(value));
  return withChanges(sealed ?? damagedRecord(d, row), row);
}

function withChanges(sealed: OutputRecord, row: SealedRow): OutputRecord {
  const record = { ...sealed, version: row.version, disclosed: Boolean(row.disclosed) };
  return row.revoked_at === null ? record : { ...record, retiredAt: row.revoked_at };
}

function damagedRecord(d: Dialect, row: OutputRow): OutputRecord {
  const [scope, session, tool] = [d.nameOf(row.scope), d.nameOf(row.session), d.nameOf(row.tool)];
  if (scope === undefined || session === undefined || tool === undefined)
    throw damaged(`The record of ${row.id}`);
  return {
    id: row.id as ArtifactId,
    scope,
    session,
    tool,
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

export function* findOutput(d: Dialect, key: OutputKey): Query<OutputRecord | Tombstone | undefined> {
  const scope = d.key(key.scope);
  const row =
    'id' in key
      ? yield* get<OutputRow>(
          `SELECT ${OUTPUT_COLUMNS} FROM @output WHERE id = ? AND scope = ?`,
          key.id,
          scope,
        )
      : yield* get<OutputRow>(
          `SELECT ${OUTPUT_COLUMNS} FROM @output WHERE scope = ? AND session = ? AND call_id = ?
           ORDER BY seq DESC LIMIT 1`,
          scope,
          d.key(key.session),
          d.key(key.callId),
        );
  if (row === undefined) return undefined;
  if (row.purged_at === null) return recordOf(row);
  return { id: row.id as ArtifactId, scope: key.scope, purgedAt: row.purged_at };
}

export function* listOutputs(d: Dialect, query: OutputQuery): Query<Page<OutputRecord>> {
  const limit = pageLimit(query.limit);
  const before = parseCursor(query.after);
  const { call, session, tool, show } = query;
  const { sql, values } = allOf([
    ['purged_at IS NULL AND scope = ?', d.key(query.scope)],
    show === 'all' ? undefined : ['disclosed AND revoked_at IS NULL'],
    session === undefined ? undefined : ['session = ?', d.key(session)],
    tool === undefined ? undefined : ['tool = ?', d.key(tool)],
    // By an index of their own: a call that was made ten thousand times costs no more than one made
    // twice.
    call && ['tool = ? AND input = ?', d.key(call.tool), call.input],
    call?.status === undefined ? undefined : ['status = ?', call.status],
    before && ['seq < ?', before[0]],
  ]);
  const rows = yield* all<OutputRow>(
    `SELECT ${OUTPUT_COLUMNS} FROM @output WHERE ${sql} ORDER BY seq DESC LIMIT ?`,
    ...values,
    limit + 1,
  );
  return pageOf(
    rows,
    limit,
    (row) => `${row.seq}`,
    (row) => listedRecordOf(d, row),
  );
}

const AUDIENCES: readonly Audience[] = ['model', 'transport', 'screen'];

/** The column that keeps the projection for an audience. */
export function projectionColumn(audience: Audience): string {
  return AUDIENCES.find((one) => one === audience) ?? 'model';
}

export function* frozenProjection(id: ArtifactId, audience: Audience): Query<ProjectionRecord | undefined> {
  const row = yield* get<{ record: string | null }>(
    `SELECT ${projectionColumn(audience)} AS record FROM @output WHERE id = ?`,
    id,
  );
  if (row === undefined || row.record === null) return undefined;
  const record = readChecked(row.record, parseStoredProjection);
  if (record === undefined) throw damaged(`A kept projection of ${id}`);
  return record;
}

export function* freezeProjection(
  d: Dialect,
  record: ProjectionRecord,
  mode: 'first' | 'replace' = 'first',
): Query<ProjectionRecord> {
  const output = yield* get<{ seq: number }>(
    `SELECT seq FROM @output WHERE id = ? AND purged_at IS NULL${d.lock}`,
    record.output,
  );
  if (output === undefined) throw noSuchOutput();
  const kept = mode === 'first' ? yield* frozenProjection(record.output, record.audience) : undefined;
  if (kept !== undefined) return kept;
  yield* run(
    `UPDATE @output SET ${projectionColumn(record.audience)} = ?${record.disclosed ? ', disclosed = TRUE' : ''} WHERE seq = ?`,
    d.text(storedProjection(record)),
    output.seq,
  );
  return record;
}
