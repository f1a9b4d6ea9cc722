/**
 * Turns selections into text: the only place that writes markers, labels and glue between parts.
 * Kept text is always a substring of the decoded original.
 */
import type { Detail, Dialect, GapFacts } from '../../model/dialect.ts';
import type { Omit, Segment, Selection } from '../../model/selection.ts';
import { countOf, type Section, shownName, shownType, type TextView, type View } from '../section.ts';

export interface Wording {
  readonly dialect: Dialect;
  readonly detail: Detail;
  /** Whether omitted text can be fetched, so markers may give its address. */
  readonly addressed: boolean;
}

/** The text of each view. */
export function renderViews(views: readonly View[], wording: Wording): string[] {
  const { dialect } = wording;
  return views.map((view) => {
    if (view.kind === 'text') return renderText(view, wording);
    if (view.kind === 'collapsed') return dialect.collapsed(totalsOf(view.sections));
    const { bytes, hash } = view.part;
    return dialect.descriptor({ mediaType: shownType(view.part), bytes, hash });
  });
}

/** Each on a line of its own. */
export function joinLines(texts: readonly string[]): string {
  let joined = '';
  for (const text of texts) {
    if (text === '') continue;
    if (joined !== '' && !joined.endsWith('\n')) joined += '\n';
    joined += text;
  }
  return joined;
}

/** Without anything of ours. */
export function keptRuns({ selected: { selection, texts } }: TextView): string[] {
  const runs = [''];
  selection.forEach(({ kind }, at) => {
    if (kind === 'omit') runs.push('');
    else runs[runs.length - 1] += texts[at] as string;
  });
  return runs;
}

function renderText(view: TextView, { dialect, detail, addressed }: Wording): string {
  const { part, from } = view;
  const { selection, texts } = view.selected;
  const label = view.labelled
    ? dialect.label({ name: shownName(part), lines: part.lines, chars: part.chars }, detail)
    : '';
  const kept = keptBounds(selection);
  const body: string[] = [];
  let before = 0;
  for (let at = 0; at < selection.length; at++) {
    const segment = selection[at] as Segment;
    const start = before;
    before += segment.chars;
    if (segment.kind !== 'omit') {
      body.push(texts[at] as string);
      continue;
    }
    const own = segment.what === undefined ? null : (view.selected.grammar?.mark(segment.what) ?? null);
    if (own !== null) {
      body.push(own);
      continue;
    }
    const { gap, list, last, endsInRow } = gapAt(view, at);
    for (; at < last; at++) before += (selection[at + 1] as Segment).chars;
    const { lines, chars, what = null } = gap;
    const facts = { lines, chars, from, what, following: keptAfter(selection, last) };
    const address = addressed ? { address: addressOf(gap, start) } : {};
    const position = gapPosition(kept, last);
    let marker = dialect.marker({ position, ...facts, ...address }, detail);
    // A listed row is no heading of what stands below the gap: the empty line moves between them.
    const isFollowed = endsInRow && last + 1 < selection.length;
    if (isFollowed && marker.startsWith('\n') && body.at(-1)?.endsWith('\n') === true) {
      marker = marker.slice(1);
      list.push('');
    }
    body.push(withLines(marker, list));
  }
  return label + body.join('');
}

/** With the rows listed in it. */
function gapAt(
  { selected: { selection, texts } }: TextView,
  at: number,
): { gap: Omit; list: string[]; last: number; endsInRow: boolean } {
  let gap = selection[at] as Omit;
  const list = [...(gap.what?.outline ?? [])];
  let last = at;
  let line = 0;
  let endsInRow = false;
  for (let next = at + 1; next < selection.length; next++) {
    const segment = selection[next] as Segment;
    if (segment.kind === 'omit') {
      const { lines, chars, lastLine } = segment;
      // The line above is not a repeat of both.
      const what = { unit: 'line', count: 0 };
      gap = { ...gap, lines: gap.lines + lines, chars: gap.chars + chars, lastLine, what };
      const outline = segment.what?.outline ?? [];
      list.push(...outline);
      endsInRow &&= outline.length === 0;
    } else if (segment.kind === 'keep') {
      if (segment.listed === undefined) break;
      const text = (texts[next] as string).replace(/(?:\r\n|\r|\n)$/, '');
      if (segment.listed === line) list.push(`${list.pop() ?? ''}${text}`);
      else list.push(`${segment.listed}: ${text}`);
      line = segment.listed;
      endsInRow = true;
    } else continue;
    last = next;
  }
  return { gap, list, last, endsInRow };
}

/** Each on a line of its own. */
function withLines(marker: string, lines: readonly string[]): string {
  if (lines.length === 0) return marker;
  const list = lines.join('\n');
  return marker.endsWith('\n') ? `${marker}${list}\n` : `${marker}\n${list}`;
}

/** By lines where whole lines are missing, else by chars, as the next call takes them. */
function addressOf({ lines, firstLine, lastLine, chars }: Omit, start: number): string {
  return lines > 0 ? `${firstLine}-${lastLine}` : `chars ${start + 1}-${start + chars}`;
}

/** Up to the next gap. */
function keptAfter(selection: Selection, gap: number): number {
  let chars = 0;
  for (let at = gap + 1; at < selection.length; at++) {
    const segment = selection[at];
    if (segment?.kind === 'omit') break;
    if (segment?.kind === 'keep') chars += segment.chars;
  }
  return chars;
}

function keptBounds(selection: Selection) {
  const isKeep = (segment: Segment) => segment.kind === 'keep' && segment.listed === undefined;
  return { first: selection.findIndex(isKeep), last: selection.findLastIndex(isKeep) };
}

function gapPosition({ first, last }: ReturnType<typeof keptBounds>, at: number): GapFacts['position'] {
  if (first === -1) return 'all';
  if (at < first) return 'start';
  return at > last ? 'end' : 'middle';
}

function totalsOf(sections: readonly Section[]): { parts: number; lines: number; chars: number } {
  return {
    parts: countOf(sections, 'parts'),
    lines: sections.reduce((lines, { part }) => lines + part.lines, 0),
    chars: sections.reduce((chars, { part }) => chars + part.chars, 0),
  };
}
