/**
 * A store on PostgreSQL, for several machines that share one. It passes the whole contract, which shows that the contract is not
 * shaped by SQLite; it is small and not yet what several machines need. Still to come:
 *
 * - migrations beyond added tables: those of a later version are refused;
 * - retention as a job: large content is deleted where it is purged, in one transaction, and the limit sums up all content for each piece;
 * - outputs of writers that died: what they wrote stays as content without a hash, counts against the limit, and is never sealed;
 * - the loss of a connection, or a server that does not answer in time: whatever was under way fails with `store_unavailable` and is not tried
 *   again; a seal whose commit was not answered may have happened, and its retry then fails;
 * - one lock a store for all seals and notes: right and simple, and the ceiling of what it can take.
 *
 * Durability is the server's: `synchronous_commit` as it is set there. Calling `postgresStore` touches nothing; the first use connects.
 */
import {
  type AddMessagesRequest,
  type ArchiveRequest,
  type ArchiveResult,
  type ArtifactId,
  type Audience,
  type EventQuery,
  type LedgerEvent,
  type MessageQuery,
  type MessageRecord,
  type OutputDraft,
  type OutputKey,
  type OutputQuery,
  type OutputRecord,
  type OutputWriter,
  type Page,
  type ProjectionRecord,
  type ReadFrom,
  type Reading,
  type RetireRequest,
  type RetireResult,
  type SessionQuery,
  type SessionRecord,
  SpillwayError,
  type Store,
  type StoreLimits,
  type SummaryDraft,
  type SummaryQuery,
  type SummaryRecord,
  type Tombstone,
  type Usage,
} from '@spillway/core';
import { type Codec, checkRetireRequest, Drafting, nodeCodec } from '@spillway/core/stores';
import { Access } from './access.ts';
import { archiveSome, nextContents } from './archiving.ts';
import type { PgPool } from './driver.ts';
import { addEvents } from './ledger.ts';
import { listEvents, listOutputs, listSessions, usage } from './listing.ts';
import { addMessages, addSummary, listMessages, listSummaries, purgeMessages } from './messages.ts';
import { openPart, type Place, pieceAt } from './reading.ts';
import { findOutput, freezeProjection, frozenProjection, mustBeNew } from './records.ts';
import { endSessions, previewRetire, retireSome } from './retiring.ts';
import { PostgresWriter } from './writer.ts';

export type { PgClient, PgPool, PgPoolListening, PgQueryable, PgValue } from './driver.ts';

/** How to reach the server, and what the store may do there. */
export interface PostgresStoreOptions {
  /** Where the server is; the package `pg` makes the connections. */
  readonly connectionString?: string;
  /** Connections of one's own instead; `close` leaves them open. */
  readonly pool?: PgPool;
  /** The schema of the tables, made as needed. Default: `spillway`. */
  readonly schema?: string;
  /** Milliseconds that the server may take for a connection or a statement before it counts as gone. Default: 30,000. */
  readonly timeoutMs?: number;
  readonly limits?: StoreLimits;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number;
  /** Compresses what is archived; every machine that reads needs it. Default: zstd where Node has it (22.15), else deflate. */
  readonly codec?: Codec;
}

/** A store on a PostgreSQL server (15 or later), by a connection string or a pool. */
export function postgresStore(options: PostgresStoreOptions): Store {
  if ((options.connectionString === undefined) === (options.pool === undefined))
    throw new SpillwayError(
      'invalid_argument',
      'Where is the PostgreSQL server? Give either `connectionString` or `pool`.',
    );
  return new PostgresStore(options);
}

class PostgresStore implements Store {
  readonly #access: Access;
  readonly #maxBytes: number | undefined;
  readonly #clock: () => number;
  readonly #codec: Codec;

  constructor(options: PostgresStoreOptions) {
    this.#access = new Access(options);
    this.#maxBytes = options.limits?.maxBytes;
    this.#clock = options.clock ?? Date.now;
    this.#codec = options.codec ?? nodeCodec();
  }

  async create(draft: OutputDraft): Promise<OutputWriter> {
    await this.#access.read((db) => mustBeNew(db, draft.id));
    return new PostgresWriter({
      access: this.#access,
      drafting: new Drafting(draft),
      maxBytes: this.#maxBytes,
      clock: this.#clock,
    });
  }

  find(key: OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    return this.#access.read((db) => findOutput(db, key));
  }

  async read(id: ArtifactId, part: number, from: ReadFrom): Promise<Reading> {
    const place = await this.#access.read((db) => openPart(db, id, part, from));
    return { at: place.at, pieces: this.#pieces(id, place) };
  }

  list(query: OutputQuery): Promise<Page<OutputRecord>> {
    return this.#access.read((db) => listOutputs(db, query));
  }

  freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    return this.#access.write((db) => freezeProjection(db, record, mode));
  }

  frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#access.read((db) => frozenProjection(db, id, audience));
  }

  note(events: readonly LedgerEvent[]): Promise<void> {
    return this.#access.write((db) => addEvents(db, events));
  }

  events(query: EventQuery): Promise<Page<LedgerEvent>> {
    return this.#access.read((db) => listEvents(db, query));
  }

  sessions(query: SessionQuery): Promise<Page<SessionRecord>> {
    return this.#access.read((db) => listSessions(db, query));
  }

  addMessages(request: AddMessagesRequest): Promise<readonly MessageRecord[]> {
    return this.#access.write((db) => addMessages(db, request));
  }

  messages(query: MessageQuery): Promise<Page<MessageRecord>> {
    return this.#access.read((db) => listMessages(db, query));
  }

  addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    return this.#access.write((db) => addSummary(db, draft));
  }

  summaries(query: SummaryQuery): Promise<Page<SummaryRecord>> {
    return this.#access.read((db) => listSummaries(db, query));
  }

  async retire(request: RetireRequest): Promise<RetireResult> {
    checkRetireRequest(request);
    if (request.preview) return this.#access.read((db) => previewRetire(db, request));
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    for (let last = false; !last; ) {
      const done = await this.#access.write((db) => retireSome(db, request));
      total.outputs += done.outputs;
      total.bytesFreed += done.bytesFreed;
      last = done.last;
    }
    if (request.how === 'purge') await this.#access.write((db) => purgeMessages(db, request));
    // Last, so that a request that is interrupted leaves the session open, to be ended again.
    if (request.endSession) total.sessionsEnded = await this.#access.write((db) => endSessions(db, request));
    return total;
  }

  async archive(request: ArchiveRequest): Promise<ArchiveResult> {
    const total = { outputs: 0, bytesBefore: 0, bytesAfter: 0 };
    for (let last: string | undefined = '0'; last !== undefined; ) {
      const after: string = last;
      const look = await this.#access.read((db) => nextContents(db, request, after));
      total.outputs += look.outputs;
      for (const content of look.contents) {
        for (let at: number | undefined = 0; at !== undefined; ) {
          const from: number = at;
          const step = await this.#access.read((db) => archiveSome(db, content, from, this.#codec));
          total.bytesBefore += step.before;
          total.bytesAfter += step.after;
          at = step.next;
        }
      }
      last = look.last;
    }
    return total;
  }

  usage(): Promise<Usage> {
    return this.#access.read(usage);
  }

  close(): Promise<void> {
    return this.#access.close();
  }

  async *#pieces(id: ArtifactId, place: Place): AsyncGenerator<Uint8Array> {
    let { at } = place;
    for (;;) {
      const data = await this.#access.read((db) => pieceAt(db, { ...place, at }, id, this.#codec));
      if (data === undefined) return;
      yield data;
      at = { ...at, bytes: at.bytes + data.length };
    }
  }
}
