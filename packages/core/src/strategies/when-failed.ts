/**
 * Two strategies at work on one part: one decides if the call is known to have failed, the other if
 * it is not.
 */
import type { Selector, Strategy } from '../model/strategy.ts';

export function whenFailed(failed: Strategy, otherwise: Strategy): Strategy {
  return {
    name: otherwise.name,
    start(policy, reachChars, known): Selector {
      const both = [failed, otherwise].map((strategy) => strategy.start(policy, reachChars, known));
      const [ifFailed, ifNot] = both as [Selector, Selector];
      let decider = ifNot;
      return {
        push(piece) {
          for (const selector of both) selector.push(piece);
        },
        select(share) {
          decider = share.ended === 'badly' ? ifFailed : ifNot;
          return decider.select(share);
        },
        bytes: (range) => decider.bytes(range),
        reasons: () => decider.reasons?.() ?? [],
        get grammar() {
          return decider.grammar ?? null;
        },
        get findings() {
          return decider.findings ?? null;
        },
      };
    },
  };
}
