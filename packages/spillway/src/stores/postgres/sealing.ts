/**
 * Makes what was written an output, in one transaction: content under its hash, version and record,
 * session, first projection, events. An equal output of the same call id wins over the new one,
 * which is dropped. The store's lock keeps versions of a call id apart.
 */
import {
  fingerprint,
  inputHash,
  type OutputDraft,
  type OutputRecord,
  type PartSpec,
  type Seal,
  type SealResult,
  sealedRecord,
} from '@spillway/core/store';
import { dropWritten, keepContent } from './contents.ts';
import type { Connection, PgValue } from './driver.ts';
import { addEvents, seeSession } from './ledger.ts';
import { type OutputRow, recordOf } from './records.ts';
import { keyOf } from './schema.ts';

export interface Sealing {
  readonly draft: OutputDraft;
  readonly specs: readonly PartSpec[];
  readonly seal: Seal;
  /** The content of each part that has any. */
  readonly written: ReadonlyMap<number, string>;
}

export async function sealDraft(
  db: Connection,
  { draft, specs, seal, written }: Sealing,
): Promise<SealResult> {
  await seeSession(db, draft, seal.endedAt);
  const alike = fingerprint(specs, seal);
  const versions = draft.callId === undefined ? [] : await versionsOf(db, draft, draft.callId);
  const equal = versions.find(
    (row) => row.fingerprint === alike && row.revoked_at === null && row.purged_at === null,
  );
  if (equal !== undefined) {
    await dropWritten(db, [...written.values()]);
    return { record: recordOf(equal), existing: true };
  }
  const record = sealedRecord(draft, specs, seal, Number(versions[0]?.version ?? 0) + 1);
  const seq = await insertOutput(db, record, alike);
  for (const [idx, totals] of seal.parts.entries()) {
    const content = await keepContent(db, written.get(idx), totals);
    await db.run('INSERT INTO @part VALUES ($1, $2, $3)', seq, idx, content);
  }
  const input = inputHash(record.parts);
  if (input !== undefined) {
    const { scope, tool, outcome } = record;
    const values = [keyOf(scope), keyOf(tool), input, outcome.status, seq];
    await db.run('INSERT INTO @call_input VALUES ($1, $2, $3, $4, $5)', ...values);
  }
  if (seal.projection) {
    const { audience } = seal.projection;
    await db.run(
      'INSERT INTO @projection VALUES ($1, $2, $3)',
      seq,
      audience,
      JSON.stringify(seal.projection),
    );
  }
  await addEvents(db, seal.events ?? []);
  return { record, existing: false };
}

interface VersionRow extends OutputRow {
  readonly version: string;
  readonly fingerprint: string;
}

/** All versions under a call id, the latest first. */
function versionsOf(db: Connection, { scope, session }: OutputDraft, callId: string): Promise<VersionRow[]> {
  return db.all<VersionRow>(
    'SELECT *, likeness AS fingerprint FROM @output WHERE scope = $1 AND session = $2 AND call_id = $3 ORDER BY seq DESC',
    keyOf(scope),
    keyOf(session),
    keyOf(callId),
  );
}

async function insertOutput(db: Connection, record: OutputRecord, alike: string): Promise<string> {
  const values: PgValue[] = [
    record.id,
    keyOf(record.scope),
    keyOf(record.session),
    keyOf(record.tool),
    record.callId === undefined ? null : keyOf(record.callId),
    record.version,
    alike,
    record.endedAt,
    record.disclosed,
    JSON.stringify(record),
  ];
  const row = await db.get<{ seq: string }>(
    `INSERT INTO @output (id, scope, session, tool, call_id, version, likeness, ended_at, disclosed, record)
     VALUES (${values.map((_, i) => `$${i + 1}`).join(', ')}) RETURNING seq`,
    ...values,
  );
  return row?.seq ?? '';
}
