/** Whether stored bytes are those that were stored: all parts are read, and compared with their hash. */
import type { OutputRecord } from '../model/output.ts';
import type { Store } from '../model/store.ts';
import { Sha256 } from '../text/digest.ts';

/** Reads an output back. `seen` is told of the bytes as they are read. */
export async function isWhole(
  store: Store,
  { id, parts }: OutputRecord,
  seen: (bytes: number) => void = () => {},
): Promise<boolean> {
  for (const { index, hash } of parts) {
    const found = new Sha256();
    for await (const piece of (await store.read(id, index, { bytes: 0 })).pieces) {
      found.update(piece);
      seen(piece.length);
    }
    if (found.digest() !== hash) return false;
  }
  return true;
}
