/**
 * Removes what nothing refers to, a bounded number of rows a transaction: content that a dead writer
 * left a day ago, content that no output has, and citations of outputs that were purged. The server
 * uses the room again (autovacuum). Safe while others write. Sizes are bytes.
 */
import { Access, type AccessOptions } from './access.ts';
import type { Connection } from './driver.ts';
import { ABANDONED } from './writer.ts';

const ROWS_A_STEP = 100;

/** Which server, and how. */
export interface VacuumRequest extends AccessOptions {
  /** Only count. */
  readonly preview?: true;
  /** Told of every step: what was removed so far. */
  readonly onStep?: (removed: Vacuumed) => void;
}

/** What was removed, or would be. */
export interface Vacuumed {
  /** Contents that nothing referred to. */
  readonly contents: number;
  readonly bytes: number;
  /** Citations of outputs that are gone. */
  readonly citations: number;
}

const NOTHING: Vacuumed = { contents: 0, bytes: 0, citations: 0 };

const UNREFERENCED = `(${ABANDONED}) OR (hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @part p WHERE p.content = content.id))`;
const DANGLING = 'NOT EXISTS (SELECT 1 FROM @output o WHERE o.id = citation.output AND o.purged_at IS NULL)';

export async function vacuumServer({ preview, onStep, ...options }: VacuumRequest): Promise<Vacuumed> {
  const access = new Access(options);
  try {
    if (preview) return await access.read(unreferenced);
    let total: Vacuumed = NOTHING;
    for (let more = true; more; onStep?.(total)) {
      const step = await access.keepUp(removeSome);
      const { contents, bytes, citations } = step;
      total = {
        contents: total.contents + contents,
        bytes: total.bytes + bytes,
        citations: total.citations + citations,
      };
      more = step.more;
    }
    return total;
  } finally {
    await access.close();
  }
}

async function unreferenced(db: Connection): Promise<Vacuumed> {
  const row = await db.get<Vacuumed>(
    `SELECT count(*) AS contents, sum(bytes) AS bytes, (SELECT count(*) FROM @citation AS citation WHERE ${DANGLING}) AS citations
     FROM @content AS content WHERE ${UNREFERENCED}`,
  );
  return { ...NOTHING, ...row, bytes: row?.bytes ?? 0 };
}

async function removeSome(db: Connection): Promise<Vacuumed & { readonly more: boolean }> {
  // Locked first, then checked again: a seal may just have found it.
  const found = await db.all<{ id: number }>(
    `SELECT id FROM @content AS content WHERE ${UNREFERENCED} ORDER BY id LIMIT ${ROWS_A_STEP} FOR UPDATE SKIP LOCKED`,
  );
  const removed = await db.all<{ bytes: number }>(
    `DELETE FROM @content AS content WHERE id = ANY($1::bigint[]) AND (${UNREFERENCED}) RETURNING bytes`,
    found.map(({ id }) => id),
  );
  const citations = await db.run(
    `DELETE FROM @citation WHERE ctid IN (SELECT ctid FROM @citation AS citation WHERE ${DANGLING} LIMIT ${ROWS_A_STEP})`,
  );
  return {
    contents: removed.length,
    bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0),
    citations,
    more: removed.length > 0 || citations > 0,
  };
}
