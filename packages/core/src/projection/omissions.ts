/**
 * The gaps of a projection as data: where each lies in every unit, 1-based and inclusive, as
 * retrieval takes them.
 */
import type { Omission } from '../model/projection.ts';
import type { Section, TextView, View } from './section.ts';

export function omissionsOf(views: readonly View[]): Omission[] {
  return views.flatMap((view) => {
    if (view.kind === 'text') return gapsOf(view);
    return view.kind === 'collapsed' ? wholeParts(view.sections) : [];
  });
}

function gapsOf({ part, selection }: TextView): Omission[] {
  const gaps: Omission[] = [];
  let chars = 0;
  for (const segment of selection) {
    if (segment.kind === 'omit') {
      gaps.push({
        part: part.index,
        last_part: part.index,
        name: part.name,
        bytes: { start: segment.start, end: segment.end },
        chars: segment.chars,
        lines: segment.lines,
        first_char: chars + 1,
        last_char: chars + segment.chars,
        first_line: segment.firstLine,
        last_line: segment.lastLine,
        ...(segment.what?.foundBy === undefined
          ? {}
          : { found_by: Object.fromEntries([segment.what.foundBy]) }),
      });
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
  return [
    {
      part: first.part.index,
      last_part: last.run?.last ?? last.part.index,
      name: first.part.name,
      bytes: { start: 0, end: total('bytes') },
      chars: total('chars'),
      lines: total('lines'),
      first_char: 1,
      last_char: total('chars'),
      first_line: 1,
      last_line: total('lines'),
    },
  ];
}
