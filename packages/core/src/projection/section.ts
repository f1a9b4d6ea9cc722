/**
 * The content parts of one output, in order, as the projection stage sees them, and which of them
 * are shown. A part that is not text stays in place or is described. Blank parts cost nothing beside
 * others, of very many only the first and last are shown, and stdout alone needs no label.
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
  readonly last: number;
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

/** The name of a part, short and without control characters or brackets. */
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

/** Including its marker; less if the part is shorter. */
const CHARS_PER_PART = 150;
/** For the description of a binary part. */
const DESCRIPTOR_CHARS = 60;
/** The rest is for the header. */
const SHARE_FOR_PARTS = 0.8;

export interface Layout {
  readonly shown: readonly Placed[];
  readonly blank: readonly PartRecord[];
  /** In the middle of very many. */
  readonly hidden: readonly Section[];
  readonly texts: number;
}

interface Placed {
  readonly section: Section;
  readonly from: string | null;
  readonly labelled: boolean;
}

export function layOut(sections: readonly Section[], budgetChars: number): Layout {
  const visible = sections.filter((section) => !section.blank);
  const blank =
    visible.length === 0 ? [] : sections.filter((section) => section.blank).map((section) => section.part);
  const candidates = visible.length === 0 ? sections : visible;
  const textCount = countOf(sections, 'texts');
  const several = countOf(candidates, 'texts') > 1;
  const placed = (section: Section): Placed => {
    const onlyStdout = !several && section.part.name === 'stdout';
    const labelled = section.part.labelled === true && !onlyStdout;
    const numbered = `part ${section.ordinal}/${textCount}`;
    const from = section.part.labelled === true ? shownName(section.part) : several ? numbered : null;
    return { section, from, labelled };
  };
  const { head, tail } = shownEnds(candidates, budgetChars * SHARE_FOR_PARTS);
  return {
    shown: [...candidates.slice(0, head), ...candidates.slice(tail)].map(placed),
    texts: textCount,
    blank,
    hidden: candidates.slice(head, tail),
  };
}

/** Both ends grow in turn. */
function shownEnds(sections: readonly Section[], budgetChars: number): { head: number; tail: number } {
  let head = 0;
  let tail = sections.length;
  let left = budgetChars;
  while (head < tail) {
    const next = head <= sections.length - tail ? head : tail - 1;
    const section = sections[next];
    left -= section === undefined ? 0 : leastPrice(section);
    // Always show the first and the last.
    if (left < 0 && tail < sections.length) break;
    if (next === head) head++;
    else tail--;
  }
  return { head, tail };
}

/** Once the selections are known. */
export function viewsOf(layout: Layout, selections: ReadonlyMap<Section, Selected>): View[] {
  const views: View[] = layout.shown.flatMap(({ section, from, labelled }): View[] => {
    const { part, joined } = section;
    const selected = selections.get(section);
    if (selected === undefined) return [{ kind: 'other', part }];
    if (joined !== undefined) {
      const others = layout.shown.flatMap((one) => (one.section === section ? [] : one.section.part.index));
      return joined.views(selected, layout.texts, others);
    }
    return [{ kind: 'text', part, selected, from, labelled }];
  });
  if (layout.hidden.length > 0) views.push({ kind: 'collapsed', sections: layout.hidden });
  return together(views.sort((a, b) => firstPart(a) - firstPart(b)));
}

function together(views: readonly View[]): View[] {
  const all: View[] = [];
  for (const view of views) {
    const last = all.at(-1);
    if (view.kind === 'collapsed' && last?.kind === 'collapsed')
      all[all.length - 1] = { kind: 'collapsed', sections: [...last.sections, ...view.sections] };
    else all.push(view);
  }
  return all;
}

function firstPart(view: View): number {
  return view.kind === 'collapsed' ? (view.sections[0]?.part.index ?? 0) : view.part.index;
}

/** The minimum price of a part, for deciding how many are shown. */
export function leastPrice({ part, text }: Pick<Section, 'part' | 'text'>): number {
  return text === null ? DESCRIPTOR_CHARS : Math.min(CHARS_PER_PART, part.chars + 1);
}
