/** Everything that a log shows, as one value: lines, what they mean, what is marked. */
import type { FetchedRange } from '../../../spillway/src/inspector/api.ts';
import type { LineCache } from './line-cache.ts';
import type { ShownView } from './rows.ts';

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** How a line looks: `kept` was shown to the model, `out` left out, `plain` is neither. */
export type LineState = 'kept' | 'out' | 'plain';

/** Everything that a log shows. Lists of lines are sorted. */
export interface LogFacts {
  readonly lines: Pick<LineCache, 'get' | 'need'>;
  readonly lineCount: number;
  /** Rows of chars: numbers are those of chars. */
  readonly by: 'lines' | 'chars';
  /** Undefined where it is not known what was shown. */
  readonly view: ShownView | undefined;
  /** All lines instead of gaps. */
  readonly isWhole: boolean;
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly hits: readonly number[];
  readonly fetched: readonly FetchedRange[];
  readonly marks: (text: string) => readonly (readonly [from: number, to: number])[];
  /** The lines that the panel speaks of, and those that the address names. */
  readonly block: LineSpan | undefined;
  readonly picked: LineSpan | undefined;
  readonly cursor: number;
  readonly wrap: boolean;
  /** What stands in front of a line and how it looks, where that is not its number and its run. */
  readonly own: ((line: number) => { readonly label: string; readonly state: LineState }) | undefined;
}

const NONE: readonly never[] = [];
/** A log in which nothing is marked. */
export const BARE = {
  by: 'lines',
  view: undefined,
  isWhole: false,
  errors: NONE,
  warnings: NONE,
  hits: NONE,
  fetched: NONE,
  marks: () => NONE,
  block: undefined,
  picked: undefined,
  cursor: 0,
  wrap: false,
  own: undefined,
} as const satisfies Partial<LogFacts>;
