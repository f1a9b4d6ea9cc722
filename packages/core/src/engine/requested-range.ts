/**
 * A call that asks for a range of something (a file from line 200 on) gets that range from its
 * start, whatever its policy is, and the notice names the call that goes on. Fresh and stored
 * outputs are treated alike.
 */
import { requestedRange, type ShownSoFar } from '../capture/range.ts';
import { spellCall } from '../model/fetch.ts';
import { type Effective, withStrategy } from '../policy/resolve.ts';

export interface RangePolicy {
  /** The policy of the selectors: `head` for a requested range. */
  readonly chosen: Effective;
  /** The call that goes on after what is shown; null if no range was asked for. */
  readonly paged: ((shown: ShownSoFar) => string) | null;
}

export function rangePolicy(tool: string, input: unknown, effective: Effective): RangePolicy {
  const range = effective.policy.strategy === 'none' ? null : requestedRange(input);
  if (range === null) return { chosen: effective, paged: null };
  return {
    chosen: withStrategy(effective, 'head', 'requested range'),
    paged: (shown) => spellCall(tool, range.next(shown)),
  };
}
