/**
 * The text strategies that keep lines that tell of a failure, for one part. All of them see the
 * part through the same watches, so that it is looked at once.
 */
import type { Strategy } from '../model/strategy.ts';
import { preservingLines } from '../strategies/lines.ts';
import { preservingPositions } from '../strategies/positional.ts';
import { reading } from '../strategies/reading/reading.ts';
import { keepErrors } from '../strategies/smart/keep-errors.ts';
import type { Evidence } from '../strategies/smart/own-score.ts';
import { smartSummary } from '../strategies/smart/smart.ts';
import type { WatchesOf } from '../strategies/smart/watches.ts';

export class PreservingStrategies {
  readonly #watches: WatchesOf;

  constructor(watches: WatchesOf) {
    this.#watches = watches;
  }

  /**
   * A strategy by its name; undefined if it cannot keep such lines. `any`: in what programs print;
   * `sure`: in other text.
   */
  get(name: string, evidence: 'any' | 'sure'): Strategy | undefined {
    if (name === 'lines') return preservingLines(this.#watches, evidence);
    if (name === 'reading') return this.keepErrors(reading);
    return preservingPositions(this.#watches, evidence).find((strategy) => strategy.name === name);
  }

  keepErrors(strategy: Strategy): Strategy {
    return keepErrors(strategy, this.#watches);
  }

  smart(evidence: Exclude<Evidence, 'sure'>): Strategy {
    return smartSummary(this.#watches, evidence);
  }
}
