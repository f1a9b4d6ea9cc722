/**
 * Compresses the content of old outputs where it lies, a few pieces a commit. Pieces stay
 * checkpoints with their checksums over the bytes as they are read, so nothing else changes. A
 * request that was interrupted is finished by giving it again. Sizes are bytes.
 */
import type { ArchiveRequest } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { type Codec, LEAST_PACKED_BYTES, packed } from '../codecs.ts';
import type { Connection } from './driver.ts';
import { giveUpFile } from './large-content.ts';
import { pieceAt } from './reading.ts';
import { keyText } from './schema.ts';

const OUTPUTS_A_LOOK = 64;
const PIECES_A_STEP = 8;

/** The contents of the next outputs that a request means, and where to go on. */
export interface Look {
  readonly contents: readonly number[];
  readonly outputs: number;
  readonly last?: number;
}

export function nextContents(db: Connection, request: ArchiveRequest, after: number): Look {
  const { scope, session, before } = request;
  const rows = db.all<{ seq: number }>(
    `SELECT seq FROM output WHERE purged_at IS NULL AND scope = ? AND ended_at < ? AND seq > ?
     ${session === undefined ? '' : 'AND session = ?'} ORDER BY seq LIMIT ?`,
    keyText(scope),
    before,
    after,
    ...(session === undefined ? [] : [keyText(session)]),
    OUTPUTS_A_LOOK,
  );
  const contents = rows.flatMap(({ seq }) =>
    db.all<{ content: number }>('SELECT content FROM output_part WHERE output = ?', seq),
  );
  const last = rows.at(-1)?.seq;
  const found = { contents: contents.map(({ content }) => content), outputs: rows.length };
  return last === undefined ? found : { ...found, last };
}

export interface Step {
  readonly before: number;
  readonly after: number;
  /** Where to go on; without it, this was the end of the content. */
  readonly next?: number;
}

/** Compresses the next few pieces of a content; those in a file come back into rows. */
export function archiveSome(db: Connection, content: number, from: number, codec: Codec): Step {
  const pieces = db.all<{ start_bytes: number; crc: number; data: Uint8Array }>(
    `SELECT start_bytes, crc, data FROM piece WHERE content = ? AND start_bytes >= ?
     AND (length(data) >= ${LEAST_PACKED_BYTES} OR ${IN_FILE}) ORDER BY start_bytes LIMIT ?`,
    content,
    from,
    PIECES_A_STEP,
  );
  let [before, after] = [0, 0];
  for (const { start_bytes: start, crc, data: inRow } of pieces) {
    const data = inRow.length > 0 ? inRow : (pieceAt(db, content, start)?.data ?? inRow);
    const smaller = packed(data, crc, codec);
    if (smaller !== null) {
      db.run('INSERT OR REPLACE INTO archived VALUES (?, ?, ?, ?)', content, start, codec.name, smaller);
      db.run("UPDATE piece SET data = x'' WHERE content = ? AND start_bytes = ?", content, start);
      before += data.length;
      after += smaller.length;
    } else if (inRow.length === 0 && crc32(data) === crc)
      db.run('UPDATE piece SET data = ? WHERE content = ? AND start_bytes = ?', data, content, start);
  }
  const last = pieces.at(-1);
  if (pieces.length === PIECES_A_STEP && last !== undefined)
    return { before, after, next: last.start_bytes + 1 };
  // What is damaged stays where it is, and its file with it.
  if (db.get(`SELECT 1 FROM piece WHERE content = ? AND ${IN_FILE} LIMIT 1`, content) === undefined)
    giveUpFile(db, content);
  return { before, after };
}

/** That the bytes of a piece are in a file: neither in its row nor compressed. */
const IN_FILE = `(length(data) = 0 AND NOT EXISTS
  (SELECT 1 FROM archived a WHERE a.content = piece.content AND a.start_bytes = piece.start_bytes))`;
