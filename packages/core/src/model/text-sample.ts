/**
 * The beginning of a text as formats see it when they are asked whether it is theirs: its bytes,
 * its text, and its lines without colours, time stamps and line-number gutters. Units: bytes for
 * `start`, chars elsewhere.
 */

export interface SampleLine {
  /** The line without colours, time stamp and gutter. */
  readonly text: string;
  /** It began with a time. */
  readonly stamped: boolean;
  /** A terminal would have coloured, moved or overwritten it. */
  readonly controlled: boolean;
}

/** The part of a text that recognisers look at. */
export interface TextSample {
  /** The first bytes of the text. */
  readonly bytes: Uint8Array;
  /** After a byte order mark. */
  readonly start: number;
  /** The sample is all there is. */
  readonly complete: boolean;
  /** The same, decoded. */
  readonly text: string;
  /** The first lines that are not blank, but for a last one that may be incomplete. */
  readonly lines: readonly SampleLine[];
  /** Bytes that no text has: control bytes and ill-formed sequences. */
  readonly nonText: number;
  /** Those of them that are 0. */
  readonly zeros: number;
}
