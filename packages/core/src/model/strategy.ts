/**
 * The interface a strategy implements. It is given a part piece by piece, remembers what it may
 * need (never more than a small multiple of its reach), and is then asked, perhaps several times
 * with different shares, what it would keep. Two invariants: the same bytes in other pieces give
 * the same selection; whatever it keeps, it can still read.
 */
import type { About } from './about.ts';
import type { ByteRange } from './extent.ts';
import type { Piece } from './piece.ts';
import type { Policy } from './policy.ts';
import type { OmittedThings, Selection } from './selection.ts';

/** How much room a part has, markers included; Infinity where nothing bounds it. */
export interface Share {
  readonly chars: number;
  readonly lines: number;
  /** What one marker costs at the most: a selection pays for each of its gaps. */
  readonly gap: {
    readonly chars: number;
    readonly lines: number;
    /** What the marker of a gap of that size costs. */
    readonly exactly?: (position: 'start' | 'middle' | 'end', lines: number, chars: number) => number;
  };
  /** Set where the output is to be shown as it is, if it fits: formatting stays. */
  readonly asIs?: true;
  /** Known of a command that failed; else nothing is known. */
  readonly ended?: 'badly';
}

/** Lines that a strategy looked for, of the whole part and as far as they are shown. */
export interface Tally {
  readonly lines: number;
  readonly kinds: number;
  readonly shown: number;
}

/** What a strategy found in a part. */
export interface Findings {
  readonly errors: Tally;
  readonly warnings: Tally;
  readonly sections: number;
}

/** Decides what of a part is kept. */
export interface Strategy {
  readonly name: string;
  /** Begins on one part. No share will ever be above `reachChars`. */
  start(policy: Policy, reachChars: number, context?: SelectionContext): Selector;
}

/**
 * What a selection may use beside the text: the call, its baseline, and what the agent is after.
 */
export interface SelectionContext {
  /** Whether a line was not there when the same call ended well. `line`: its bytes. */
  readonly isNew?: (line: Uint8Array) => boolean;
  /** Whether the text is the content of a file that the call reads. */
  readonly isFile?: boolean | undefined;
  /** What the tool was given. */
  readonly input?: unknown;
  /** What the agent is after. */
  readonly about?: About | undefined;
}

/** A range of a part that was kept, and why. */
export interface KeptLines {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly chars: number;
  /** The strongest first. Positional ranges have one: `position`. */
  readonly causes: readonly Cause[];
}

/**
 * A reason to keep a run of lines, with its score: the name of a cue, or `new`, `beside an error`,
 * `before a bad end`, `end`, `beginning`, `section`, `structured data`, `names`, `asked for`,
 * `position`.
 */
export interface Cause {
  readonly cause: string;
  readonly score: number;
}

/** A strategy at work on one part. */
export interface Selector {
  push(piece: Piece): void;
  /** Nothing follows: what was held only until then can be let go. Need not be called. */
  finish?(): void;
  /** What to keep within `share`. Called after the last push. */
  select(share: Share): Selection;
  /** The bytes of a range that a selection of this selector keeps. */
  bytes(range: ByteRange): Uint8Array;
  /** How gaps are written; by the dialect if absent. Asked after the last push. */
  readonly grammar?: Grammar | null;
  /**
   * Why the part is not what the strategy is for (malformed, cut off); its selections are then not
   * to be used.
   */
  readonly failure?: string | null;
  /** Which strategy really decided, where that differs from the one that was asked for. */
  readonly decidedBy?: string | undefined;
  /** What it found, as of its last selection; null if it found nothing to speak of. */
  readonly findings?: Findings | null;
  /**
   * Whether lines tell of errors, as `findings` would say after a selection that leaves something
   * out. Quicker than that selection.
   */
  hasErrors?(share: Share): boolean;
  /** Whether `hasErrors` will say so whatever follows. Asked between pushes. */
  hasErrorsAlready?(): boolean;
  /** It will not be asked: what it shares with others need not be kept up for it. */
  release?(): void;
  /**
   * Whether the part says the same over and over, and a line far from its ends does not.
   */
  standsOut?(share: Share): boolean;
  /** Why the blocks of its last selection were kept. */
  reasons?(): readonly KeptLines[];
  /** Why the grammar of the detected kind did not decide, where it was to. */
  readonly fallback?: string | null;
  /**
   * Why the strategy that decided was chosen, as of the last selection: it ends the sentence
   * `… because`.
   */
  readonly why?: string | null;
  /** What kind of bytes the part is, where it is no text and nothing of it is shown. */
  readonly withheld?: string | null;
}

/** Writes what is ours inside a text that has a grammar. */
export interface Grammar {
  /** The marker of a gap; null where the dialect writes it on a line of its own. */
  mark(what: OmittedThings): string | null;
  /**
   * Puts the notice into the text, so that the text stays valid. Without it the notice stands
   * before the text.
   */
  embed?(body: string, notice: string): string;
}
