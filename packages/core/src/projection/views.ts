/**
 * Decides which parts are shown before anything is measured: blank parts cost nothing beside
 * others, of very many only the first and last are shown, and stdout alone needs no label.
 */
import type { PartRecord } from '../model/part.ts';
import type { Selected } from '../model/part-text.ts';
import { countOf, type Section, shownName, type View } from './section.ts';

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

/** Consecutive hidden parts are counted together. */
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
