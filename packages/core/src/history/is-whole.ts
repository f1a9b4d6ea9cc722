/** Whether stored bytes are those that were stored: all parts are read, and compared with their hash. */
import type { OutputRecord } from '../model/output.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { Sha256 } from '../text/digest.ts';

/** How an output is read back. */
export interface ReadBackOptions extends WaitOptions {
  /** Called with the bytes of each piece that was read. */
  readonly onBytes?: (bytes: number) => void;
}

/** Reads an output back. */
export async function isWhole(
  store: Store,
  { id, parts }: OutputRecord,
  { onBytes, ...wait }: ReadBackOptions = {},
): Promise<boolean> {
  for (const { index, hash } of parts) {
    const found = new Sha256();
    for await (const piece of (await store.read(id, index, { bytes: 0 }, wait)).pieces) {
      found.update(piece);
      onBytes?.(piece.length);
    }
    if (found.digest() !== hash) return false;
  }
  return true;
}
