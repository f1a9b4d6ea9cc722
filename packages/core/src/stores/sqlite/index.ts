/**
 * The embedded store: one SQLite file, any number of processes. Calling `sqliteStore` touches nothing; the first use opens the
 * file (access.ts). Here is only which statement serves which method: reads run at once, writes go through one queue
 * (commits.ts), and each is a function of a connection, so that another thread could run it as well.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { LedgerEvent } from '../../model/events.ts';
import type { MessageRecord } from '../../model/message.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import type { SessionRecord } from '../../model/session.ts';
import type * as Contract from '../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../model/summary.ts';
import { type Codec, nodeCodec } from '../codecs.ts';
import { Drafting } from '../drafting.ts';
import { checkRetireRequest, noSuchOutput } from '../refusals.ts';
import { Access } from './access.ts';
import { archiveSome, type Look, nextContents, type Step } from './archiving.ts';
import type { Connection, SqliteDriver } from './driver.ts';
import { isFull } from './failures.ts';
import { addEvents } from './ledger.ts';
import { listEvents, listOutputs, listSessions, usage } from './listing.ts';
import { addMessages, addSummary, listMessages, listSummaries, purgeMessages } from './messages.ts';
import { startOfProcess } from './owner.ts';
import { bytesOfPiece, isEnd, isKept, missingPiece, openPart, pieceAt } from './reading.ts';
import { findOutput, freezeProjection, frozenProjection, mustBeNew } from './records.ts';
import { endSessions, nextStretch, previewRetire, retireSome } from './retiring.ts';
import { ThreadedStore } from './thread/store.ts';
import { SqliteWriter } from './writer.ts';

export type { Codec } from '../codecs.ts';
export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
export { originOf, type StoreOrigin } from './marks.ts';
export { type CheckedStore, type TrustRequest, trustStore } from './trusting.ts';

/** Where the file is, and how it is used. */
export interface SqliteStoreOptions {
  /** The database file; folders are made as needed. */
  readonly file: string;
  /**
   * A folder that the file must really lie in, for a place that came from elsewhere, such as a repository: links on the way are refused,
   * and a folder that others may write in is closed to them.
   */
  readonly within?: string;
  /**
   * Folders of the user with the marks of the stores that the user made. A new file gets a mark, kept in the first folder that takes
   * it; a file whose mark is in none of them is refused. Without them every file is believed that can be opened.
   */
  readonly registry?: readonly string[];
  /** What a sealed output survives: `power` (default) the loss of power, `process` the death of the process. */
  readonly durability?: 'power' | 'process';
  readonly limits?: Contract.StoreLimits;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number;
  /** Opens the file with another driver than node:sqlite, e.g. `(file) => new Database(file)` of better-sqlite3. */
  readonly driver?: SqliteDriver;
  /** Compresses what is archived. Default: zstd where Node has it (22.15), else deflate. */
  readonly codec?: Codec;
  /**
   * Does the work in another thread: a slow disk then never holds up the caller's event loop, for a tenth of a second more at the start.
   * Right for servers and agents; a program that stores one output and ends is quicker without.
   */
  readonly thread?: boolean;
}

/** A store in one SQLite file. Nothing is touched before the first use. */
export function sqliteStore(options: SqliteStoreOptions): Contract.Store {
  const { thread, ...rest } = options;
  if (!thread) return new SqliteStore(rest);
  if (options.driver === undefined && options.clock === undefined && options.codec === undefined)
    return new ThreadedStore({ ...rest, processStart: startOfProcess() });
  throw new SpillwayError(
    'invalid_argument',
    'A driver, clock or codec cannot go to another thread: leave out `thread`, or these.',
  );
}

class SqliteStore implements Contract.Store {
  readonly #access: Access;
  readonly #maxBytes: number | undefined;
  readonly #ownCodec: Codec | undefined;

  constructor(options: SqliteStoreOptions) {
    this.#access = new Access(options);
    this.#ownCodec = options.codec;
    this.#maxBytes = options.limits?.maxBytes;
  }

  /** Node's own is asked for by the first who needs one. */
  get #codec(): Codec {
    return this.#ownCodec ?? nodeCodec();
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    await this.#access.tidy();
    await this.#access.read((db) => mustBeNew(db, draft.id));
    const how = { codec: () => this.#codec, maxBytes: this.#maxBytes };
    return new SqliteWriter(this.#access, new Drafting(draft), how);
  }

  find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    return this.#access.read((db) => findOutput(db, key));
  }

  async read(id: ArtifactId, part: number, from: Contract.ReadFrom): Promise<Contract.Reading> {
    const { content, at } = await this.#access.read((db) => openPart(db, id, part, from));
    return { at, pieces: this.#pieces(id, part, content, at.bytes) };
  }

  list(query: Contract.OutputQuery): Promise<Contract.Page<OutputRecord>> {
    return this.#access.read((db) => listOutputs(db, query));
  }

  freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    return this.#access.write({ durable: true, run: (db) => freezeProjection(db, record, mode) });
  }

  frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#access.read((db) => frozenProjection(db, id, audience));
  }

  note(events: readonly LedgerEvent[]): Promise<void> {
    return this.#access.write({ durable: false, run: (db) => addEvents(db, events) });
  }

  events(query: Contract.EventQuery): Promise<Contract.Page<LedgerEvent>> {
    return this.#access.read((db) => listEvents(db, query));
  }

  sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    return this.#access.read((db) => listSessions(db, query));
  }

  addMessages(request: Contract.AddMessagesRequest): Promise<readonly MessageRecord[]> {
    return this.#access.write({ durable: true, run: (db) => addMessages(db, request) });
  }

  messages(query: Contract.MessageQuery): Promise<Contract.Page<MessageRecord>> {
    return this.#access.read((db) => listMessages(db, query));
  }

  addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    return this.#access.write({ durable: true, run: (db) => addSummary(db, draft) });
  }

  summaries(query: Contract.SummaryQuery): Promise<Contract.Page<SummaryRecord>> {
    return this.#access.read((db) => listSummaries(db, query));
  }

  async retire(request: Contract.RetireRequest): Promise<Contract.RetireResult> {
    checkRetireRequest(request);
    if (request.preview) return this.#access.read((db) => previewRetire(db, request));
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { meant, last } = await this.#access.read((db) => nextStretch(db, request, after ?? 0));
      after = last;
      for (const done of await this.#retire(request, meant)) {
        total.outputs += done.outputs;
        total.bytesFreed += done.bytesFreed;
      }
    }
    if (request.how === 'purge')
      await this.#access.write({ durable: true, run: (db) => purgeMessages(db, request) }, 'free');
    // Last, so that a request that is interrupted leaves the session open, to be ended again.
    if (request.endSession)
      total.sessionsEnded = await this.#access.write(
        { durable: true, run: (db) => endSessions(db, request) },
        'free',
      );
    if (request.how === 'purge') await this.#access.sweep();
    return total;
  }

  async archive(request: Contract.ArchiveRequest): Promise<Contract.ArchiveResult> {
    const total = { outputs: 0, bytesBefore: 0, bytesAfter: 0 };
    for (let last: number | undefined = 0; last !== undefined; ) {
      const look: Look = await this.#access.read((db) => nextContents(db, request, last ?? 0));
      total.outputs += look.outputs;
      for (const content of look.contents) {
        const { before, after } = await this.#archiveContent(content);
        total.bytesBefore += before;
        total.bytesAfter += after;
      }
      last = look.last;
    }
    await this.#access.sweep();
    return total;
  }

  usage(): Promise<Contract.Usage> {
    return this.#access.read(usage);
  }

  close(): Promise<void> {
    return this.#access.close();
  }

  /** In one commit; one by one where the disk has no room for that. */
  async #retire(
    request: Contract.RetireRequest,
    seqs: readonly number[],
  ): Promise<readonly Omit<Contract.RetireResult, 'sessionsEnded'>[]> {
    if (seqs.length === 0) return [];
    try {
      const run = (db: Connection) => retireSome(db, request, seqs);
      return [await this.#access.write({ durable: true, run }, 'free')];
    } catch (error) {
      if (!isFull(error) || seqs.length === 1) throw error;
      const done = [];
      for (const seq of seqs) {
        done.push(...(await this.#retire(request, [seq])));
        // What it left free is swept before the next: only then is there room for that.
        if (request.how === 'purge') await this.#access.sweep();
      }
      return done;
    }
  }

  async #archiveContent(content: number): Promise<{ readonly before: number; readonly after: number }> {
    const total = { before: 0, after: 0 };
    for (let from: number | undefined = 0; from !== undefined; ) {
      const at: number = from;
      const run = (db: Connection): Step => archiveSome(db, content, at, this.#codec);
      const { before, after, next }: Step = await this.#access.write({ durable: false, run });
      total.before += before;
      total.after += after;
      from = next;
    }
    return total;
  }

  async *#pieces(id: ArtifactId, part: number, content: number, from: number): AsyncGenerator<Uint8Array> {
    for (let start = from; ; ) {
      const piece = await this.#access.read((db) => pieceAt(db, content, start));
      if (piece === undefined) {
        if (await this.#access.read((db) => isEnd(db, content, start))) return;
        throw (await this.#access.read((db) => isKept(db, content)))
          ? missingPiece(id, part)
          : noSuchOutput();
      }
      const bytes = bytesOfPiece(piece, this.#codec, id, part);
      // Whoever gets them may hand them to another thread, and then they have no length any more.
      start += bytes.length;
      yield bytes;
    }
  }
}
