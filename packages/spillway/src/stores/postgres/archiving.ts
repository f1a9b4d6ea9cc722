/**
 * Compresses the content of old outputs where it lies, a piece a statement: readers see a piece before or after, never between. Pieces stay
 * checkpoints with their checksums over the bytes as they are read. An order that was interrupted is finished by giving it again. Sizes are bytes.
 */
import { crc32 } from 'node:zlib';
import type { ArchiveOrder } from '@spillway/core';
import type { Codec } from '@spillway/core/stores';
import { allOf } from './conditions.ts';
import type { Connection } from './driver.ts';
import { keyOf } from './schema.ts';

const OUTPUTS_A_LOOK = 64;
const PIECES_A_STEP = 8;
/** A piece that does not get smaller than this share of itself stays as it is. */
const WORTH_IT = 0.9;
const LEAST_BYTES = 256;

/** The contents of the next outputs that an order means, and where to go on. */
export interface Look {
  readonly contents: readonly string[];
  readonly outputs: number;
  readonly last: string | undefined;
}

export async function nextContents(db: Connection, order: ArchiveOrder, after: string): Promise<Look> {
  const { scope, session, before } = order;
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
     WHERE content = $1 AND start_bytes >= $2 AND codec IS NULL AND bytes >= ${LEAST_BYTES} ORDER BY start_bytes LIMIT ${PIECES_A_STEP}`,
    content,
    from,
  );
  let [before, after] = [0, 0];
  for (const { start_bytes: start, crc, data } of pieces) {
    // Damage is to be found by whoever reads it, not to be hidden under a new layer.
    if (crc32(data) !== Number(crc)) continue;
    const packed = codec.compress(data);
    if (packed.length > data.length * WORTH_IT) continue;
    const changed = await db.run(
      'UPDATE @piece SET codec = $3, data = $4 WHERE content = $1 AND start_bytes = $2 AND codec IS NULL',
      content,
      start,
      codec.name,
      packed,
    );
    // Purged meanwhile, or archived by another machine.
    if (changed === 0) continue;
    before += data.length;
    after += packed.length;
  }
  const last = pieces.at(-1);
  const more = pieces.length === PIECES_A_STEP && last !== undefined;
  return { before, after, next: more ? Number(last.start_bytes) + 1 : undefined };
}
