/**
 * How a format finds a piece of a stored text, such as the value under a JSON path. It reads the
 * text once, in bounded memory, and tells a sink where each match begins and ends. Positions are
 * bytes.
 */

/** A stored text that can be read from any byte on. */
export interface StoredText {
  /** Its size. */
  readonly byteLength: number;
  /** Pieces from `byte` on. None ends inside a character or between CR and LF. */
  from(byte: number): AsyncIterable<Uint8Array>;
}

/** A run of bytes that was found, and the label that is written in front of it. */
export interface Match {
  /** Written in front of it; may be empty. */
  readonly label: string;
  /** Its first byte. */
  readonly start: number;
  /** -1 until it is known. */
  end: number;
}

/** Takes the matches of a scan in the order of the text. */
export interface MatchSink {
  /** A match begins. The answer is null if it is only counted; otherwise `end` must follow. */
  begin(start: number, label: () => string): Match | null;
  /** The match that `begin` gave ends before byte `at`. */
  end(match: Match | null, at: number): void;
  /** A match whose end is known. */
  add(start: number, end: number, label: () => string): void;
  /** Whether the scan may stop. */
  readonly enough: boolean;
}
