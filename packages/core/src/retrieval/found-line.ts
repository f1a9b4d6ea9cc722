/** A line of a stored part that holds what was looked for. Lines and columns count from 1. */
export interface FoundLine {
  readonly line: number;
  /** Where the first match begins. */
  readonly column: number;
  /** Chars of the match; 0 where the pattern engine does not tell. */
  readonly length: number;
}
