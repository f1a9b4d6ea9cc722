/** A text part between capture and projection. */
import type { Piece } from './piece.ts';
import type { Selection } from './selection.ts';
import type { Findings, Grammar, KeptLines, Share } from './strategy.ts';

/** Takes its pieces, and is then asked what is kept of it. */
export interface PartText {
  push(piece: Piece): void;
  /** All of its pieces, if it is a small text of lines: it may be judged together with others. */
  lines?(): readonly Piece[] | null;
  /**
   * Lines that were not there when the same call ended well count more, told by their shapes. Asked
   * before `select`.
   */
  compare(isNew: (shape: number) => boolean): void;
  /** The share of distinct lines, numbers ignored; 1 if there are too few to tell. */
  distinct?(): number;
  /** May be asked several times with different shares. */
  select(share: Share): Selected;
}

/** What is kept of a part, and what is to be told of it. */
export interface Selected {
  readonly selection: Selection;
  /** The text of each segment; nothing for those that keep nothing. */
  readonly texts: readonly string[];
  /** Which strategy decided. */
  readonly decidedBy: string;
  /** Why it did, where the content decided: ends the sentence `… because`. */
  readonly why: string | null;
  /** How gaps are written; by the dialect if null. */
  readonly grammar: Grammar | null;
  readonly findings: Findings | null;
  /** Why the grammar of the detected kind, or the strategy, did not decide, where it was to. */
  readonly fallback: string | null;
  /** The class of the error that a strategy threw. */
  readonly error: string | null;
  /** What kind of bytes the part is, where it is binary and not shown. */
  readonly withheld: string | null;
  /** Whether its markers were priced exactly: more room would not show more. */
  readonly isExact: boolean;
  /** Why its runs were kept. */
  reasons(): readonly KeptLines[];
}
