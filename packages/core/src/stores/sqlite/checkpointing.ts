/**
 * Keeps the WAL short. SQLite moves pages from the WAL into the file after every commit that leaves
 * more than a few (see opening.ts), but begins the WAL anew only when all of them were moved, which
 * does not happen while two processes write all the time. So now and then one of them asks for it.
 * Sizes are pages.
 */
import { statSync } from 'node:fs';
import type { Connection } from './driver.ts';

const COMMITS_BETWEEN_LOOKS = 32;
const LONG_WAL_PAGES = 4_096;
const PAGE_BYTES = 4_096;

export class WalLength {
  readonly #wal: string;
  #commits = 0;

  /** `file` is the database. */
  constructor(file: string) {
    this.#wal = `${file}-wal`;
  }

  /**
   * Call after a commit, outside any transaction. What is committed stays so, whatever happens
   * here.
   */
  committed(db: Connection): void {
    if (++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    try {
      // The file is never shorter than what is in it. A look inside would flush both files.
      const { size = 0 } = statSync(this.#wal, { throwIfNoEntry: false }) ?? {};
      if (size <= LONG_WAL_PAGES * PAGE_BYTES) return;
      const wal = db.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)');
      if (wal === undefined || wal.log <= LONG_WAL_PAGES) return;
      const restart = db.get<{ busy: number }>('PRAGMA wal_checkpoint(RESTART)');
      // Somebody was writing or reading: with the next commit again.
      if (restart?.busy === 1) this.#commits = COMMITS_BETWEEN_LOOKS - 1;
    } catch {
      // Somebody is in the way, or the disk fails: the WAL stays longer for now, and a failing disk
      // shows at the next commit.
    }
  }
}
