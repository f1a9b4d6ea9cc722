/**
 * The wording of everything a model reads that the tool did not say. A dialect gets facts and
 * returns text; it knows nothing of budgets. `detail` tells how much room there is: `full`, then
 * `short`, then `least`, in which handle, total and exit code stay.
 */
import type { ArtifactId } from './artifact.ts';
import type { Outcome } from './outcome.ts';
import type { OmittedThings } from './selection.ts';
import type { Findings } from './strategy.ts';

/** How much room a wording has. */
export type Detail = 'full' | 'short' | 'least';

/** What there is to say in a notice. */
export interface NoticeFacts {
  /** The handle of the whole output; null where it was not stored. */
  readonly artifact: ArtifactId | null;
  /** Why there is no handle, where there is none: `disk full`, `storing was turned off` … */
  readonly notStored: string | null;
  /** How the call ended. */
  readonly outcome: Outcome;
  /** False when the tool did not get to its end. */
  readonly complete: boolean;
  /** The text was cut before it reached us. */
  readonly sourceTruncated: boolean;
  /** Chars of the whole output. */
  readonly totalChars: number;
  /** Lines of the whole output. */
  readonly totalLines: number;
  /** Bytes of the whole output. */
  readonly totalBytes: number;
  /** How much of it is shown. */
  readonly shown: ShownFacts;
  /** The call that fetches the gap that is most worth reading. */
  readonly nextCall: string | null;
  /** The lines of which only a part is shown, in order. */
  readonly insideLines: readonly InsideLine[];
  /** Set where nothing but formatting is missing: nothing was cut. */
  readonly uncut?: boolean;
  /** The result is itself a range that was asked for: shown from its start, without a handle. */
  readonly paged: boolean;
  /** A line that is longer than all there is room for, and the call that fetches it. */
  readonly unfit: { readonly line: number; readonly chars: number; readonly call: string | null } | null;
  /** Why the text is shown as text although it seemed to be, or was to be, something else. */
  readonly fallback: string | null;
  /** Parts that are not text and not shown. */
  readonly withheld?: readonly WithheldPart[];
  /** The encoding that the text was decoded from; null for UTF-8. */
  readonly encoding?: string | null;
  /** Secrets that were replaced in the text. */
  readonly redacted?: number;
  /** The plain copy that the reader can open; null if there is none. */
  readonly savedPath: string | null;
  /** Set when the output is over the artifact threshold: the notice begins with a card. */
  readonly cardSummary: string | null;
  /** Chars of formatting left out. */
  readonly elidedChars: number;
  /** Lines of the tool that look like ours. */
  readonly lookalikes: number;
  /** Errors and warnings in the text, where they were looked for. */
  readonly findings: Findings | null;
}

/** A line that is cut inside. */
export interface InsideLine {
  /** Its number, from 1. */
  readonly line: number;
  /** `stdout`, `part 2/5`; null when there is nothing to tell apart. */
  readonly from: string | null;
}

/** A part that is not text. */
export interface WithheldPart {
  /** `stdout`; null where there is nothing to tell apart. */
  readonly name: string | null;
  /** `PNG image`, `binary data`. */
  readonly what: string;
  /** Its size. */
  readonly bytes: number;
}

/** How much of an output is shown. */
export interface ShownFacts {
  /** Chars shown, notice and markers not counted. */
  readonly chars: number;
  /** Chars shown from the very beginning and up to the very end, where only these are shown. */
  readonly ends: { readonly first: number; readonly last: number } | null;
}

/** What there is to say at a gap. */
export interface GapFacts {
  /** Where the gap lies in its part; `all`: nothing of the part is shown. */
  readonly position: 'start' | 'middle' | 'end' | 'all';
  /** Lines left out. */
  readonly lines: number;
  /** Chars left out. */
  readonly chars: number;
  /** Chars shown between this gap and the next, or the end. */
  readonly following: number;
  /** `stdout`, `part 2/5`; null when there is nothing to tell apart. */
  readonly from: string | null;
  /** What fetches the gap: `13-186` for lines, `chars 108-9911` inside a line. */
  readonly address?: string;
  /** The things that were left out, where they are more than lines of text. */
  readonly what: OmittedThings | null;
}

/** A way to word notices and markers, and to read them back. */
export interface Dialect {
  /** As settings name it. */
  readonly name: string;
  /** The notice: whole lines, each with its line end. */
  notice(facts: NoticeFacts, detail: Detail): string;
  /** The text at a gap. Between two kept runs it brings its own line ends on both sides. */
  marker(facts: GapFacts, detail: Detail): string;
  /** Several parts in a row of which nothing is shown. */
  collapsed(facts: { readonly parts: number; readonly lines: number; readonly chars: number }): string;
  /** The line above a labelled part. */
  label(
    facts: { readonly name: string; readonly lines: number; readonly chars: number },
    detail: Detail,
  ): string;
  /** The line above an uncut result that did not end well; empty when there is nothing to say. */
  status(outcome: Outcome, complete: boolean): string;
  /** What is shown of an output without any content. */
  empty(outcome: Outcome, complete: boolean): string;
  /** A part that is not text, where only text can be shown. */
  descriptor(facts: { readonly mediaType: string; readonly bytes: number; readonly hash: string }): string;
  /** Whether a tool's line looks like one that only this dialect writes. */
  isLookalike?(line: string): boolean;
  /** What the markers in a text say, in their order. */
  readMarkers(text: string): readonly ParsedGap[];
  /** What the lines in brackets at the beginning of a projection say. */
  readNotice(notice: string): ParsedNotice;
}

/** A gap as its marker tells it. */
export interface ParsedGap {
  /** Chars left out. */
  readonly chars: number;
  /** Null in dialects that count chars only. */
  readonly lines: number | null;
  /** The part that the marker names; null where it names none. */
  readonly from: string | null;
  /** What fetches the gap, where the marker says it: `13-186`, `chars 108-9911`. */
  readonly address?: string;
  /** Where the marker stands in the text. */
  readonly at: number;
}

/** What a notice tells of the whole output. */
export interface ParsedNotice {
  /** Chars of the whole output; null where the notice does not tell. */
  readonly totalChars: number | null;
  /** The exit code; null where the notice does not tell. */
  readonly exitCode: number | null;
}
