/**
 * How a format that is read line by line says what it knows: which lines are one thing (a hunk, a
 * row, a hit), what each thing is worth, in which order things are shown, and what a gap is called.
 * Reading, counting, memory and prices are not its business. Units: chars are UTF-16 units as shown,
 * lines count from 1.
 */
import type { Detected } from './content.ts';
import type { Policy } from './policy.ts';
import type { OmittedThings } from './selection.ts';
import type { Share } from './strategy.ts';

/** A line of a text. The same object is used for every line: take what is needed at once. */
export interface Line {
  /** Holds the content. */
  readonly bytes: Uint8Array;
  /** Where the content begins in `bytes`. */
  readonly from: number;
  /** Where it ends, line end not included. */
  readonly to: number;
  /** Its number in the text, from 1. */
  readonly number: number;
  /** Chars of the whole line. */
  readonly chars: number;
  /** Whether `bytes` holds all of the content: of a very long line it holds the beginning. */
  readonly whole: boolean;
}

/** Lines that are shown together or not at all. A grammar fills in what it knows of them. */
export interface Unit {
  /** Its number in the text: where one is missing, units in between are not known any more. */
  readonly order: number;
  /** Chars, line ends included. */
  readonly chars: number;
  /** Lines in it. */
  readonly lines: number;
  /** Things in it. */
  count: number;
  /** Heads of groups among them. */
  heads: number;
  /** Added lines of a diff. */
  plus: number;
  /** Removed lines of a diff. */
  minus: number;
  /** The group (file, folder, block) that it belongs to: numbered from 0 or 1, without holes. */
  group: number;
  /** What the group is called. */
  name: string;
  /** What the grammar knows it as. */
  role: string;
  /** How deep it is nested; 0 at the top. */
  depth: number;
  /** How much it deserves to be remembered, among those of its tier; 0: not at all. */
  score: number;
  /** Each tier has a room of its own for what is remembered. */
  tier: 0 | 1;
  /** Whether all of it can still be shown. */
  readonly isWhole: boolean;
}

/** What is left out between two things that are shown. */
export interface Gap {
  /** Things left out. */
  readonly count: number;
  /** Heads of groups among them. */
  readonly heads: number;
  /** Added lines of a diff among them. */
  readonly plus: number;
  /** Removed lines of a diff among them. */
  readonly minus: number;
  /** Things before the gap. */
  readonly before: number;
  /** The first line left out, from 1. */
  readonly firstLine: number;
  /** The last line left out. */
  readonly lastLine: number;
  /** How many groups it touches. */
  readonly groups: number;
  /** How many of them are not those of the things on both sides. */
  readonly hidden: number;
  /** Whether it begins inside the group of the thing above it. */
  readonly isContinued: boolean;
  /** The number of its first group. */
  readonly firstGroup: number;
  /** The name of its i-th group, on one line. */
  nameAt(i: number): string;
  /** The most chars that a list of the groups' names should take; 0 where lists stay short. */
  readonly listChars: number;
  /** The first unit that is left out, if it is still known. */
  readonly first: Unit | undefined;
}

/** What is taken so far. Invariant: within the share, markers and their labels included. */
export interface UnitChoice {
  /** All units that are known, in order. */
  readonly units: readonly Unit[];
  /** The room there is. */
  readonly share: Share;
  /** Chars taken so far, markers included. */
  readonly chars: number;
  /** How much of the names of all groups gaps may list: 1, less, or 0 where lists stay short. */
  readonly listed: number;
  /** Whether a unit is taken. */
  has(index: number): boolean;
  /**
   * Takes the units if all of them fit; those already there cost nothing. `mostChars` bounds the
   * chars taken, where less than the share is to be taken.
   */
  add(indices: readonly number[], mostChars?: number): boolean;
  /** The bytes of a unit that is whole. */
  bytesOf(unit: Unit): Uint8Array;
}

/** How a format that is read line by line chooses what to keep. One object reads one text. */
export interface LineGrammar {
  /** Whether a unit begins with this line. `open` is the one that would go on. Called in order. */
  begins(line: Line, open: Unit | null): boolean;
  /** Notes a line in its unit, before the unit is extended by it. */
  note(line: Line, unit: Unit): void;
  /** More of a line that was too long to be looked at. */
  more?(bytes: Uint8Array): void;
  /** The unit is complete; it may still get its score. */
  close?(unit: Unit): void;
  /** Why the text is not what this grammar is for. Asked at the end. */
  failure(): string | null;
  /** What the text is refused for if nearly all of it is in units too long to be shown: `hunks`. */
  readonly longThings?: string;
  /** Set where no unit may be divided, not even to show a line that tells of an error. */
  readonly isIndivisible?: true;
  /** Adds units in the order of their worth. */
  plan(choice: UnitChoice): void;
  /** What a gap leaves out; nothing where it is simply lines. */
  label(gap: Gap): OmittedThings | undefined;
}

/** The beginning of a text, by which a grammar tells what it has before it. */
export interface TextStart {
  /** The first bytes of the text. */
  readonly bytes: Uint8Array;
  /** Whether this is all there is. */
  readonly complete: boolean;
}

/** What a grammar may use beside the text. */
export interface LineFacts {
  /** What the text was recognised as. */
  readonly detected: Detected;
  /** The settings that apply. */
  readonly policy: Policy;
  /** The chars that may be shown at the most. */
  readonly reachChars: number;
  /** How much texts are asked for by the call and by what the agent is after: 0 … 1.5. */
  relevance(texts: readonly Uint8Array[]): ArrayLike<number>;
}
