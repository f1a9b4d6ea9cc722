/** Purges one output, inside a transaction. Its row stays as a tombstone. */
import { releaseContent } from './contents.ts';
import type { Connection } from './driver.ts';

/** Returns the bytes that nothing refers to any more. */
export function purge(db: Connection, seq: number, at: number): number {
  const parts = db.all<{ content: number }>('SELECT content FROM output_part WHERE output = ?', seq);
  const freed = parts.reduce((bytes, { content }) => bytes + releaseContent(db, content), 0);
  db.run('DELETE FROM output_part WHERE output = ?', seq);
  db.run('DELETE FROM projection WHERE output = ?', seq);
  db.run('DELETE FROM output_call_input WHERE output = ?', seq);
  db.run('UPDATE output SET purged_at = ?, disclosed = 0, record = NULL WHERE seq = ?', at, seq);
  return freed;
}
