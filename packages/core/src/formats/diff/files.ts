/** The files of a diff with their hunks, as far as they can still be read. Numbers are spans. */
import type { Span } from '../by-line/span.ts';

export interface Hunk {
  /** Its spans, in order; a long hunk has several. */
  readonly pieces: [number, ...number[]];
  /** The span with its `@@` line, if it can be read. */
  readonly heading: readonly number[];
  /** Whether all of it can be read. */
  whole: boolean;
  chars: number;
}

export interface DiffFile {
  readonly head: number[];
  readonly hunks: Hunk[];
  readonly generated: boolean;
  /** Whether all its hunks can still be read. */
  whole: boolean;
  chars: number;
}

export function filesOf(spans: readonly Span[]): { files: DiffFile[]; texts: number[] } {
  const files = new Map<number, DiffFile>();
  const texts: number[] = [];
  let hunk: Hunk | null = null;
  let heading: number[] = [];
  spans.forEach((span, index) => {
    const { role, firstGroup, chars } = span;
    const file = files.get(firstGroup);
    if (span.state === 'dropped') {
      if (hunk !== null) hunk.whole = false;
      hunk = null;
      // What was dropped belongs to the same hunk unless another begins in it.
      if (span.count > 0) heading = [];
      for (const group of [firstGroup, span.lastGroup]) {
        const broken = files.get(group);
        if (broken !== undefined) broken.whole = false;
      }
    } else if (role === 'text') texts.push(index);
    else if (role === 'head')
      files.set(firstGroup, { head: [index], hunks: [], generated: span.depth === 1, whole: true, chars });
    else if (file !== undefined) {
      file.chars += chars;
      if (role === 'index') file.head.push(index);
      else if (role === 'more' && hunk !== null) {
        hunk.pieces.push(index);
        hunk.chars += chars;
      } else {
        const isFirst = role === 'hunk';
        if (isFirst) heading = [index];
        hunk = { pieces: [index], heading, whole: isFirst, chars };
        file.hunks.push(hunk);
      }
    }
  });
  return { files: [...files.values()].filter(({ head }) => head.length > 0), texts };
}
