/**
 * The way to the database: opened by the first use, with what killed processes left behind sealed; reads answered at once, writes
 * queued; every failure turned into an error of ours; closed once. Times are milliseconds.
 */
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closed } from '../refusals.ts';
import { Commits, type Operation } from './commits.ts';
import type { Connection, SqliteDriver } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { openDatabase } from './opening.ts';
import { type Owner, thisOwner } from './owner.ts';
import { whenFree } from './patience.ts';
import { leaveDrafts, recover } from './recovery.ts';
import { hasGarbage, sweep } from './sweeping.ts';

/** How long reads may follow each other without a turn of the event loop. */
const TURN_MS = 2;

export interface AccessOptions {
  readonly file: string;
  readonly durability?: 'power' | 'process';
  readonly clock?: () => number;
  readonly driver?: SqliteDriver;
}

interface Opened {
  readonly db: Connection;
  readonly commits: Commits;
}

export class Access {
  readonly owner: Owner = thisOwner();
  readonly clock: () => number;
  readonly #file: string;
  readonly #driver: SqliteDriver | undefined;
  readonly #flushes: boolean;
  #opened: Promise<Opened> | undefined;
  #closing: Promise<void> | undefined;
  #turnAt = 0;

  constructor({ file, durability = 'power', clock = Date.now, driver }: AccessOptions) {
    this.#file = resolve(file);
    this.#driver = driver;
    this.#flushes = durability === 'power';
    this.clock = clock;
  }

  async read<T>(query: (db: Connection) => T): Promise<T> {
    const { db } = await this.#open();
    await this.#giveTurn();
    try {
      return await whenFree(() => query(db));
    } catch (error) {
      throw asSpillwayError(error, this.#file);
    }
  }

  async write<T>({ durable, run }: Operation<T>): Promise<T> {
    const { commits } = await this.#open();
    try {
      return await commits.add({ durable: durable && this.#flushes, run });
    } catch (error) {
      throw asSpillwayError(error, this.#file);
    }
  }

  /** Deletes content that nothing refers to. */
  async sweep(): Promise<void> {
    const opened = await this.#open();
    try {
      await this.#sweep(opened);
    } catch (error) {
      throw asSpillwayError(error, this.#file);
    }
  }

  /** The same, after the caller's own work is done and without it knowing. */
  sweepBehind(): void {
    this.#opened
      ?.then(async (opened) => {
        if (hasGarbage(opened.db)) await this.#sweep(opened);
      })
      .catch(() => {
        // Garbage that could not be deleted now is found again by the next purge, or the next to open the file.
      });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Reads are answered at once, so a caller in a loop would never let the event loop go on: every few milliseconds it must. */
  async #giveTurn(): Promise<void> {
    if (performance.now() - this.#turnAt < TURN_MS) return;
    await nextTurn();
    this.#turnAt = performance.now();
  }

  #open(): Promise<Opened> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    if (this.#opened === undefined) {
      this.#opened = this.#openNow();
      // A failure is not remembered: the folder may be writable the next time.
      this.#opened.catch(() => {
        this.#opened = undefined;
      });
      this.sweepBehind();
    }
    return this.#opened;
  }

  async #openNow(): Promise<Opened> {
    const db = await openDatabase(this.#file, this.#driver);
    const commits = new Commits(db);
    // What cannot be recovered now (no room, no lock) can be the next time; it must not keep the rest from being used.
    await recover(db, commits, this.owner, this.clock()).catch(() => undefined);
    return { db, commits };
  }

  #sweep({ commits }: Opened): Promise<void> {
    return sweep(commits, () => this.#closing !== undefined);
  }

  async #close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (opened === undefined) return;
    const { db, commits } = opened;
    await commits.idle();
    // If it fails, the drafts are found after the end of this process all the same.
    await leaveDrafts(db, commits, this.owner).catch(() => undefined);
    await commits.idle();
    db.close();
  }
}
