/**
 * Compresses the content of old outputs where it lies, a piece a statement: readers see a piece
 * before or after, never between. Pieces stay checkpoints with their checksums over the bytes as
 * they are read. A request that was interrupted is finished by giving it again. Sizes are bytes.
 */
import { type ArchiveRequest, type Codec, LEAST_PACKED_BYTES, packed } from '@spillway/core/store';
import { allOf } from './conditions.ts';
import type { Connection } from './driver.ts';
import { keyOf } from './schema.ts';

const OUTPUTS_A_LOOK = 64;
const PIECES_A_STEP = 8;

/** The contents of the next outputs that a request means, and where to go on. */
export interface Look {
  readonly contents: readonly string[];
  readonly outputs: number;
  readonly last: string | undefined;
}

export async function nextContents(db: Connection, request: ArchiveRequest, after: string): Promise<Look> {
  const { scope, session, before } = request;
  const { sql, values } = allOf([
    ['purged_at IS NULL'],
    ['scope = ?', keyOf(scope)],
    ['ended_at < ?', before],
    ['seq > ?', after],
    session === undefined ? undefined : ['session = ?', keyOf(session)],
  ]);
  const rows = await db.all<{ seq: string }>(
    `SELECT seq FROM @output WHERE ${sql} ORDER BY seq LIMIT ${OUTPUTS_A_LOOK}`,
    ...values,
  );
  const contents = await db.all<{ content: string }>(
    'SELECT DISTINCT content FROM @part WHERE output = ANY($1::bigint[])',
    rows.map(({ seq }) => seq),
  );
  return { contents: contents.map(({ content }) => content), outputs: rows.length, last: rows.at(-1)?.seq };
}

export interface Step {
  readonly before: number;
  readonly after: number;
  /** Where to go on; undefined at the end of the content. */
  readonly next: number | undefined;
}

/** Compresses the next few pieces of a content. */
export async function archiveSome(
  db: Connection,
  content: string,
  from: number,
  codec: Codec,
): Promise<Step> {
  const pieces = await db.all<{ start_bytes: string; crc: string; data: Uint8Array }>(
    `SELECT start_bytes, crc, data FROM @piece
     WHERE content = $1 AND start_bytes >= $2 AND codec IS NULL AND bytes >= ${LEAST_PACKED_BYTES} ORDER BY start_bytes LIMIT ${PIECES_A_STEP}`,
    content,
    from,
  );
  let [before, after] = [0, 0];
  for (const { start_bytes: start, crc, data } of pieces) {
    const smaller = packed(data, Number(crc), codec);
    if (smaller === null) continue;
    const changed = await db.run(
      'UPDATE @piece SET codec = $3, data = $4 WHERE content = $1 AND start_bytes = $2 AND codec IS NULL',
      content,
      start,
      codec.name,
      smaller,
    );
    // Purged meanwhile, or archived by another machine.
    if (changed === 0) continue;
    before += data.length;
    after += smaller.length;
  }
  const last = pieces.at(-1);
  const more = pieces.length === PIECES_A_STEP && last !== undefined;
  return { before, after, next: more ? Number(last.start_bytes) + 1 : undefined };
}
