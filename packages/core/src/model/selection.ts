/**
 * What a strategy decides: which bytes of a part are kept. A selection is an ordered list of
 * segments that covers the part exactly, so nothing is left out without being counted. Ranges are
 * byte ranges of the stored part.
 *
 * `lines` of a segment are the lines first touched by a keep, or wholly inside an omit or elide: a
 * line of which any part is shown counts as shown, and the lines of all segments add up to the
 * lines of the part.
 */
import type { ByteRange } from './extent.ts';

/** A range of a part with what it covers. */
export interface Covered extends ByteRange {
  /** UTF-16 units in the range. */
  readonly chars: number;
  /** Lines that count for the range: see above. */
  readonly lines: number;
}

/** Content that is shown. */
export interface Keep extends Covered {
  readonly kind: 'keep';
  /** The number of its line, where it is listed below the marker of the gap around it. */
  readonly listed?: number;
}

/** Content left out: always marked, and it knows its address. */
export interface Omit extends Covered {
  readonly kind: 'omit';
  /** The first line (from 1) that the gap touches, also where part of that line is shown. */
  readonly firstLine: number;
  /** The last such line. */
  readonly lastLine: number;
  /** What was left out, where it is not simply lines of text: `45 items`, `12 hits in src/a.ts`. */
  readonly what?: OmittedThings;
  /** The first line in the gap that cannot be shown whole, where only whole lines are. */
  readonly unfit?: UnfitLine;
}

/** Things of a structured text that were left out together. */
export interface OmittedThings {
  /**
   * What each is called, in the singular: `item`, `row`, `file` … `repeat`: the line before it, over
   * again. `alike`: lines like those before it. `line`: nothing more than lines.
   */
  readonly unit: string;
  /** How many. */
  readonly count: number;
  /** What they belong to or are called: a file, a folder, names of functions, a path. */
  readonly of?: string;
  /** JSON: the reserved key under which an object says what was left out of it. */
  readonly key?: string;
  /**
   * Where a grammar puts the marker; each format has names of its own for it. JSON: in an array or
   * object, followed by a comma or not (`item`, `item,`, `member`, `member,`), inside a `string`, on
   * a `line` of its own, or nowhere (`silent`), because another marker counts it too. XML: between
   * elements (`element`), inside a `text` or value, at the end of a start tag, which it closes
   * (`tag`, `tag/`), or nowhere (`silent`) inside of that tag.
   */
  readonly slot?: string;
  /** Lines below the marker that say in short what lies in the gap, each without its line end. */
  readonly outline?: readonly string[];
  /** The argument of `get_artifact` that reads just these, and its value: `rows`, `100-200`. */
  readonly foundBy?: readonly [argument: string, value: string];
}

/** A line that did not fit. */
export interface UnfitLine {
  /** Its number, from 1. */
  readonly line: number;
  /** Its first char in the part, from 1. */
  readonly firstChar: number;
  /** Its length. */
  readonly chars: number;
}

/** Formatting left out: counted, and named once in the notice. */
export interface Elide extends Covered {
  readonly kind: 'elide';
  /** What kind of formatting it is. */
  readonly why: 'ansi' | 'overwritten' | 'indentation' | 'timestamp';
}

/** One run of a part, and what becomes of it. */
export type Segment = Keep | Omit | Elide;
/** All runs of a part, in order and without gaps. */
export type Selection = readonly Segment[];
