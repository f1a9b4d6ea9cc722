/**
 * Matches patterns from users in time linear in the text. The library has none of its own: a host
 * injects one (`spillway` brings RE2).
 */
export interface PatternEngine {
  /** Throws a SpillwayError `invalid_argument` for a pattern that it does not take. */
  compile(pattern: string): Pattern;
}

/** A compiled pattern. */
export interface Pattern {
  /** Where the first match begins, or -1. */
  find(text: string): number;
  /** Where the first match at or after a place begins and ends; null if there is none. */
  match?(text: string, from: number): readonly [start: number, end: number] | null;
  /** Whether there is a match, where the engine can tell that faster. */
  test?(text: string): boolean;
  /** Its instructions: a text takes at most chars × size steps. Absent if not known. */
  readonly size?: number;
}
