/** Plain copies: the text of a cut output as a file, for callers that can read files. */
import type { OutputDraft, OutputName, OutputRecord } from './output.ts';

/** Where plain copies are kept. All of it is best effort. */
export interface PlainCopyFolder {
  /**
   * The path that the copy of an output will have: the notice names it before the copy is written.
   * Null if the output gets no copy, for example because it is too large. `byteLength` is the size
   * of the copy.
   */
  path(output: OutputDraft, byteLength: number): string | null;
  /** Writes the copy to that path. False if it is not there afterwards: then no notice names it. */
  write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<boolean>;
  /**
   * Marks that a notice is about to name the copy, until `settle` takes the mark away. If the
   * process is killed in between, `unwritten` tells the next one.
   */
  announce?(output: OutputDraft): Promise<void>;
  settle?(output: OutputName): Promise<void>;
  /** Outputs whose copies were announced by processes that are gone, and are not there. */
  unwritten?(): Promise<readonly OutputName[]>;
  /** Whether there was one. */
  remove(record: OutputRecord): Promise<boolean>;
}
