/**
 * Removes unreferenced content and gives free pages back to the disk, on request. A store sweeps
 * after every purge, but returns pages only once they are a quarter of the file.
 */
import { Access } from './access.ts';
import { freeBytes } from './contents.ts';
import type { Connection } from './driver.ts';
import type { StoreLocation } from './opening.ts';
import { GARBAGE } from './schema.ts';

/** Which store, and how. */
export interface VacuumRequest extends StoreLocation {
  /** Only count. */
  readonly preview?: true;
  /** Ends it between two steps; what was removed stays removed. */
  readonly signal?: AbortSignal;
  /** Called after each step with the free bytes of the file. */
  readonly onStep?: (freeBytes: number) => void;
}

/** What was removed, or would be. */
export interface Vacuumed {
  /** Contents that nothing referred to. */
  readonly contents: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Bytes of the file that were given back. */
  readonly fileBytes: number;
}

const WRITTEN_BY_NOBODY = 'hash IS NULL AND refs = 0 AND id NOT IN (SELECT content FROM draft_part)';
const REFERRED_BY_NOBODY = 'hash IS NOT NULL AND id NOT IN (SELECT content FROM part)';
/** Left by a killed process, or about to be swept. */
const UNREFERENCED = `refs < 0 OR (${WRITTEN_BY_NOBODY}) OR (${REFERRED_BY_NOBODY})`;

/** Removes what nothing refers to, and makes the file smaller. Safe while others use it. */
export async function vacuumStore({
  preview,
  signal,
  onStep,
  ...location
}: VacuumRequest): Promise<Vacuumed> {
  const access = new Access(location);
  const wait = signal === undefined ? {} : { signal };
  try {
    const read = <T>(query: (db: Connection) => T): Promise<T> => access.read(query, signal);
    const found = await read(unreferenced);
    if (preview) return { ...found, fileBytes: (await read(freeBytes)) + found.bytes };
    const before = await read(fileBytes);
    await access.write({ durable: false, run: giveUp }, { ...wait, purpose: 'free' });
    await access.sweep({
      eager: () => true,
      stopped: () => signal?.aborted === true,
      onStep,
    });
    signal?.throwIfAborted();
    return { ...found, fileBytes: Math.max(0, before - (await read(fileBytes))) };
  } finally {
    await access.close();
  }
}

function unreferenced(db: Connection): Pick<Vacuumed, 'contents' | 'bytes'> {
  const row = db.get<{ contents: number; bytes: number | null }>(
    `SELECT count(*) AS contents, sum(bytes) AS bytes FROM content WHERE ${UNREFERENCED}`,
  );
  return { contents: row?.contents ?? 0, bytes: row?.bytes ?? 0 };
}

/** Marks it for sweeping and corrects the counters. */
function giveUp(db: Connection): void {
  for (const [condition, counter] of [
    [WRITTEN_BY_NOBODY, 'open_bytes'],
    [REFERRED_BY_NOBODY, 'kept_bytes'],
  ] as const) {
    db.run(
      `UPDATE meta SET value = value - (SELECT coalesce(sum(bytes), 0) FROM content WHERE ${condition})
       WHERE name = ?`,
      counter,
    );
    db.run(`UPDATE content SET refs = ${GARBAGE}, hash = NULL WHERE ${condition}`);
  }
}

function fileBytes(db: Connection): number {
  return db.pragma('page_count') * db.pragma('page_size');
}
