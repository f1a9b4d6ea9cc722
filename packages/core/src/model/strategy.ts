/**
 * What a strategy is: a pure function that ranks the rows of a table. It neither reads bytes, nor
 * chooses within a budget, nor writes text: one optimiser takes rows by rank, one renderer writes
 * them. Below it: what a selection of a part is made with, and what it tells.
 */
import type { About } from './about.ts';
import type { ByteRange } from './extent.ts';
import type { Policy } from './policy.ts';
import type { OmittedThings, Selection } from './selection.ts';
import type { TableRows } from './table-rows.ts';

/** Decides what of a part is kept, by ranking its rows. */
export interface Strategy {
  /** As settings name it. */
  readonly name: string;
  /** Pure: the same table and facts give the same ranks. */
  rank(table: TableRows, facts: RankFacts): Ranks;
}

/** What a strategy may use beside the text. */
export interface RankFacts {
  /** The settings that apply. */
  readonly policy: Policy;
  /** The chars that may be shown, markers included. */
  readonly roomChars: number;
  /** Whether the call is known to have failed. */
  readonly failed: boolean;
  /** The tool that returned the text. */
  readonly tool: string;
  /** The arguments of the call. */
  readonly input: unknown;
  /** What the agent is after, where the host told. */
  readonly about: About | undefined;
}

/** What rows are worth, as columns of the table. */
export interface Ranks {
  /** By row: the higher, the sooner it is shown. 0: never. */
  readonly score: Float32Array;
  /** By row: rows that follow each other and have the same number above 0 are taken together. */
  readonly unit?: Int32Array;
  /** By row: the row that must be shown with it; -1 if there is none. */
  readonly parent?: Int32Array;
}

/** How much room a part has, markers included; Infinity where nothing bounds it. */
export interface Share {
  /** Chars that may be shown. */
  readonly chars: number;
  /** Lines that may be shown. */
  readonly lines: number;
  /** What one marker costs at the most: a selection pays for each of its gaps. */
  readonly gap: {
    readonly chars: number;
    readonly lines: number;
    /** What the marker of a gap of that size costs; `first` and `last`: the lines that it touches. */
    readonly exactly?: (
      position: 'start' | 'middle' | 'end',
      lines: number,
      chars: number,
      first?: number,
      last?: number,
    ) => number;
    /** What it costs more to say what the gap leaves out. */
    readonly label?: (what: OmittedThings) => number;
  };
  /** What it costs to tell what was found, and how much formatting is left out. */
  readonly noticeCost?: (findings: Findings | null, elidedChars: number) => number;
  /** Set where the output is to be shown as it is, if it fits: formatting stays. */
  readonly asIs?: true;
  /** Known of a command that failed, or ended with 0; else nothing is known. */
  readonly ended?: 'badly' | 'well';
}

/** Lines that a strategy looked for, of the whole part and as far as they are shown. */
export interface Tally {
  /** How many the part has. */
  readonly lines: number;
  /** How many different ones. */
  readonly kinds: number;
  /** How many of the lines are shown. */
  readonly shown: number;
}

/** What a strategy found in a part. */
export interface Findings {
  /** Of a document they are records, of a text lines. */
  readonly areRecords?: boolean;
  /** What tells of an error. */
  readonly errors: Tally;
  /** What tells of a warning. */
  readonly warnings: Tally;
  /** Sections that the part has. */
  readonly sections: number;
}

/** What a reader of a format may use beside the text: the call and what the agent is after. */
export interface SelectionContext {
  /** Whether the text is the content of a file that the call reads. */
  readonly isFile?: boolean | undefined;
  /** What the tool was given. */
  readonly input?: unknown;
  /** What the agent is after. */
  readonly about?: About | undefined;
}

/** A range of a part that was kept, and why. */
export interface KeptLines {
  /** Its first line, from 1. */
  readonly firstLine: number;
  /** Its last line. */
  readonly lastLine: number;
  /** Its length. */
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
  /** Its name. */
  readonly cause: string;
  /** How much it counts. */
  readonly score: number;
}

/**
 * Reads a text of one format as it streams by, and decides what is kept of it by its grammar. It is
 * given the part piece by piece and remembers what it may need, never more than a small multiple of
 * its reach; the same bytes in other pieces give the same selection.
 */
export interface FormatReader {
  /** Takes the next bytes. */
  push(bytes: Uint8Array): void;
  /** What to keep within `share`. Called after the last push. */
  select(share: Share): Selection;
  /** The bytes of a range that a selection of this reader keeps. */
  bytes(range: ByteRange): Uint8Array;
  /** What the part says of failures, and how much of that the last selection shows. */
  readonly findings?: Findings | null;
  /** Why the part is not of the format (malformed, cut off); its selections are not to be used. */
  readonly failure?: string | null;
  /** Whether what came so far cannot be of the format. Asked while the part streams. */
  readonly isBroken?: boolean;
}

/** Begins to read a part. No share will ever be above `reachChars`. */
export interface FormatStrategy {
  /** As `strategy_used` names it. */
  readonly name: string;
  /** Makes the reader of one part. */
  start(policy: Policy, reachChars: number, context?: SelectionContext): FormatReader;
}

/** Writes what is ours inside a text that has a grammar. */
export interface Grammar {
  /** The marker of a gap; null where the dialect writes it on a line of its own. */
  mark(what: OmittedThings): string | null;
  /** Puts the notice into the text. Without it the notice stands before the text. */
  embed?(body: string, notice: string): string;
}
