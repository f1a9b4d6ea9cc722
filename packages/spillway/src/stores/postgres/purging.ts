/** Purges one output, inside a transaction. Its row stays as a tombstone. */
import { releaseParts } from './contents.ts';
import type { Connection } from './driver.ts';

/** Returns the bytes that nothing refers to any more. */
export async function purge(db: Connection, seq: string, at: number): Promise<number> {
  const freed = await releaseParts(db, seq);
  await db.run('DELETE FROM @projection WHERE output = $1', seq);
  await db.run('DELETE FROM @call_input WHERE output = $1', seq);
  await db.run('UPDATE @output SET purged_at = $1, disclosed = false, record = NULL WHERE seq = $2', at, seq);
  return freed;
}
