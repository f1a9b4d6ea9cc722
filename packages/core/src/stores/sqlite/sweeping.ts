/**
 * Deletes unreferenced content, a bounded number of pieces per commit, so that purging gigabytes
 * never holds the lock for long. Free pages go back to the disk once they are a quarter of the
 * file, or at once if the disk is nearly full.
 */
import type { Write } from './commits.ts';
import { forgetFiles, releaseFiles } from './contents.ts';
import type { Connection } from './driver.ts';
import { GARBAGE } from './schema.ts';

const PIECES_A_STEP = 8;
const PAGES_A_STEP = 256;
const FREE_SHARE = 0.25;

export interface Sweeping {
  readonly stopped: () => boolean;
  readonly eager: () => boolean;
  readonly onStep?: ((freeBytes: number) => void) | undefined;
}

export async function sweep(db: Connection, write: Write, how: Sweeping): Promise<void> {
  await removeFiles(db, write);
  for (let more = true; more && !how.stopped(); how.onStep?.(freeBytes(db)))
    more = await write({ durable: false, run: (db) => sweepStep(db, how.eager) });
}

export function hasGarbage(db: Connection): boolean {
  return db.get('SELECT 1 FROM content WHERE refs < 0 LIMIT 1') !== undefined;
}

export function freeBytes(db: Connection): number {
  return db.pragma('freelist_count') * db.pragma('page_size');
}

/** Files go first: that frees the most. */
async function removeFiles(db: Connection, write: Write): Promise<void> {
  if (db.get('SELECT 1 FROM content WHERE refs < 0 AND file IS NOT NULL LIMIT 1') === undefined) return;
  const names = await write({ durable: true, run: releaseFiles });
  const gone = names.filter((name) => db.files.remove(name));
  await write({ durable: false, run: (db) => forgetFiles(db, gone) });
}

function sweepStep(db: Connection, eager: () => boolean): boolean {
  const garbage = db.get<{ id: number }>(
    `SELECT id FROM content WHERE refs < 0 AND refs = ${GARBAGE} AND file IS NULL ORDER BY id LIMIT 1`,
  );
  if (garbage === undefined) return giveBack(db, eager);
  const deleted = db.run(
    'DELETE FROM piece WHERE rowid IN (SELECT rowid FROM piece WHERE content = ? ORDER BY start_bytes LIMIT ?)',
    garbage.id,
    PIECES_A_STEP,
  );
  if (deleted < PIECES_A_STEP) db.run('DELETE FROM content WHERE id = ?', garbage.id);
  return true;
}

function giveBack(db: Connection, eager: () => boolean): boolean {
  const free = db.pragma('freelist_count');
  const many = free >= PAGES_A_STEP && free >= db.pragma('page_count') * FREE_SHARE;
  if (!many && (free === 0 || !eager())) return false;
  db.exec(`PRAGMA incremental_vacuum(${PAGES_A_STEP})`);
  // A file created by another program may not support it.
  return db.pragma('freelist_count') < free;
}
