/** What is to be made to fit, and within which caps. */
import type { Dialect, NoticeFacts } from '../model/dialect.ts';
import type { Policy } from '../model/policy.ts';
import type { Omission } from '../model/projection.ts';
import type { Section } from './section.ts';

export interface Caps {
  readonly chars: number;
  /** Up to so many chars are shown if they are all there is. */
  readonly wholeChars?: number;
  readonly lines: number;
  readonly tokens: number;
}

export interface FitJob {
  readonly sections: readonly Section[];
  readonly policy: Policy;
  readonly dialect: Dialect;
  readonly tokens: (text: string) => number;
  readonly facts: Omit<
    NoticeFacts,
    | 'shown'
    | 'nextCall'
    | 'insideLines'
    | 'uncut'
    | 'unfit'
    | 'fallback'
    | 'withheld'
    | 'elidedChars'
    | 'lookalikes'
    | 'findings'
  >;
  /** The call that fetches a gap, as this caller can make it. */
  readonly callFor: (gap: Omission, what?: 'text' | 'no text') => string | null;
}
