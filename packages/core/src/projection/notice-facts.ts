/**
 * The facts of a projection beside its text: its gaps as data, and what the notice says of cut
 * lines, findings and hidden parts. Lines and chars count from 1, inclusive, as retrieval takes
 * them.
 */
import type { InsideLine, NoticeFacts, ShownFacts, WithheldPart } from '../model/dialect.ts';
import type { ByteRange } from '../model/extent.ts';
import type { PartRecord } from '../model/part.ts';
import type { Omission } from '../model/projection.ts';
import type { Omit, Selection } from '../model/selection.ts';
import type { Findings } from '../model/strategy.ts';
import {
  type FactName,
  type FitJob,
  type Section,
  shownName,
  type TextView,
  textsIn,
  type View,
} from './section.ts';

/** If nothing is known of the text. */
export const NO_FACTS = {
  insideLines: [],
  unfit: null,
  fallback: null,
  elidedChars: 0,
  lookalikes: 0,
  findings: null,
} as const;

interface GapPosition extends ByteRange {
  readonly part: Pick<PartRecord, 'index' | 'name'>;
  readonly lastPart?: number;
  readonly chars: number;
  readonly lines: number;
  readonly firstChar: number;
  readonly firstLine: number;
  readonly lastLine: number;
}

export function omissionAt({
  part,
  lastPart = part.index,
  start,
  end,
  firstChar,
  ...gap
}: GapPosition): Omission {
  return {
    part: part.index,
    last_part: lastPart,
    name: part.name,
    bytes: { start, end },
    chars: gap.chars,
    lines: gap.lines,
    first_char: firstChar,
    last_char: firstChar + gap.chars - 1,
    first_line: gap.firstLine,
    last_line: gap.lastLine,
  };
}

export function omissionsOf(views: readonly View[]): Omission[] {
  return views.flatMap((view) => {
    if (view.kind === 'text') return gapsOf(view);
    return view.kind === 'collapsed' ? wholeParts(view.sections) : [];
  });
}

function gapsOf({ part, selected: { selection } }: TextView): Omission[] {
  const gaps: Omission[] = [];
  let chars = 0;
  for (const segment of selection) {
    if (segment.kind === 'omit') {
      const foundBy = segment.what?.foundBy;
      const gap = omissionAt({ ...segment, part, firstChar: chars + 1 });
      gaps.push(foundBy === undefined ? gap : { ...gap, found_by: Object.fromEntries([foundBy]) });
    }
    chars += segment.chars;
  }
  return gaps;
}

function wholeParts(sections: readonly Section[]): Omission[] {
  const [first] = sections;
  if (first === undefined) return [];
  const last = sections.at(-1) ?? first;
  const total = (unit: 'bytes' | 'chars' | 'lines') =>
    sections.reduce((sum, { part }) => sum + part[unit], 0);
  const [chars, lines] = [total('chars'), total('lines')];
  const lastPart = last.run?.last ?? last.part.index;
  const { part } = first;
  const whole = { start: 0, end: total('bytes'), firstChar: 1, firstLine: 1, lastLine: lines };
  return [omissionAt({ ...whole, part, lastPart, chars, lines })];
}

export function factsOf(
  job: FitJob,
  views: readonly View[],
  omissions: readonly Omission[],
): Pick<NoticeFacts, Exclude<FactName, 'elidedChars' | 'lookalikes'>> {
  const texts = textsIn(views);
  return {
    shown: shownOf(views, texts),
    nextCall: nextCall(job, texts, omissions),
    insideLines: insideLines(texts),
    uncut: omissions.length === 0,
    unfit: unfitOf(job, texts),
    // Why the first text is not shown as what it seemed to be.
    fallback: texts[0]?.selected.fallback ?? null,
    withheld: withheldIn(texts),
    findings: findingsIn(texts),
  };
}

export function charsOf(selection: Selection, wanted: 'keep' | 'elide'): number {
  let all = 0;
  for (const { kind, chars } of selection) if (kind === wanted) all += chars;
  return all;
}

/**
 * Lines that are shown in part. Only gaps between lines of text count; gaps in JSON, XML or cells
 * are marked inside.
 */
function insideLines(texts: readonly TextView[]): InsideLine[] {
  const from = (view: TextView) => (texts.length > 1 ? view.from : null);
  return texts.flatMap((view) => [...new Set(cutLines(view))].map((line) => ({ line, from: from(view) })));
}

function cutLines(view: TextView): number[] {
  const { selection, texts } = view.selected;
  const lastKept = selection.findLastIndex(({ kind }) => kind === 'keep');
  const lines: number[] = [];
  // Whether the last shown text ends inside a line.
  let isOpen = false;
  let shows = false;
  selection.forEach((segment, i) => {
    if (segment.kind === 'keep') {
      const text = texts[i] as string;
      isOpen = !text.endsWith('\n') && !text.endsWith('\r');
      shows = true;
    } else if (segment.kind === 'elide') {
      if (segment.lines > 0) isOpen = false;
    } else {
      if (segment.what?.slot === undefined && segment.what?.unit !== 'repeat') {
        if (shows && isOpen) lines.push(segment.firstLine);
        if (i < lastKept && endsInside(segment, isOpen)) lines.push(segment.lastLine);
      }
      isOpen = false;
    }
  });
  return lines;
}

/** A line counts as omitted only if all of it is. */
function endsInside({ firstLine, lastLine, lines }: Omit, startsInside: boolean): boolean {
  const whole = lastLine - firstLine + 1 - (startsInside ? 1 : 0);
  return lines < whole;
}

/** For the largest gap; a requested range continues at its start. */
function nextCall(job: FitJob, texts: readonly TextView[], omissions: readonly Omission[]): string | null {
  const [first] = omissions;
  if (first === undefined) return null;
  const largest = omissions.reduce((most, gap) => (gap.chars > most.chars ? gap : most), first);
  const gap = job.facts.paged ? first : largest;
  const withheld = texts.find(({ part }) => part.index === gap.part)?.selected.withheld ?? null;
  return job.callFor(gap, withheld === null ? 'text' : 'no text');
}

function unfitOf(job: FitJob, texts: readonly TextView[]): NoticeFacts['unfit'] {
  for (const { part, selected } of texts)
    for (const gap of selected.selection) {
      if (gap.kind !== 'omit' || gap.unfit === undefined) continue;
      const { line, chars } = gap.unfit;
      const omission = omissionAt({ ...gap, ...gap.unfit, part, lines: 0, firstLine: line, lastLine: line });
      return { line, chars, call: job.facts.artifact === null ? null : job.callFor(omission) };
    }
  return null;
}

function withheldIn(texts: readonly TextView[]): WithheldPart[] {
  return texts.flatMap(({ part, selected: { withheld } }) => {
    const name = part.labelled === true ? shownName(part) : null;
    return withheld === null ? [] : [{ name, what: withheld, bytes: part.bytes }];
  });
}

function findingsIn(texts: readonly TextView[]): Findings | null {
  const found = texts.flatMap(({ selected }) => selected.findings ?? []);
  if (found.length === 0) return null;
  const sum = (of: (each: Findings) => number) => found.reduce((all, each) => all + of(each), 0);
  const tally = (of: 'errors' | 'warnings') => ({
    lines: sum((each) => each[of].lines),
    kinds: sum((each) => each[of].kinds),
    shown: sum((each) => each[of].shown),
  });
  return {
    areRecords: found.every(({ areRecords }) => areRecords === true),
    errors: tally('errors'),
    warnings: tally('warnings'),
    sections: sum(({ sections }) => sections),
  };
}

function shownOf(views: readonly View[], texts: readonly TextView[]): ShownFacts {
  const chars = texts.reduce((sum, view) => sum + charsOf(view.selected.selection, 'keep'), 0);
  const [only] = texts;
  if (only === undefined || views.length > 1) return { chars, ends: null };
  const runs = runsOf(only.selected.selection);
  const first = runs.find((run) => run.start === 0);
  const last = runs.find((run) => run.end === only.part.bytes);
  const others = runs.length - (first === undefined ? 0 : 1) - (last === undefined ? 0 : 1);
  return { chars, ends: others === 0 ? { first: first?.chars ?? 0, last: last?.chars ?? 0 } : null };
}

/** Omitted formatting does not end a run. */
function runsOf(selection: Selection): { start: number; end: number; chars: number }[] {
  const runs: { start: number; end: number; chars: number }[] = [];
  let isOpen = false;
  for (const { kind, start, end, chars } of selection) {
    if (kind === 'omit') {
      isOpen = false;
      continue;
    }
    const open = isOpen ? runs.at(-1) : undefined;
    const run = open ?? { start, end, chars: 0 };
    if (open === undefined) runs.push(run);
    isOpen = true;
    run.end = end;
    if (kind === 'keep') run.chars += chars;
  }
  return runs.filter(({ chars }) => chars > 0);
}
