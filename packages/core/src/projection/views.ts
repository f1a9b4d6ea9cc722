/**
 * Decides what is looked at before anything is measured: blank parts beside telling ones cost
 * nothing, of very many parts only the first and the last are shown one by one, and a command that
 * only wrote to stdout needs no label.
 */
import type { PartRecord } from '../model/part.ts';
import type { Selection } from '../model/selection.ts';
import { countOf, type Section, shownName, type View } from './section.ts';
import { SegmentTexts } from './segment-texts.ts';

/** A part shown for itself wants this many chars, marker included, or all it has. */
const CHARS_PER_PART = 150;
/** What is not text is described in about so many. */
const DESCRIPTOR_CHARS = 60;
/** Of the budget, the rest being for the header. */
const SHARE_FOR_PARTS = 0.8;

export interface Layout {
  /** Sections shown one by one, with where they come from. */
  readonly shown: readonly Placed[];
  readonly blank: readonly PartRecord[];
  /** Parts in the middle of very many, and before which of the shown ones they lie. */
  readonly hidden: readonly Section[];
  readonly hiddenAt: number;
}

interface Placed {
  readonly section: Section;
  readonly texts: SegmentTexts | null;
  readonly from: string | null;
  readonly labelled: boolean;
}

export function layOut(sections: readonly Section[], budgetChars: number): Layout {
  const visible = sections.filter((section) => !section.blank);
  const blank =
    visible.length === 0 ? [] : sections.filter((section) => section.blank).map((section) => section.part);
  const candidates = visible.length === 0 ? sections : visible;
  const textCount = countOf(sections, 'texts');
  const several = candidates.filter((section) => section.selector !== null).length > 1;
  const placed = (section: Section): Placed => {
    const onlyStdout = !several && section.part.name === 'stdout';
    const labelled = section.part.labelled === true && !onlyStdout;
    const numbered = `part ${section.ordinal}/${textCount}`;
    const from = section.part.labelled === true ? shownName(section.part) : several ? numbered : null;
    const texts = section.selector === null ? null : new SegmentTexts(section.selector);
    return { section, texts, from, labelled };
  };
  const { head, tail } = shownEnds(candidates, budgetChars * SHARE_FOR_PARTS);
  return {
    shown: [...candidates.slice(0, head), ...candidates.slice(tail)].map(placed),
    hiddenAt: head,
    blank,
    hidden: candidates.slice(head, tail),
  };
}

/** How many parts from the beginning, and from which one on, are shown; both ends grow in turn. */
function shownEnds(sections: readonly Section[], budgetChars: number): { head: number; tail: number } {
  let head = 0;
  let tail = sections.length;
  let left = budgetChars;
  while (head < tail) {
    const next = head <= sections.length - tail ? head : tail - 1;
    const section = sections[next];
    left -= section === undefined ? 0 : leastPrice(section);
    // The first and the last are shown in any case.
    if (left < 0 && tail < sections.length) break;
    if (next === head) head++;
    else tail--;
  }
  return { head, tail };
}

/** The views of a layout once it is known what is kept of each shown text. */
export function viewsOf(layout: Layout, selections: ReadonlyMap<Section, Selection>): View[] {
  const views: View[] = layout.shown.map(({ section, texts, from, labelled }) => {
    const { part, selector } = section;
    if (selector === null || texts === null) return { kind: 'other', part };
    const selection = selections.get(section) ?? [];
    return { kind: 'text', part, selector, selection, texts: texts.of(selection), from, labelled };
  });
  if (layout.hidden.length > 0)
    views.splice(layout.hiddenAt, 0, { kind: 'collapsed', sections: layout.hidden });
  return views;
}

/** What a part shown for itself counts, at the least, where it is decided how many are shown. */
export function leastPrice({ part, selector }: Pick<Section, 'part' | 'selector'>): number {
  return selector === null ? DESCRIPTOR_CHARS : Math.min(CHARS_PER_PART, part.chars + 1);
}
