/**
 * What the projection stage works on: the content parts of one output, in order, each text part
 * with what was seen of it. A part that is not text has none; it stays in place or is described.
 */
import type { Dialect, NoticeFacts } from '../model/dialect.ts';
import type { PartRecord } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type { Omission } from '../model/projection.ts';
import type { Selection } from '../model/selection.ts';
import type { PartText, Selected } from '../model/strategy.ts';

/** What is to be made to fit. */
export interface FitJob {
  readonly sections: readonly Section[];
  readonly policy: Policy;
  readonly dialect: Dialect;
  readonly tokens: (text: string) => number;
  readonly facts: Omit<NoticeFacts, FactName>;
  /** The call that fetches a gap, as this caller can make it. */
  readonly callFor: (gap: Omission, what?: 'text' | 'no text') => string | null;
}

/** What the notice says of what is shown: known once it is. */
export type FactName =
  | 'shown'
  | 'nextCall'
  | 'insideLines'
  | 'uncut'
  | 'unfit'
  | 'fallback'
  | 'withheld'
  | 'elidedChars'
  | 'lookalikes'
  | 'findings';

export interface Section {
  readonly part: PartRecord;
  readonly text: PartText | null;
  /** Whether it is white space only. */
  readonly blank: boolean;
  /** Its number among the texts, from 1; null if it is none. */
  readonly ordinal: number | null;
  /**
   * Set where it stands for many parts, too far from either end to be shown: `part` is the first of
   * them with the sums of all.
   */
  readonly run?: PartRun;
  /** Set where it is many blocks that are judged together. */
  readonly joined?: Joined;
}

/** Blocks that were selected together (joined-blocks.ts). */
export interface Joined {
  find(index: number): { readonly ordinal: number; readonly bytes: number } | undefined;
  /** `texts`: how many there are in all. `others`: indexes of parts that are shown between them. */
  views(selected: Selected, texts: number, others: readonly number[]): View[];
}

export interface PartRun {
  readonly parts: number;
  readonly texts: number;
  /** Index of the last one. */
  readonly last: number;
  /** Bytes of the first one. */
  readonly firstBytes: number;
}

/** A text part with what is kept of it. */
export interface TextView {
  readonly kind: 'text';
  readonly part: PartRecord;
  readonly selected: Selected;
  readonly selection: Selection;
  /** What each segment keeps, as text; nothing for those that keep nothing. */
  readonly texts: readonly string[];
  /** How markers call it: a stream by its name, another by its number where there are several. */
  readonly from: string | null;
  readonly labelled: boolean;
}

/** A part that is not text. */
interface OtherView {
  readonly kind: 'other';
  readonly part: PartRecord;
}

/** Parts in a row of which nothing is shown. */
interface CollapsedView {
  readonly kind: 'collapsed';
  readonly sections: readonly Section[];
}

export type View = TextView | OtherView | CollapsedView;

export function textsIn(views: readonly View[]): TextView[] {
  return views.filter((view) => view.kind === 'text');
}

const MOST_NAME_CHARS = 60;

/**
 * The name of a part as labels and markers have it: one short word of no consequence, whatever a
 * host called the part.
 */
export function shownName({ name }: Pick<PartRecord, 'name'>): string {
  return plainWord(name);
}

/** The same for the type of a part, which a tool may have made up. */
export function shownType({ mediaType = 'application/octet-stream' }: Pick<PartRecord, 'mediaType'>): string {
  return plainWord(mediaType);
}

function plainWord(text: string): string {
  // Properties of characters are looked up in tables that take a while to load.
  const plain = /^[\w ./+:-]*$/.test(text) ? text : text.replace(/[\p{C}\p{Zl}\p{Zp}[\]]+/gu, '_');
  return plain.length <= MOST_NAME_CHARS ? plain : `${plain.slice(0, MOST_NAME_CHARS).toWellFormed()}…`;
}

/** The number among the texts, and the bytes, of a part that a gap begins in. */
export function partAt(
  sections: readonly Section[],
  index: number,
): { readonly ordinal: number; readonly bytes: number } {
  for (const { part, ordinal, run, joined } of sections) {
    const block = joined?.find(index);
    if (block !== undefined) return block;
    if (part.index === index) return { ordinal: ordinal ?? 1, bytes: run?.firstBytes ?? part.bytes };
  }
  return { ordinal: 1, bytes: 0 };
}

/** How many parts, or texts among them, sections stand for. */
export function countOf(sections: readonly Section[], what: 'parts' | 'texts'): number {
  return sections.reduce(
    (all, { run, text }) => all + (run?.[what] ?? (what === 'parts' || text !== null ? 1 : 0)),
    0,
  );
}
