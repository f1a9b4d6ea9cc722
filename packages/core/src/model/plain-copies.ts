/** Plain copies: the text of a cut output as a file, for callers that can read files. */
import type { OutputDraft, OutputRecord } from './output.ts';

/** Where plain copies are kept. All of it is best effort: nothing here rejects. */
export interface PlainCopyFolder {
  /** The path that the copy will have; null if there is none, as for too many bytes. */
  path(output: OutputDraft, byteLength: number): string | null;
  /** Begins the copy of an output whose text is being captured. */
  begin(output: OutputDraft): PlainCopy;
  /** Removes the copy of a stored output; whether there was one. */
  remove(record: OutputRecord): Promise<boolean>;
}

/** A copy that is written while its output is captured. */
export interface PlainCopy {
  /** Adds bytes of a part; parts may take turns. Resolves when more can be taken. */
  write(part: number, bytes: Uint8Array): Promise<void>;
  /** Gives the whole copy its name, before the output is sealed. False if there is no copy. */
  finish(): Promise<boolean>;
  /** Removes it, finished or not: its output is shown whole, or is not stored. */
  remove(): Promise<void>;
}
