// Two strategies on one part: which of them decides is known when the call has ended.
import { describe, expect, it } from 'vitest';
import type { KeptStretch, Selector, Share, Strategy } from '../../src/model/strategy.ts';
import { whenFailed } from '../../src/strategies/when-failed.ts';

/** A strategy that tells by whom it was asked. */
function told(name: string, more: Partial<Selector>): Strategy {
  return {
    name,
    start: () => ({
      push() {},
      select: () => [],
      bytes: () => new TextEncoder().encode(name),
      ...more,
    }),
  };
}

const stretch = { start: 1, end: 2 } as unknown as KeptStretch;
const findings = { errors: 3 } as unknown as NonNullable<Selector['findings']>;
const WELL = {} as Share;
const BADLY = { ended: 'badly' } as Share;
const RANGE = { start: 0, end: 1 };

describe('a part whose call may have failed', () => {
  it('is told about by the strategy that decided, with its reasons and findings', () => {
    const failed = told('failed', { reasons: () => [stretch], findings });
    const selector = whenFailed(failed, told('otherwise', {})).start({} as never, 0, {} as never);
    const says = () => [
      Buffer.from(selector.bytes(RANGE)).toString(),
      selector.reasons?.(),
      selector.findings,
    ];
    expect(says()).toEqual(['otherwise', [], null]);
    selector.select(BADLY);
    expect(says()).toEqual(['failed', [stretch], findings]);
    selector.select(WELL);
    expect(says()).toEqual(['otherwise', [], null]);
  });
});
