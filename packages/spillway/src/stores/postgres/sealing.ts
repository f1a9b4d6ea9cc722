/**
 * Makes what was written an output, in one round trip: content under its hash, version and record,
 * session, first projection, events. An equal output of the same call id wins over the new one,
 * which is dropped. Small outputs bring their pieces along. The same seal given again, after an
 * answer that was lost, finds what it made.
 */
import { crc32 } from 'node:zlib';
import {
  fingerprint,
  inputHash,
  type OutputDraft,
  type PartSpec,
  type Piece,
  recordOf,
  type Seal,
  type SealResult,
  type SqlValue,
  sealedRecord,
} from '@spillway/core/store';
import { eventColumns, keyOf, sessionNames } from './dialect.ts';
import type { Connection } from './driver.ts';

export interface Sealing {
  readonly draft: OutputDraft;
  readonly specs: readonly PartSpec[];
  readonly seal: Seal;
  /** The content of each part that has been written. */
  readonly written: ReadonlyMap<number, number>;
  /** What has not been written yet: everything of its part. */
  readonly pieces: readonly HeldPiece[];
}

/** A piece that waits for the seal. */
export interface HeldPiece {
  readonly part: number;
  readonly piece: Piece;
}

interface SealRow {
  readonly version: number;
  readonly record: string;
  readonly disclosed: boolean;
  readonly existing: boolean;
}

export async function sealDraft(db: Connection, sealing: Sealing): Promise<SealResult> {
  const { draft, specs, seal, written, pieces } = sealing;
  const record = sealedRecord(draft, specs, seal, 1);
  const input = inputHash(record.parts);
  const { scope, session, tool, callId } = draft;
  const { projection } = seal;
  const values: SqlValue[] = [
    draft.id,
    keyOf(scope),
    keyOf(session),
    keyOf(tool),
    callId === undefined ? null : keyOf(callId),
    sessionNames(draft),
    draft.startedAt,
    seal.endedAt,
    fingerprint(specs, seal),
    record.disclosed,
    JSON.stringify(record),
    projection?.audience ?? null,
    projection === undefined ? null : JSON.stringify(projection),
    input ?? null,
    record.outcome.status,
    seal.parts.map(({ hash }) => hash),
    seal.parts.map(({ bytes }) => bytes),
    seal.parts.map((_, part) => written.get(part) ?? null),
    ...pieceColumns(pieces),
    ...eventColumns(seal.events ?? []),
  ];
  const row = await db.get<SealRow>(
    `SELECT * FROM @seal(${values.map((_, i) => `$${i + 1}`).join(', ')})`,
    ...values,
  );
  if (row === undefined) throw new Error('the seal has no answer');
  const { existing } = row;
  return { record: recordOf({ ...row, id: draft.id, revoked_at: null }), existing };
}

/** Pieces by column, and all their bytes in one. */
function pieceColumns(held: readonly HeldPiece[]): SqlValue[] {
  let offset = 0;
  const offsets = held.map(({ piece }) => {
    const at = offset;
    offset += piece.bytes.length;
    return at;
  });
  const of = (value: (piece: Piece) => number) => held.map(({ piece }) => value(piece));
  return [
    held.map(({ part }) => part),
    of(({ start }) => start.bytes),
    of(({ start }) => start.chars),
    of(({ start }) => start.breaks),
    of(({ bytes }) => bytes.length),
    of(({ bytes }) => crc32(bytes)),
    offsets,
    Buffer.concat(held.map(({ piece }) => piece.bytes)),
  ];
}
