/**
 * Where the bytes of large content may live apart from the records: a bucket (S3), a folder. A store
 * that uses one keeps rows for what is small and, for each large content, the key of an object and
 * the checkpoints of its pieces. Objects are immutable. Keys are made by the store, never by what
 * was captured: they name no content and no tenant. See docs/decisions/0028-content-driver.md.
 *
 * An object is durable when `put` resolves, and only then does a seal refer to it. So a crash leaves
 * at most objects that no record refers to; the store finds them by `list` and removes them.
 */
import type { ByteRange } from './extent.ts';
import type { WaitOptions } from './page.ts';

export interface ContentDriver {
  /**
   * Keeps an object, whole or not at all. A key that is taken is refused with `conflict`. What is
   * left of one that failed is the driver's to remove.
   */
  put(key: string, chunks: AsyncIterable<Uint8Array>, wait?: WaitOptions): Promise<StoredObject>;
  /**
   * The bytes from `start` up to `end`, as far as the object has them. One that is not there is
   * refused with `not_found`.
   */
  read(key: string, range: ByteRange, wait?: WaitOptions): AsyncIterable<Uint8Array>;
  /** Removes objects; those that are not there are no error. */
  remove(keys: readonly string[], wait?: WaitOptions): Promise<void>;
  /** All objects in the order of their keys, after a key where one is given. */
  list(options?: { readonly after?: string } & WaitOptions): AsyncIterable<StoredObject>;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}
