/**
 * Outputs on the server: which statement serves which method. Content is read a few pieces at a
 * time, each time on any connection.
 */
import {
  type ArtifactId,
  type Audience,
  type Codec,
  Drafting,
  type OutputDraft,
  type OutputKey,
  type OutputQuery,
  type OutputRecord,
  type OutputStore,
  type OutputWriter,
  type Page,
  type ProjectionRecord,
  type ReadFrom,
  type Reading,
  type Tombstone,
  type WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { listOutputs } from './listing.ts';
import { bytesIn, openPart, piecesAt, type ReadPosition } from './reading.ts';
import { findOutput, freezeProjection, frozenProjection } from './records.ts';
import { PostgresWriter } from './writer.ts';

/** Pieces that one look-up brings at most: a megabyte. */
const MOST_PIECES = 16;

interface PostgresOutputsOptions {
  readonly codec: Codec;
  readonly maxBytes: number | undefined;
  readonly clock: () => number;
}

export class PostgresOutputs implements OutputStore {
  readonly #access: Access;
  readonly #options: PostgresOutputsOptions;

  constructor(access: Access, options: PostgresOutputsOptions) {
    this.#access = access;
    this.#options = options;
  }

  async create(draft: OutputDraft, { signal }: WaitOptions = {}): Promise<OutputWriter> {
    signal?.throwIfAborted();
    this.#access.mustBeOpen();
    const { maxBytes, clock } = this.#options;
    return new PostgresWriter({ access: this.#access, drafting: new Drafting(draft), maxBytes, clock });
  }

  find(key: OutputKey, { signal }: WaitOptions = {}): Promise<OutputRecord | Tombstone | undefined> {
    return this.#access.read((db) => findOutput(db, key), signal);
  }

  async read(id: ArtifactId, part: number, from: ReadFrom, { signal }: WaitOptions = {}): Promise<Reading> {
    const position = await this.#access.read((db) => openPart(db, id, part, from), signal);
    return { at: position.at, pieces: this.#pieces(id, position, signal) };
  }

  list(query: OutputQuery, { signal }: WaitOptions = {}): Promise<Page<OutputRecord>> {
    return this.#access.read((db) => listOutputs(db, query), signal);
  }

  freeze(
    record: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
    wait: WaitOptions = {},
  ): Promise<ProjectionRecord> {
    return this.#access.call((db) => freezeProjection(db, record, mode), wait.signal);
  }

  frozen(
    id: ArtifactId,
    audience: Audience,
    { signal }: WaitOptions = {},
  ): Promise<ProjectionRecord | undefined> {
    return this.#access.read((db) => frozenProjection(db, id, audience), signal);
  }

  close(): Promise<void> {
    return this.#access.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#pieces(
    id: ArtifactId,
    position: ReadPosition,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { codec } = this.#options;
    let { at } = position;
    // Who reads a page needs one piece; who goes on reads more and more at a time.
    for (let most = 1; ; most = Math.min(most * 4, MOST_PIECES)) {
      const rows = await this.#access.read((db) => piecesAt(db, { ...position, at }, most), signal);
      for (const row of rows) {
        const data = bytesIn(row, at.bytes, id, codec);
        if (data === undefined) return;
        yield data;
        at = { ...at, bytes: at.bytes + data.length };
      }
    }
  }
}
