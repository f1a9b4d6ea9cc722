/** The gaps of a projection as data: where each lies in every unit, 1-based and inclusive, as retrieval takes them. */
import type { PartRecord } from '../model/part.ts';
import type { Omission } from '../model/projection.ts';
import type { TextView, View } from './section.ts';

export function omissionsOf(views: readonly View[]): Omission[] {
  return views.flatMap((view) => {
    if (view.kind === 'text') return gapsOf(view);
    return view.kind === 'collapsed' ? view.parts.filter((part) => part.chars > 0).map(wholePart) : [];
  });
}

function gapsOf({ part, selection }: TextView): Omission[] {
  const gaps: Omission[] = [];
  let chars = 0;
  for (const segment of selection) {
    if (segment.kind === 'omit') {
      gaps.push({
        part: part.index,
        name: part.name,
        bytes: { start: segment.start, end: segment.end },
        chars: segment.chars,
        lines: segment.lines,
        firstChar: chars + 1,
        lastChar: chars + segment.chars,
        firstLine: segment.firstLine,
        lastLine: segment.lastLine,
      });
    }
    chars += segment.chars;
  }
  return gaps;
}

function wholePart(part: PartRecord): Omission {
  const { index, name, bytes, chars, lines } = part;
  return {
    part: index,
    name,
    bytes: { start: 0, end: bytes },
    chars,
    lines,
    firstChar: 1,
    lastChar: chars,
    firstLine: 1,
    lastLine: lines,
  };
}
