/**
 * Tells of which lines only a part is shown: a gap begins or ends inside of them. Only gaps between
 * lines of text count; what is left out of JSON, XML or a cell of a table says so by itself.
 */
import type { InsideLine } from '../model/dialect.ts';
import type { Omit } from '../model/selection.ts';
import type { TextView, View } from './section.ts';

export function insideLines(views: readonly View[]): InsideLine[] {
  const several = views.filter(({ kind }) => kind === 'text').length > 1;
  return views.flatMap((view) => {
    if (view.kind !== 'text') return [];
    return [...new Set(cutLines(view))].map((line) => ({ line, from: several ? view.from : null }));
  });
}

function cutLines(view: TextView): number[] {
  const { selection, texts } = view;
  const lastKept = selection.findLastIndex(({ kind }) => kind === 'keep');
  const lines: number[] = [];
  // Whether the last thing that is shown ends inside a line, up to which nothing else was left out.
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
      if (isText(segment)) {
        if (shows && isOpen) lines.push(segment.firstLine);
        if (i < lastKept && endsInside(segment, isOpen)) lines.push(segment.lastLine);
      }
      isOpen = false;
    }
  });
  return lines;
}

function isText({ what }: Omit): boolean {
  return what?.slot === undefined && what?.unit !== 'repeat';
}

/**
 * A line counts as left out if all of it is: a gap that ends inside of one counts it for what is
 * shown.
 */
function endsInside({ firstLine, lastLine, lines }: Omit, startsInside: boolean): boolean {
  const whole = lastLine - firstLine + 1 - (startsInside ? 1 : 0);
  return lines < whole;
}
