/**
 * Access to the database. The first use opens it and seals what killed processes left; reads run at
 * once, writes are queued; failures become SpillwayErrors; it is closed once. Times are
 * milliseconds.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { Piece } from '../../model/piece.ts';
import type { WaitOptions } from '../../model/store.ts';
import { closed } from '../refusals.ts';
import { isAbort, unlessAborted } from '../waiting.ts';
import { Commits, type Operation, type Write } from './commits.ts';
import type { ContentFiles } from './content-files.ts';
import { freeBytes, hasGarbage, type Sweeping, sweep } from './contents.ts';
import { discardDraft, markUnstored, type Owner, thisOwner, unmarkUnstored } from './drafts.ts';
import type { Connection, SqliteDriver } from './driver.ts';
import { asSpillwayError, isFull } from './failures.ts';
import { openDatabase, type SqliteStoreOptions, type StoreLocation } from './opening.ts';
import { monotonicMs, nextTurn, Patience } from './patience.ts';
import { leaveDrafts, recover } from './recovery.ts';
import { Room } from './room.ts';
import { SchemaCheck } from './schema.ts';

/** Reads may follow each other for this long before the event loop gets a turn. */
const TURN_MS = 2;

export interface AccessOptions
  extends StoreLocation,
    Pick<SqliteStoreOptions, 'durability' | 'clock' | 'driver'> {
  /** When this process began, where another thread of it knows. */
  readonly processStart?: number;
}

interface WriteOptions extends WaitOptions {
  /** `free`: it frees room, so the reserve may be given up for it. */
  readonly purpose?: 'free';
}

interface Opened {
  readonly db: Connection;
  readonly commits: Commits;
  readonly room: Room;
  readonly identity: Identity;
}

interface Identity {
  readonly database: string | undefined;
  readonly log: string;
}

export class Access {
  readonly owner: Owner;
  readonly clock: () => number;
  readonly #file: string;
  readonly #location: StoreLocation;
  readonly #driver: SqliteDriver | undefined;
  readonly flushes: boolean;
  readonly #room: Room;
  readonly #patience = new Patience();
  #opened: Promise<Opened> | undefined;
  #current: Opened | undefined;
  #closing: Promise<void> | undefined;
  /** A database that was let go must be closed before it is opened again. */
  #leaving: Promise<void> = Promise.resolve();
  #turnAt = monotonicMs();
  readonly #unstored = new Set<ArtifactId>();
  #retrying: Promise<unknown> = Promise.resolve();

  constructor(options: AccessOptions) {
    const { durability = 'power', clock = Date.now, driver, processStart } = options;
    this.owner = thisOwner(processStart);
    this.#file = resolve(options.file);
    this.#location = options;
    this.#driver = driver;
    this.flushes = durability === 'power';
    this.#room = new Room(this.#file);
    this.clock = clock;
  }

  async read<T>(query: (db: Connection) => T, signal?: AbortSignal): Promise<T> {
    const opened = await unlessAborted(this.#open(), signal);
    await this.#giveTurn();
    return this.#explained(signal, () => {
      signal?.throwIfAborted();
      if (fileIdentity(this.#file) !== opened.identity.database) this.#refuseChanged(opened);
      return unlessAborted(
        this.#patience.whenFree(() => query(opened.db)),
        signal,
      );
    });
  }

  async write<T>({ durable, run }: Operation<T>, { purpose, signal }: WriteOptions = {}): Promise<T> {
    const opened = await unlessAborted(this.#open(), signal);
    this.#discardUnstored(opened);
    return this.#explained(signal, async () => {
      const operation = { durable: durable && this.flushes, run };
      const done = await (purpose === 'free'
        ? free(opened, operation, signal)
        : opened.commits.add(operation, signal));
      // Without its name the file cannot be found again, so the write does not count as stored.
      if (durable) this.#mustBeThere(opened);
      return done;
    });
  }

  async #explained<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isAbort(error, signal) ? error : asSpillwayError(error, this.#file);
    }
  }

  mustHold(db: Connection, { bytes, start }: Piece): void {
    this.#room.mustHold(bytes.length, start.bytes, () => freeBytes(db));
  }

  async beside<T>(bytes: number, before: number, work: (files: ContentFiles) => Promise<T>): Promise<T> {
    const { db } = await this.#open();
    return this.#explained(undefined, () => {
      if (bytes > 0) this.#room.mustHold(bytes, before, () => 0);
      return work(db.files);
    });
  }

  /**
   * Forgets a draft. If that fails it is tried again with later writes, and never taken for the
   * remains of a killed process.
   */
  async discard(id: ArtifactId): Promise<void> {
    try {
      await this.write({ durable: true, run: (db) => discardDraft(db, id) }, { purpose: 'free' });
      this.#unstored.delete(id);
    } catch (error) {
      this.#unstored.add(id);
      markUnstored(this.#file, id);
      throw error;
    }
  }

  async sweep(options?: Partial<Sweeping>): Promise<void> {
    const opened = await this.#open();
    await this.#explained(undefined, () => this.#sweep(opened, options));
  }

  /** Opens the store. On a nearly full disk, garbage is deleted before more is stored. */
  async ready(): Promise<void> {
    const opened = await this.#open();
    if (this.#room.isTight && hasGarbage(opened.db)) await this.#sweep(opened).catch(ignore);
  }

  sweepBehind(): void {
    this.#opened
      ?.then(async (opened) => {
        if (hasGarbage(opened.db)) await this.#sweep(opened);
      })
      .catch(() => {
        // Garbage that cannot be deleted now is found by the next purge or the next open.
      });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Reads never wait, so a caller in a loop would starve the event loop: give it a turn every few
   * ms.
   */
  async #giveTurn(): Promise<void> {
    if (monotonicMs() - this.#turnAt < TURN_MS) return;
    await nextTurn();
    this.#turnAt = monotonicMs();
  }

  #open(): Promise<Opened> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    if (this.#opened === undefined) {
      this.#opened = this.#openNow();
      // A failure to open is not remembered: the folder may be writable next time.
      this.#opened.catch(() => {
        this.#opened = undefined;
      });
      this.sweepBehind();
    }
    return this.#opened;
  }

  async #openNow(): Promise<Opened> {
    await this.#leaving;
    const db = await this.#openDatabase();
    const schema = new SchemaCheck(this.#file);
    const commits = new Commits(db, this.#file, this.#patience, () => {
      this.#mustBeThere(opened);
      schema.mustBeOurs(db);
    });
    const opened: Opened = { db, commits, room: this.#room, identity: identityOf(this.#file) };
    // What cannot be recovered now (no room, no lock) is tried at the next open, and must not block
    // use.
    const write: Write = (operation) => free(opened, operation);
    await recover({ db, write, file: this.#file }, this.owner, this.clock()).catch(() => undefined);
    this.#current = opened;
    return opened;
  }

  /** SQLite creates files beside the database; on a full disk they need the room of the reserve. */
  async #openDatabase(): Promise<Connection> {
    const open = () => openDatabase(this.#location, this.#driver, this.#patience);
    try {
      return await open();
    } catch (error) {
      if (!this.#room.isTight || !this.#room.release()) throw error;
      return open();
    }
  }

  /** A removed file or log still accepts writes, but nothing can read them afterwards. */
  #mustBeThere(opened: Opened): void {
    const { database, log } = identityOf(this.#file);
    if (database !== opened.identity.database || log !== opened.identity.log) this.#refuseChanged(opened);
  }

  #refuseChanged(opened: Opened): never {
    const isThere = fileIdentity(this.#file) === opened.identity.database;
    this.#letGo(opened, isThere);
    throw new SpillwayError(
      'store_unavailable',
      isThere
        ? `The log of the store ${this.#file} was removed or replaced while it was in use: leave ${this.#file}-wal and ${this.#file}-shm alone. What comes next is stored again.`
        : `The store ${this.#file} was removed or replaced while it was in use: put it back, or go on with a new one.`,
    );
  }

  /** The next use opens what is there then. If several uses notice at once, the first lets go. */
  #letGo(opened: Opened, rescue: boolean): void {
    if (this.#current !== opened) return;
    this.#current = undefined;
    // Move what is only in the unnamed log into the database; the next use waits for that. SQLite
    // leaves the files of a successor alone when it closes.
    const closed = opened.commits.idle().then(() => {
      if (rescue) emptyWal(opened.db);
      opened.db.close();
    });
    this.#opened = undefined;
    this.#leaving = closed.catch(ignore);
  }

  #discardUnstored(opened: Opened): void {
    for (const id of this.#unstored) {
      this.#unstored.delete(id);
      const attempt = free(opened, { durable: false, run: (db) => discardDraft(db, id) });
      const retried = attempt.then(
        () => unmarkUnstored(this.#file, id),
        () => void this.#unstored.add(id),
      );
      this.#retrying = Promise.all([this.#retrying, retried]);
    }
  }

  #sweep(opened: Opened, options: Partial<Sweeping> = {}): Promise<void> {
    return sweep(opened.db, (operation) => free(opened, operation), {
      stopped: () => this.#closing !== undefined,
      eager: () => this.#room.isTight,
      ...options,
    });
  }

  async #close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (opened === undefined) return;
    const { db, commits } = opened;
    await commits.idle();
    this.#discardUnstored(opened);
    await this.#retrying;
    // If this fails, the drafts are recovered after the end of this process.
    await leaveDrafts(db, commits, this.owner, this.#unstored).catch(() => undefined);
    await commits.idle();
    if (this.#room.isTight) await this.#sweep(opened, { stopped: () => false }).catch(ignore);
    db.close();
    this.#room.restore();
  }
}

/**
 * A write that frees room. If the disk is too full even for that, the reserve is deleted and the WAL
 * emptied first.
 */
async function free<T>(
  { db, commits, room }: Opened,
  operation: Operation<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await commits.add(operation, signal);
  } catch (error) {
    if (!isFull(error)) throw error;
    room.release();
    emptyWal(db);
    return commits.add(operation, signal);
  }
}

function emptyWal(db: Connection): void {
  try {
    db.get('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The next attempt reports the reason.
  }
}

function identityOf(file: string): Identity {
  return {
    database: fileIdentity(file),
    log: `${fileIdentity(`${file}-wal`)} ${fileIdentity(`${file}-shm`)}`,
  };
}

function fileIdentity(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch {
    return undefined;
  }
}

function ignore(): void {}
