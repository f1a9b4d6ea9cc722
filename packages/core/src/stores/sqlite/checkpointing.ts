/**
 * Keeps the WAL short. SQLite moves pages from the WAL into the file after every commit that leaves more than a few (see opening.ts),
 * but begins the WAL anew only when all of them were moved, which does not happen while two processes write all the time.
 * So now and then one of them asks for it. Sizes are pages.
 */
import type { Connection } from './driver.ts';

const COMMITS_BETWEEN_LOOKS = 32;
const LONG_WAL_PAGES = 4_096;

export class WalLength {
  #commits = 0;

  /** Call after a commit, outside any transaction. */
  committed(db: Connection): void {
    if (++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    const wal = db.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)');
    // If somebody is in the way this does what it can and returns: there will be another time.
    if (wal !== undefined && wal.log > LONG_WAL_PAGES) db.get('PRAGMA wal_checkpoint(RESTART)');
  }
}
