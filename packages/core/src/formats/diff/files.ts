/** The files of a diff with their hunks, as far as they can still be read. Numbers are units. */
import type { Unit } from '../../model/line-grammar.ts';

export interface Hunk {
  /** In order; a long hunk has several. */
  readonly pieces: [number, ...number[]];
  /** The unit with its `@@` line, if readable. */
  readonly heading: readonly number[];
  readonly ordinal: number;
  whole: boolean;
  chars: number;
}

export interface DiffFile {
  readonly head: number[];
  readonly hunks: Hunk[];
  readonly generated: boolean;
  whole: boolean;
  chars: number;
}

export function filesOf(units: readonly Unit[]): { files: DiffFile[]; texts: number[] } {
  const files = new Map<number, DiffFile>();
  const texts: number[] = [];
  let hunk: Hunk | null = null;
  let before: Unit | undefined;
  units.forEach((unit, index) => {
    const { role, group, chars, depth } = unit;
    const isBroken = !unit.isWhole || (before !== undefined && before.order + 1 !== unit.order);
    if (isBroken) {
      if (hunk !== null) hunk.whole = false;
      for (const each of [files.get(before?.group ?? -1), files.get(group)])
        if (each !== undefined) each.whole = false;
    }
    const isMore = role === 'more' && !isBroken;
    const file = files.get(group);
    before = unit;
    if (!unit.isWhole) hunk = null;
    else if (role === 'text') texts.push(index);
    else if (role === 'head')
      files.set(group, { head: [index], hunks: [], generated: depth === 1, whole: true, chars });
    else if (file !== undefined) {
      file.chars += chars;
      if (role === 'index') file.head.push(index);
      else if (isMore && hunk !== null) {
        hunk.pieces.push(index);
        hunk.chars += chars;
      } else {
        const isFirst = role === 'hunk';
        // The rest of a hunk goes below its heading.
        const known = file.hunks.find(({ ordinal }) => ordinal === depth)?.heading ?? [];
        hunk = { pieces: [index], heading: isFirst ? [index] : known, ordinal: depth, whole: isFirst, chars };
        file.hunks.push(hunk);
      }
    }
  });
  return { files: [...files.values()], texts };
}
