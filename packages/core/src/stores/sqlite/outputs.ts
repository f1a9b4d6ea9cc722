/**
 * Outputs in the file: which statement serves which method. Content is read piece by piece, and
 * nothing is held open meanwhile.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import type * as Contract from '../../model/store.ts';
import { Drafting } from '../drafting.ts';
import { noSuchOutput } from '../refusals.ts';
import type { Access } from './access.ts';
import { listOutputs } from './listing.ts';
import { bytesOf, damagedPiece, isEnd, isKept, missingPiece, openPart, pieceAt } from './reading.ts';
import { findOutput, freezeProjection, frozenProjection, mustBeNew } from './records.ts';
import { SqliteWriter, type SqliteWriterOptions } from './writer.ts';

type Wait = Contract.WaitOptions;

export class SqliteOutputs implements Contract.OutputStore {
  readonly #access: Access;
  readonly #options: SqliteWriterOptions;

  constructor(access: Access, options: SqliteWriterOptions) {
    this.#access = access;
    this.#options = options;
  }

  async create(draft: OutputDraft, { signal }: Wait = {}): Promise<Contract.OutputWriter> {
    await this.#access.tidy();
    await this.#access.read((db) => mustBeNew(db, draft.id), signal);
    return new SqliteWriter(this.#access, new Drafting(draft), this.#options);
  }

  find(key: Contract.OutputKey, { signal }: Wait = {}): Promise<OutputRecord | Tombstone | undefined> {
    return this.#access.read((db) => findOutput(db, key), signal);
  }

  async read(
    id: ArtifactId,
    part: number,
    from: Contract.ReadFrom,
    { signal }: Wait = {},
  ): Promise<Contract.Reading> {
    const { content, at } = await this.#access.read((db) => openPart(db, id, part, from), signal);
    return { at, pieces: this.#pieces({ id, part, content, from: at.bytes }, signal) };
  }

  list(query: Contract.OutputQuery, { signal }: Wait = {}): Promise<Contract.Page<OutputRecord>> {
    return this.#access.read((db) => listOutputs(db, query), signal);
  }

  freeze(
    record: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
    wait: Wait = {},
  ): Promise<ProjectionRecord> {
    return this.#access.write({ durable: true, run: (db) => freezeProjection(db, record, mode) }, wait);
  }

  frozen(id: ArtifactId, audience: Audience, { signal }: Wait = {}): Promise<ProjectionRecord | undefined> {
    return this.#access.read((db) => frozenProjection(db, id, audience), signal);
  }

  close(): Promise<void> {
    return this.#access.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#pieces(
    { id, part, content, from }: { id: ArtifactId; part: number; content: number; from: number },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    for (let start = from; ; ) {
      const piece = await this.#access.read((db) => pieceAt(db, content, start), signal);
      if (piece === undefined) {
        if (await this.#access.read((db) => isEnd(db, content, start), signal)) return;
        throw (await this.#access.read((db) => isKept(db, content), signal))
          ? missingPiece(id, part)
          : noSuchOutput();
      }
      const bytes = bytesOf(piece, this.#options.codec);
      // Bytes in a file go before their rows do.
      if (bytes === null)
        throw (await this.#access.read((db) => isKept(db, content), signal))
          ? damagedPiece(id, part)
          : noSuchOutput();
      // Whoever gets them may hand them to another thread, and then they have no length any more.
      start += bytes.length;
      yield bytes;
    }
  }
}
