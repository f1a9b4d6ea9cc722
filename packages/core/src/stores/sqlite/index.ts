/**
 * The embedded store: one SQLite file, any number of processes. Calling `sqliteStore` touches nothing; the first use opens the
 * file, makes its tables and seals what killed processes left behind. Everything here only delegates: reads run at once, writes go
 * through one queue (commits.ts).
 */
import { resolve } from 'node:path';
import type { ArtifactId } from '../../model/artifact.ts';
import type { LedgerEvent } from '../../model/events.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import type { SessionRecord } from '../../model/session.ts';
import type * as Contract from '../../model/store.ts';
import { Drafting } from '../drafting.ts';
import { checkRetireOrder, closed, noSuchOutput } from '../refusals.ts';
import { Commits, type Operation } from './commits.ts';
import type { Connection, SqliteDriver } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { addEvents } from './ledger.ts';
import { listEvents, listOutputs, listSessions, usage } from './listing.ts';
import { openDatabase } from './opening.ts';
import { type Owner, thisOwner } from './owner.ts';
import { whenFree } from './patience.ts';
import { checkPiece, isEnd, openPart, pieceAt } from './reading.ts';
import { findOutput, freezeProjection, frozenProjection, mustBeNew } from './records.ts';
import { leaveDrafts, recover } from './recovery.ts';
import { endSessions, nextStretch, previewRetire, retireSome } from './retiring.ts';
import { hasGarbage, sweep } from './sweeping.ts';
import { SqliteWriter } from './writer.ts';

export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';

export interface SqliteStoreOptions {
  /** The database file; folders are made as needed. */
  readonly file: string;
  /** What a sealed output survives: `power` (default) the loss of power, `process` the death of the process. */
  readonly durability?: 'power' | 'process';
  readonly limits?: Contract.StoreLimits;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number;
  /** Opens the file with another driver than node:sqlite, e.g. `(file) => new Database(file)` of better-sqlite3. */
  readonly driver?: SqliteDriver;
}

export function sqliteStore(options: SqliteStoreOptions): Contract.Store {
  return new SqliteStore(options);
}

interface Opened {
  readonly db: Connection;
  readonly commits: Commits;
  readonly owner: Owner;
}

class SqliteStore implements Contract.Store {
  readonly #options: SqliteStoreOptions;
  readonly #file: string;
  readonly #clock: () => number;
  #opened: Promise<Opened> | undefined;
  #sweeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#file = resolve(options.file);
    this.#clock = options.clock ?? Date.now;
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    await this.#read((db) => mustBeNew(db, draft.id));
    const opened = await this.#open();
    const context = {
      owner: opened.owner,
      maxBytes: this.#options.limits?.maxBytes,
      clock: this.#clock,
      commit: <T>(operation: Operation<T>) => this.#write(operation),
      dropped: () => this.#sweepBehind(opened),
    };
    return new SqliteWriter(context, new Drafting(draft));
  }

  find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    return this.#read((db) => findOutput(db, key));
  }

  async read(id: ArtifactId, part: number, from: Contract.ReadFrom): Promise<Contract.Reading> {
    const { content, at } = await this.#read((db) => openPart(db, id, part, from));
    return { at, pieces: this.#pieces(id, part, content, at.bytes) };
  }

  list(query: Contract.OutputQuery): Promise<Contract.Page<OutputRecord>> {
    return this.#read((db) => listOutputs(db, query));
  }

  freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    return this.#write({ durable: true, run: (db) => freezeProjection(db, record, mode) });
  }

  frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#read((db) => frozenProjection(db, id, audience));
  }

  note(events: readonly LedgerEvent[]): Promise<void> {
    return this.#write({ durable: false, run: (db) => addEvents(db, events) });
  }

  events(query: Contract.EventQuery): Promise<Contract.Page<LedgerEvent>> {
    return this.#read((db) => listEvents(db, query));
  }

  sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    return this.#read((db) => listSessions(db, query));
  }

  async retire(order: Contract.RetireOrder): Promise<Contract.Retired> {
    checkRetireOrder(order);
    if (order.preview) return this.#read((db) => previewRetire(db, order));
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { meant, last } = await this.#read((db) => nextStretch(db, order, after ?? 0));
      after = last;
      if (meant.length === 0) continue;
      const done = await this.#write({ durable: true, run: (db) => retireSome(db, order, meant) });
      total.outputs += done.outputs;
      total.bytesFreed += done.bytesFreed;
    }
    // Last, so that an order that is interrupted leaves the session open, to be ended again.
    if (order.endSession)
      total.sessionsEnded = await this.#write({ durable: true, run: (db) => endSessions(db, order) });
    if (order.how === 'purge') await this.#sweep(await this.#open());
    return total;
  }

  usage(): Promise<Contract.Usage> {
    return this.#read(usage);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async *#pieces(id: ArtifactId, part: number, content: number, from: number): AsyncGenerator<Uint8Array> {
    for (let start = from; ; ) {
      const piece = await this.#read((db) => pieceAt(db, content, start));
      if (piece === undefined) {
        if (await this.#read((db) => isEnd(db, content, start))) return;
        throw noSuchOutput();
      }
      checkPiece(piece, id, part);
      yield piece.data;
      start += piece.bytes;
    }
  }

  async #read<T>(query: (db: Connection) => T): Promise<T> {
    const { db } = await this.#open();
    try {
      return await whenFree(() => query(db));
    } catch (error) {
      throw asSpillwayError(error, this.#file);
    }
  }

  async #write<T>({ durable, run }: Operation<T>): Promise<T> {
    const { commits } = await this.#open();
    try {
      return await commits.add({ durable: durable && this.#options.durability !== 'process', run });
    } catch (error) {
      throw asSpillwayError(error, this.#file);
    }
  }

  #open(): Promise<Opened> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    this.#opened ??= this.#openNow();
    // A failure is not remembered: the folder may be writable the next time.
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }

  async #openNow(): Promise<Opened> {
    const db = await openDatabase(this.#file, this.#options.driver);
    const commits = new Commits(db);
    const owner = thisOwner();
    // What cannot be recovered now (no room, no lock) can be the next time; it must not keep the rest from being used.
    await recover(db, commits, owner, this.#clock()).catch(() => undefined);
    const opened = { db, commits, owner };
    this.#sweepBehind(opened);
    return opened;
  }

  #sweepBehind(opened: Opened): void {
    // Garbage that could not be deleted now is found again later; the caller's own work is done.
    if (hasGarbage(opened.db)) this.#sweep(opened).catch(() => undefined);
  }

  #sweep({ commits }: Opened): Promise<void> {
    this.#sweeping ??= sweep(commits, () => this.#closing !== undefined).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (opened === undefined) return;
    const { db, commits, owner } = opened;
    await commits.idle();
    // Left unlocked or not, the drafts are found again: by the next to open the store, or after the end of this process.
    await leaveDrafts(db, commits, owner).catch(() => undefined);
    await commits.idle();
    db.close();
  }
}
