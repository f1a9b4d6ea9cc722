/**
 * Ends handles, purges records and evicts, a bounded number of outputs a transaction. What was
 * retired no longer matches, so giving an interrupted request again finishes it. Sizes are bytes.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { ArchiveRequest, RetireRequest, RetireResult } from '../../model/store.ts';
import { MOST_PREVIEWED } from '../paging.ts';
import { overLimit } from '../refusals.ts';
import { all, allOf, type Condition, type Dialect, get, type Query, run, type SqlValue } from './dialect.ts';
import { bytesHeld } from './ledger.ts';
import { listedRecordOf, OUTPUT_COLUMNS, type OutputRow } from './outputs.ts';
import { release } from './reading.ts';

const OUTPUTS_A_STEP = 32;

export function* previewRetire(d: Dialect, request: RetireRequest): Query<RetireResult> {
  const { sql, values } = allOf(meant(d, request));
  const found = yield* get<{ outputs: number }>(
    `SELECT count(*) AS outputs FROM @output WHERE ${sql}`,
    ...values,
  );
  const rows = yield* all<{ id: ArtifactId }>(
    `SELECT id FROM @output WHERE ${sql} ORDER BY seq LIMIT ${MOST_PREVIEWED}`,
    ...values,
  );
  const sessions = sessionsMeant(d, request);
  const ending = yield* get<{ ended: number }>(
    `SELECT count(*) AS ended FROM @session WHERE ended_at IS NULL AND ${sessions.sql}`,
    ...sessions.values,
  );
  const freed = yield* get<{ bytes: number | null }>(
    `SELECT sum(bytes) AS bytes FROM (
       SELECT c.bytes FROM @part p JOIN @content c ON c.id = p.content
       WHERE p.output IN (SELECT seq FROM @output WHERE ${sql})
       GROUP BY c.id, c.bytes, c.refs HAVING count(*) = c.refs) AS unshared`,
    ...values,
  );
  return {
    outputs: found?.outputs ?? 0,
    bytesFreed: request.how === 'retire' ? 0 : (freed?.bytes ?? 0),
    sessionsEnded: request.endSession ? (ending?.ended ?? 0) : 0,
    ids: rows.map(({ id }) => id),
  };
}

export function endSessions(d: Dialect, request: RetireRequest): Query<number> {
  const { sql, values } = sessionsMeant(d, request);
  return run(`UPDATE @session SET ended_at = ? WHERE ended_at IS NULL AND ${sql}`, request.at, ...values);
}

/** The next few outputs that a request means, and where to continue; without `last`, none follow. */
export interface OutputBatch {
  readonly seqs: readonly number[];
  readonly last?: number;
}

/** Examines a bounded number of outputs, so no look-up takes long or needs the lock. */
export function* nextBatch(d: Dialect, request: RetireRequest, after: number): Query<OutputBatch> {
  const { ids } = request;
  if (ids !== undefined) {
    const last = after + OUTPUTS_A_STEP;
    const { sql, values } = allOf(meant(d, { ...request, ids: ids.slice(after, last) }));
    const seqs = yield* seqsOf(sql, values);
    return last < ids.length ? { seqs, last } : { seqs };
  }
  const among = allOf([...candidates(d, request), ['seq > ?', after]]);
  const examined = yield* seqsOf(`${among.sql} ORDER BY seq LIMIT ?`, [...among.values, OUTPUTS_A_STEP]);
  const last = examined.at(-1);
  if (last === undefined) return { seqs: [] };
  const { sql, values } = allOf([...meant(d, request), ['seq > ? AND seq <= ?', after, last]]);
  return { seqs: yield* seqsOf(sql, values), last };
}

function* seqsOf(where: string, values: readonly SqlValue[]): Query<number[]> {
  const rows = yield* all<{ seq: number }>(`SELECT seq FROM @output WHERE ${where}`, ...values);
  return rows.map(({ seq }) => seq);
}

export function* retireSome(
  d: Dialect,
  request: RetireRequest,
  seqs: readonly number[],
): Query<{ readonly outputs: number; readonly bytesFreed: number }> {
  // A session that continues at this moment waits here, and keeps what it cites.
  if (request.ended === true && d.lock !== '') {
    const { sql, values } = allOf([['scope = ?', d.key(request.scope)], d.among('seq', seqs, 'seq')]);
    yield* get(
      `SELECT 1 FROM @session s WHERE s.scope = ? AND s.id IN (SELECT session FROM @output WHERE ${sql})
       ORDER BY s.seq${d.lock}`,
      d.key(request.scope),
      ...values,
    );
  }
  const { ids: _, ...rest } = request;
  const { sql, values } = allOf([...meant(d, rest), d.among('seq', seqs, 'seq')]);
  const still = yield* seqsOf(`${sql} ORDER BY seq`, values);
  let bytesFreed = 0;
  if (request.how === 'purge') for (const seq of still) bytesFreed += yield* purge(d, seq, request.at);
  else {
    const these = allOf([d.among('seq', still, 'seq')]);
    yield* run(`UPDATE @output SET revoked_at = ? WHERE ${these.sql}`, request.at, ...these.values);
  }
  return { outputs: still.length, bytesFreed };
}

/** Purges one output and leaves a tombstone. Returns the bytes that were freed. */
function* purge(d: Dialect, seq: number, at: number): Query<number> {
  const freed = yield* release(d, seq);
  yield* run(
    `UPDATE @output SET purged_at = ?, disclosed = FALSE, record = NULL, model = NULL, transport = NULL,
       screen = NULL WHERE seq = ?`,
    at,
    seq,
  );
  return freed;
}

/** How many bytes have to fit below the limit. */
export interface Room {
  /** Evict only outputs of this scope; undefined: of any. */
  readonly scope?: string;
  /** Bytes that are about to be stored. */
  readonly wanted: number;
  /** Bytes that the store may hold. */
  readonly maxBytes: number;
  /** The time that is written down. Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Purges outputs of ended sessions, oldest first and no more than needed. What a session that has
 * not ended may still cite is never touched.
 */
export function* makeRoom(d: Dialect, { scope: own, wanted, maxBytes, at }: Room): Query<void> {
  const { open, kept } = yield* bytesHeld(d);
  let missing = open + kept + wanted - maxBytes;
  while (missing > 0) {
    const { sql, values } = allOf([
      own === undefined ? undefined : ['s.scope = ?', d.key(own)],
      [`s.ended_at IS NOT NULL AND ${notCited('o.id')}`],
    ]);
    const victims = yield* all<OutputRow>(
      `SELECT ${OUTPUT_COLUMNS.replace(/\w+/g, 'o.$&')} FROM @session s ${d.join} @output o
         ON o.scope = s.scope AND o.session = s.id AND o.purged_at IS NULL
       WHERE ${sql} ORDER BY o.seq LIMIT ${OUTPUTS_A_STEP}`,
      ...values,
    );
    if (victims.length === 0) throw overLimit(maxBytes);
    for (const victim of victims) {
      if (missing <= 0) return;
      const { id, scope, session, tool } = listedRecordOf(d, victim);
      const bytes = yield* purge(d, victim.seq, at);
      missing -= bytes;
      const data = { reason: 'evicted', bytes };
      yield* d.addEvents([{ type: 'purged', at, scope, session, tool, output: id, data }]);
    }
  }
}

/** The contents of the next outputs that an archive request means, and where to continue. */
export function* nextContents(
  d: Dialect,
  { scope, session, before }: ArchiveRequest,
  after: number,
): Query<OutputBatch & { readonly contents: readonly number[] }> {
  const { sql, values } = allOf([
    ['purged_at IS NULL AND scope = ? AND ended_at < ? AND seq > ?', d.key(scope), before, after],
    session === undefined ? undefined : ['session = ?', d.key(session)],
  ]);
  const seqs = yield* seqsOf(`${sql} ORDER BY seq LIMIT ?`, [...values, OUTPUTS_A_STEP]);
  const parts = allOf([d.among('output', seqs, 'seq')]);
  const rows = yield* all<{ content: number }>(
    `SELECT DISTINCT content FROM @part WHERE ${parts.sql}`,
    ...parts.values,
  );
  const last = seqs.at(-1);
  const found = { seqs, contents: rows.map(({ content }) => content) };
  return last === undefined ? found : { ...found, last };
}

function candidates(d: Dialect, request: RetireRequest): readonly Condition[] {
  // Where ids are given, they choose the index.
  const by = request.ids === undefined ? '' : d.unindexed;
  return [
    ['purged_at IS NULL'],
    [`${by}scope = ?`, d.key(request.scope)],
    request.session === undefined ? undefined : [`${by}session = ?`, d.key(request.session)],
  ];
}

function meant(d: Dialect, request: RetireRequest): readonly Condition[] {
  const scope = d.key(request.scope);
  const sessions = 'session IN (SELECT id FROM @session WHERE scope = ? AND';
  return [
    ...candidates(d, request),
    request.how === 'retire' ? ['revoked_at IS NULL'] : undefined,
    request.before === undefined ? undefined : ['ended_at < ?', request.before],
    request.ids && d.among('id', request.ids, 'text'),
    request.ended ? [`${sessions} ended_at IS NOT NULL) AND ${notCited('output.id')}`, scope] : undefined,
    request.idleSince === undefined ? undefined : [`${sessions} seen_at < ?)`, scope, request.idleSince],
  ];
}

function notCited(id: string): string {
  return `NOT EXISTS (SELECT 1 FROM @citation c JOIN @session live ON live.scope = c.scope AND live.id = c.session
    WHERE c.output = ${id} AND live.ended_at IS NULL)`;
}

function sessionsMeant(d: Dialect, request: RetireRequest) {
  return allOf([
    ['scope = ?', d.key(request.scope)],
    request.session === undefined ? undefined : ['id = ?', d.key(request.session)],
    request.idleSince === undefined ? undefined : ['seen_at < ?', request.idleSince],
  ]);
}
