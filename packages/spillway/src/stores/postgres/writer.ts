/**
 * Writes one output. Pieces are written one statement per megabyte; a small rest goes with the
 * seal. Nothing refers to pieces before the seal. With a limit, each piece is written and counted
 * as it comes.
 */

import { crc32 } from 'node:zlib';
import {
  type Drafting,
  fingerprint,
  inputHash,
  makeRoom,
  notWhole,
  type OutputTarget,
  type PartPiece,
  type Piece,
  recordOf,
  type Seal,
  type SealResult,
  type SqlValue,
  sealedRecord,
  storedProjection,
  type WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { eventColumns, keyOf, postgresDialect, sessionNames } from './dialect.ts';
import type { Connection } from './driver.ts';

const GATHERED_BYTES = 1_048_576;
const HOUR_MS = 3_600_000;

export interface Writing {
  readonly access: Access;
  readonly drafting: Pick<Drafting, 'draft' | 'specs'>;
  readonly maxBytes: number | undefined;
  readonly clock: () => number;
}

const sweptAt = new WeakMap<Access, number>();

export class PostgresTarget implements OutputTarget {
  readonly #writing: Writing;
  readonly #written = new Map<number, number>();

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  window(): number {
    return this.#writing.maxBytes === undefined ? 2 * GATHERED_BYTES : 0;
  }

  isEnough(bytes: number): boolean {
    return this.#writing.maxBytes !== undefined || bytes >= GATHERED_BYTES;
  }

  async write(pieces: readonly PartPiece[]): Promise<void> {
    for (const [part, all] of Map.groupBy(pieces, (one) => one.part))
      this.#written.set(part, await this.#add({ content: this.#written.get(part), pieces: all }));
  }

  seal(seal: Seal, held: readonly PartPiece[] | null, { signal }: WaitOptions): Promise<SealResult> {
    const { access, drafting } = this.#writing;
    const { draft, specs } = drafting;
    const sealing = { draft, specs, seal, written: this.#written, pieces: held ?? [] };
    return access.call((db) => sealDraft(db, sealing), signal);
  }

  async discard(): Promise<void> {
    const written = [...this.#written.values()];
    const drop = 'DELETE FROM @content WHERE id = ANY($1::bigint[]) AND hash IS NULL';
    if (written.length > 0) await this.#writing.access.read((db) => db.run(drop, written));
  }

  #add(run: PieceRun): Promise<number> {
    const { access, drafting, maxBytes, clock } = this.#writing;
    const { scope } = drafting.draft;
    if (run.content === undefined) this.#sweep();
    if (maxBytes === undefined) return access.repeatable((db) => addPieces(db, run));
    const wanted = bytesIn(run.pieces);
    return access.keepUp(async (db) => {
      await db.ask(makeRoom(postgresDialect, { scope, wanted, maxBytes, at: clock() }));
      return addPieces(db, run);
    });
  }

  #sweep(): void {
    const { access } = this.#writing;
    const now = performance.now();
    if (now - (sweptAt.get(access) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    sweptAt.set(access, now);
    // In the background; the next one tries again.
    access
      .read((db) => db.run(`DELETE FROM @content WHERE ${ABANDONED}`))
      .catch(() => sweptAt.delete(access));
  }
}

interface Sealing extends Pick<Drafting, 'draft' | 'specs'> {
  readonly seal: Seal;
  readonly written: ReadonlyMap<number, number>;
  readonly pieces: readonly PartPiece[];
}

interface SealRow {
  readonly version: number;
  readonly record: string;
  readonly disclosed: boolean;
  readonly existing: boolean;
}

async function sealDraft(db: Connection, sealing: Sealing): Promise<SealResult> {
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
    fingerprint(draft, specs, seal),
    record.disclosed,
    JSON.stringify(record),
    projection?.audience ?? null,
    projection === undefined ? null : JSON.stringify(storedProjection(projection)),
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

function pieceColumns(held: readonly PartPiece[]): SqlValue[] {
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

interface PieceRun {
  readonly content: number | undefined;
  readonly pieces: readonly PartPiece[];
}

/** Without `content`, the pieces begin a new one. Returns the content. */
async function addPieces(db: Connection, { content, pieces }: PieceRun): Promise<number> {
  const start = pieces[0]?.piece.start.bytes ?? 0;
  const total = bytesIn(pieces);
  const grown =
    content === undefined
      ? 'INSERT INTO @content (bytes) SELECT $3::bigint WHERE $1::bigint IS NULL AND $2::bigint = 0 RETURNING id'
      : 'UPDATE @content SET bytes = bytes + $3, written_at = now() WHERE id = $1 AND bytes = $2 AND hash IS NULL RETURNING id';
  const [, ...columns] = pieceColumns(pieces);
  const row = await db.get<{ content: number }>(
    `WITH grown AS (${grown})
     INSERT INTO @piece (content, start_bytes, start_chars, start_breaks, bytes, crc, data)
     SELECT id, p.start, p.chars, p.breaks, p.length, p.crc, substring($10::bytea FROM p.at + 1 FOR p.length)
     FROM grown, unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::bigint[], $9::int[])
       AS p (start, chars, breaks, length, crc, at) RETURNING content`,
    content ?? null,
    start,
    total,
    ...columns,
  );
  if (row !== undefined) return row.content;
  // Repeated after a lost answer: it is there already.
  const known = await db.get<{ bytes: number }>(
    'SELECT bytes FROM @content WHERE id = $1 AND hash IS NULL',
    content ?? null,
  );
  if (content === undefined || known?.bytes !== start + total) throw notWhole();
  return content;
}

function bytesIn(pieces: readonly PartPiece[]): number {
  return pieces.reduce((sum, { piece }) => sum + piece.bytes.length, 0);
}

/** Content to which nothing was added for a day. */
export const ABANDONED = "hash IS NULL AND written_at < now() - interval '1 day'";
