/**
 * The content parts of one output, in order, as the projection stage sees them. A part that is not
 * text stays in place or is described.
 */
import type { Dialect, NoticeFacts } from '../model/dialect.ts';
import type { PartRecord } from '../model/part.ts';
import type { PartText, Selected } from '../model/part-text.ts';
import type { Policy } from '../model/policy.ts';
import type { Omission } from '../model/projection.ts';

/** Of a selection that nothing more is to be told of. */
export const PLAIN = {
  why: null,
  grammar: null,
  findings: null,
  fallback: null,
  error: null,
  withheld: null,
  isExact: true,
  reasons: () => [],
} as const;

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

/** Facts of the notice that are known only after selecting. */
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
  readonly blank: boolean;
  /** Its number among the texts, from 1; null if it is none. */
  readonly ordinal: number | null;
  /** Set if it stands for many hidden parts: `part` is the first of them with the sums of all. */
  readonly run?: PartRun;
  /** Set where it is many blocks that are judged together. */
  readonly joined?: Joined;
}

/** Blocks that were selected together (joined-blocks.ts). */
export interface Joined {
  find(index: number): { readonly ordinal: number; readonly bytes: number } | undefined;
  /** `texts`: their total. `others`: indexes of parts shown between them. */
  views(selected: Selected, texts: number, others: readonly number[]): View[];
}

interface PartRun {
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
  /** A stream by its name, others by number if there are several. */
  readonly from: string | null;
  readonly labelled: boolean;
}

interface OtherView {
  readonly kind: 'other';
  readonly part: PartRecord;
}

/** Consecutive hidden parts. */
interface CollapsedView {
  readonly kind: 'collapsed';
  readonly sections: readonly Section[];
}

export type View = TextView | OtherView | CollapsedView;

export function textsIn(views: readonly View[]): TextView[] {
  return views.filter((view) => view.kind === 'text');
}

export function isCut(view: View): boolean {
  if (view.kind === 'text') return view.selected.selection.some(({ kind }) => kind === 'omit');
  return view.kind === 'collapsed';
}

const MOST_NAME_CHARS = 60;

/** One short, harmless word, whatever the host called the part. */
export function shownName({ name }: Pick<PartRecord, 'name'>): string {
  return plainWord(name);
}

/** A tool may have made up the type. */
export function shownType({ mediaType = 'application/octet-stream' }: Pick<PartRecord, 'mediaType'>): string {
  return plainWord(mediaType);
}

function plainWord(text: string): string {
  // Unicode property tables take a while to load.
  const plain = /^[\w ./+:-]*$/.test(text) ? text : text.replace(/[\p{C}\p{Zl}\p{Zp}[\]]+/gu, '_');
  return plain.length <= MOST_NAME_CHARS ? plain : `${plain.slice(0, MOST_NAME_CHARS).toWellFormed()}…`;
}

/** Of the part that a gap begins in. */
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

/** Of parts, or of texts among them. */
export function countOf(sections: readonly Section[], what: 'parts' | 'texts'): number {
  return sections.reduce(
    (all, { run, text }) => all + (run?.[what] ?? (what === 'parts' || text !== null ? 1 : 0)),
    0,
  );
}
