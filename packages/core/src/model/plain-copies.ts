/** Plain copies: the text of a cut output as a file, for callers that can read files. */
import type { OutputRecord } from './output.ts';

/** Where plain copies are kept. Both are best effort. */
export interface PlainCopyFolder {
  /** The path of the copy, or null if it could not be written. */
  write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<string | null>;
  /** Whether there was one. */
  remove(record: OutputRecord): Promise<boolean>;
}
