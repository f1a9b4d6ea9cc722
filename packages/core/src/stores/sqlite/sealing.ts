/**
 * Makes an output, in one transaction: content under its hash, version and record, session, first
 * projection, events. An equal output of the same call id wins over the new one, which is dropped.
 */
import type { OutputDraft, OutputRecord } from '../../model/output.ts';
import type { PartSpec, PartTotals } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import type { ProjectionRecord } from '../../model/projection.ts';
import { storedProjection } from '../../model/records.ts';
import type { Seal, SealResult } from '../../model/store.ts';
import { fingerprint, inputHash, sealedRecord } from '../drafting.ts';
import { checkedJson } from '../records.ts';
import { notWhole } from '../refusals.ts';
import { OUTPUT_COLUMNS, type OutputRow, projectionColumn, recordOf } from '../sql/outputs.ts';
import { contentBytes, keepContent } from './contents.ts';
import { addEvents, keyText, seeSession } from './dialect.ts';
import { discardDraft, draftParts, forgetDraft } from './drafts.ts';
import type { Connection } from './driver.ts';

export interface Sealing {
  readonly draft: OutputDraft;
  readonly specs: readonly PartSpec[];
  readonly seal: Seal;
}

export function sealDraft(db: Connection, sealing: Sealing): SealResult {
  const { draft, seal } = sealing;
  const written = draftParts(db, draft.id).map((part) => part.content);
  checkWhole(db, written, seal);
  const sealed = addOutput(db, sealing, (totals, idx) => keepContent(db, totals, { written: written[idx] }));
  if (sealed.existing) discardDraft(db, draft.id);
  else forgetDraft(db, draft.id);
  return sealed;
}

/** Seals an output of which nothing was written before. */
export function sealAtOnce(
  db: Connection,
  sealing: Sealing,
  byPart: ReadonlyMap<number, readonly Piece[]>,
): SealResult {
  return addOutput(db, sealing, (totals, idx) => keepContent(db, totals, { pieces: byPart.get(idx) ?? [] }));
}

function addOutput(
  db: Connection,
  { draft, specs, seal }: Sealing,
  contentOf: (totals: PartTotals, idx: number) => number,
): SealResult {
  seeSession(db, { ...draft, seenAt: seal.endedAt });
  const alike = fingerprint(draft, specs, seal);
  const equal = equalOutput(db, draft, alike);
  if (equal !== undefined) return { record: equal, existing: true };
  const record = sealedRecord(draft, specs, seal, nextVersion(db, draft));
  const seq = insertOutput(db, record, alike, seal.projection);
  for (const [idx, totals] of seal.parts.entries())
    db.run('INSERT INTO part VALUES (?, ?, ?)', seq, idx, contentOf(totals, idx));
  addEvents(db, seal.events ?? []);
  return { record, existing: false };
}

function checkWhole(db: Connection, written: readonly number[], seal: Seal): void {
  const whole = seal.parts.every(({ bytes }, i) => {
    const content = written[i];
    return bytes === (content === undefined ? 0 : contentBytes(db, content));
  });
  if (!whole) throw notWhole();
}

function equalOutput(
  db: Connection,
  { scope, session, callId }: OutputDraft,
  alike: string,
): OutputRecord | undefined {
  if (callId === undefined) return undefined;
  const row = db.get<OutputRow>(
    `SELECT ${OUTPUT_COLUMNS} FROM output WHERE scope = ? AND session = ? AND call_id = ? AND fingerprint = ?
     AND revoked_at IS NULL AND purged_at IS NULL ORDER BY seq DESC LIMIT 1`,
    keyText(scope),
    keyText(session),
    keyText(callId),
    alike,
  );
  return row && recordOf(row);
}

function nextVersion(db: Connection, { scope, session, callId }: OutputDraft): number {
  if (callId === undefined) return 1;
  const last = db.get<{ version: number }>(
    'SELECT version FROM output WHERE scope = ? AND session = ? AND call_id = ? ORDER BY seq DESC LIMIT 1',
    keyText(scope),
    keyText(session),
    keyText(callId),
  );
  return (last?.version ?? 0) + 1;
}

function insertOutput(
  db: Connection,
  record: OutputRecord,
  alike: string,
  projection: ProjectionRecord | undefined,
): number {
  return db.insert(
    `INSERT INTO output (id, scope, session, tool, call_id, version, fingerprint, input, status, ended_at,
       disclosed, record${projection === undefined ? '' : `, ${projectionColumn(projection.audience)}`})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${projection === undefined ? '' : ', ?'})`,
    record.id,
    keyText(record.scope),
    keyText(record.session),
    keyText(record.tool),
    record.callId === undefined ? null : keyText(record.callId),
    record.version,
    alike,
    inputHash(record.parts) ?? null,
    record.outcome.status,
    record.endedAt,
    record.disclosed ? 1 : 0,
    checkedJson(record),
    ...(projection === undefined ? [] : [checkedJson(storedProjection(projection))]),
  );
}
