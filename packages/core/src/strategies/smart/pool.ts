/**
 * The lines that may still be shown and are too far back to change: they compete for a few budgets
 * of room. Invariant: what is held is at most six budgets of chars, in memory of its own. Units:
 * chars.
 */
import { type Candidate, keepBytes } from './candidate.ts';

/** Budgets that are held after lines were let go, and how much more may come together before. */
const BUDGETS = 4;
const SLACK = 1.5;
/** Less than that is nothing. */
export const LEAST = 0.3;
/** What signals beside the strongest add. */
const FURTHER = 0.5;
const PER_CHAR = 0.001;

export class Pool {
  readonly #budget: number;
  readonly #lines: Candidate[] = [];
  #chars = 0;
  /** Nothing below gets in. */
  floor = LEAST;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get lines(): readonly Candidate[] {
    return this.#lines;
  }

  /** Takes those of some lines that are worth it: all know their priority. */
  add(candidates: readonly Candidate[]): void {
    const worthy = candidates.filter(({ priority }) => priority >= this.floor);
    keepBytes(worthy);
    for (const candidate of worthy) {
      this.#lines.push(candidate);
      this.#chars += candidate.chars;
    }
    if (this.#chars > this.#budget * BUDGETS * SLACK) this.#prune();
  }

  #prune(): void {
    this.#lines.sort((a, b) => b.priority - a.priority || b.unit.index - a.unit.index);
    let chars = 0;
    const kept = this.#lines.findIndex((candidate) => {
      chars += candidate.chars;
      return chars > this.#budget * BUDGETS;
    });
    if (kept >= 0) this.#lines.length = kept;
    // What has gone must not be held by what came with it.
    keepBytes(this.#lines);
    this.#chars = this.#lines.reduce((sum, candidate) => sum + candidate.chars, 0);
    // What the last of the pool has, a later line must have most of, before the ends add to it.
    this.floor = Math.max(LEAST, (this.#lines.at(-1)?.priority ?? 0) / 1.4);
  }
}

/** Signals add up: a line with a cue near a bad end beats one that stands alone. */
export function priorityOf({ context, tail, head, pull, chars }: Candidate): number {
  const best = Math.max(context, tail, head, pull);
  return (best + FURTHER * (context + tail + head + pull - best)) / (1 + PER_CHAR * chars);
}
