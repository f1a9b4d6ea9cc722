/**
 * A span is a run of whole lines: one thing of a text (a row, a hunk, a hit), or many neighbouring
 * ones of which only the counts are left. Spans follow each other without gaps and are linked, so
 * that a dropped one melts into its neighbours at once.
 */
import type { UnfitLine } from '../../model/selection.ts';
import type { Line } from './line-reader.ts';

/**
 * `fresh`: recent, its bytes are still in the stream's pieces; `held`: has its bytes; `dropped`:
 * only counted.
 */
export type SpanState = 'fresh' | 'held' | 'dropped';

const NO_LINE: UnfitLine = { line: 0, firstChar: 0, chars: 0 };

/** Lines in a row. */
export class Span {
  start = 0;
  end = 0;
  startChar = 0;
  chars = 0;
  /** The number of its first line, and how many it has. */
  line = 0;
  lines = 0;
  /** Things in it, heads of groups among them, and lines of a diff. */
  count = 0;
  heads = 0;
  plus = 0;
  minus = 0;
  /** The groups (files, folders, blocks) it belongs to, by number, and how they are called. */
  firstGroup = 0;
  lastGroup = 0;
  groups = 1;
  name = '';
  /** What a grammar knows it as. */
  role = '';
  depth = 0;
  /** How much it deserves to be held, within its tier. */
  score = 0;
  tier: 0 | 1 = 0;
  state: SpanState = 'fresh';
  bytes: Uint8Array | null = null;
  /** The longest line in it, or the longest thing where a thing must not be divided. */
  longest: UnfitLine = NO_LINE;
  previous: Span | null = null;
  next: Span | null = null;

  /**
   * Begins anew: spans that melted into others are used again, so that a long stream leaves no
   * garbage.
   */
  begin(line: Line): this {
    this.start = line.start;
    this.end = line.start;
    this.startChar = line.startChar;
    this.chars = 0;
    this.line = line.number;
    this.lines = 0;
    this.count = 0;
    this.heads = 0;
    this.plus = 0;
    this.minus = 0;
    this.group(0, '');
    this.groups = 1;
    this.role = '';
    this.depth = 0;
    this.score = 0;
    this.tier = 0;
    this.state = 'fresh';
    this.bytes = null;
    this.longest = NO_LINE;
    this.previous = null;
    this.next = null;
    return this;
  }

  extend(line: Line): void {
    if (line.chars > this.longest.chars && line.chars > SHORTEST_LONG_LINE)
      this.longest = { line: line.number, firstChar: line.startChar + 1, chars: line.chars };
    this.end = line.start + line.size;
    this.chars += line.chars;
    this.lines++;
  }

  group(number: number, name: string): void {
    this.firstGroup = number;
    this.lastGroup = number;
    this.name = name;
  }

  /** Takes in the span that follows. */
  absorb(next: Span, joinNames: (one: string, other: string) => string): void {
    this.end = next.end;
    this.chars += next.chars;
    this.lines += next.lines;
    this.count += next.count;
    this.heads += next.heads;
    this.plus += next.plus;
    this.minus += next.minus;
    if (next.firstGroup !== this.lastGroup || next.groups > 1) this.name = joinNames(this.name, next.name);
    this.groups += next.groups - (next.firstGroup === this.lastGroup ? 1 : 0);
    this.lastGroup = next.lastGroup;
    if (next.longest.chars > this.longest.chars) this.longest = next.longest;
    this.next = next.next;
    if (next.next !== null) next.next.previous = this;
  }
}

/** Lines shorter than this fit into any accepted budget that has room for a line at all. */
const SHORTEST_LONG_LINE = 100;
