// Two strategies on one part: which of them decides is known when the call has ended.
import { describe, expect, it } from 'vitest';
import type { KeptLines, Selector, Share, Strategy } from '../../src/model/strategy.ts';
import { whenFailed } from '../../src/strategies/when-failed.ts';

/** A strategy that tells by whom it was asked. */
function strategyThat(name: string, more: Partial<Selector>): Strategy {
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

const keptLines = { start: 1, end: 2 } as unknown as KeptLines;
const findings = { errors: 3 } as unknown as NonNullable<Selector['findings']>;
const WELL = {} as Share;
const BADLY = { ended: 'badly' } as Share;
const RANGE = { start: 0, end: 1 };

describe('a part whose call may have failed', () => {
  it('is told about by the strategy that decided, with its reasons and findings', () => {
    const failed = strategyThat('failed', { reasons: () => [keptLines], findings });
    const selector = whenFailed(failed, strategyThat('otherwise', {})).start({} as never, 0, {} as never);
    const reasons = () => [
      Buffer.from(selector.bytes(RANGE)).toString(),
      selector.reasons?.(),
      selector.findings,
    ];
    expect(reasons()).toEqual(['otherwise', [], null]);
    selector.select(BADLY);
    expect(reasons()).toEqual(['failed', [keptLines], findings]);
    selector.select(WELL);
    expect(reasons()).toEqual(['otherwise', [], null]);
  });
});
