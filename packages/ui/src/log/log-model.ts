/**
 * Everything that a pane of a log shows, as one value: rows, lines, what they mean, what is marked.
 */
import type { FetchedRange, PartView } from '../../../spillway/src/inspector/api.ts';
import type { LineCache } from './line-cache.ts';
import type { RowList } from './row-list.ts';

export type CharGap = PartView['gaps'][number];

export interface LogModel {
  readonly rows: RowList;
  readonly lines: Pick<LineCache, 'get' | 'need'>;
  /** Sorted, as all lists of lines here. */
  readonly errorLines: readonly number[];
  readonly warningLines: readonly number[];
  readonly fetched: readonly FetchedRange[];
  readonly hitLines: readonly number[];
  readonly marks: (text: string) => readonly (readonly [from: number, to: number])[];
  /** The block of lines that the panel speaks of. */
  readonly block: LineSpan | undefined;
  /** Lines that the address names. */
  readonly picked: LineSpan | undefined;
  readonly cursor: number;
  readonly wrap: boolean;
  /** What was left out, to be marked inside kept lines. */
  readonly gaps: readonly CharGap[];
  /** Rows of chars: numbers are those of chars. */
  readonly by?: 'lines' | 'chars';
  /** What stands in front of a line; its number unless told. */
  readonly label?: (line: number) => string;
}

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}
