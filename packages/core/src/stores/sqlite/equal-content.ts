/**
 * Equal content is stored once, so content under the same hash is read and checked before it is
 * reused. If it does not match its hash (damaged disk, changed file), it loses the hash and the new
 * content is kept; the old one stays readable as far as it is whole.
 */
import { Sha256 } from '../../text/digest.ts';
import type { StoredPiece } from '../sql/dialect.ts';
import { pieceBytes } from '../sql/reading.ts';
import type { Access } from './access.ts';
import { pieceFrom } from './contents.ts';
import type { Connection } from './driver.ts';

export async function checkEqualContent(access: Access, hashes: readonly string[]): Promise<void> {
  const equal = await access.read((db) => [...new Set(hashes)].flatMap((hash) => contentUnder(db, hash)));
  for (const { id, hash } of equal) {
    const found = await hashOf((at) => access.read((db) => pieceFrom(db, id, at)));
    if (found !== hash) await access.write({ durable: true, run: (db) => disown(db, id) });
  }
}

/** Null if some of it is damaged. */
export async function hashOf(
  pieceFrom: (at: number) => Promise<StoredPiece | undefined>,
): Promise<string | null> {
  const hash = new Sha256();
  for (let at = 0; ; ) {
    const piece = await pieceFrom(at);
    if (piece === undefined) return hash.digest();
    const bytes = piece.start === at ? pieceBytes(piece) : null;
    if (bytes === null) return null;
    hash.update(bytes);
    at += bytes.length;
  }
}

function contentUnder(db: Connection, hash: string): { readonly id: number; readonly hash: string }[] {
  return db.all('SELECT id, hash FROM content WHERE hash = ?', hash);
}

function disown(db: Connection, id: number): void {
  db.run("UPDATE content SET hash = 'damaged-' || id WHERE id = ?", id);
}
