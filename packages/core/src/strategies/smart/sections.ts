/**
 * The sections of a part: how many there are, and a sample of each, its heading with the line that
 * follows it. A heading that was there before, word for word, begins no new section. Of very many
 * sections every second, fourth … is remembered, so memory does not grow; any chunking gives the
 * same samples.
 */
import { headingOf } from './headings.ts';
import { copyOf, isBlank } from './open-block.ts';
import type { Unit } from './units.ts';

export interface Sample {
  readonly heading: Unit;
  /** The line that follows the heading, unless that is blank or a heading itself. */
  next: Unit | null;
}

const MOST_SAMPLES = 64;
const MOST_KNOWN = 10_000;

export class Sections {
  readonly #known = new Set<string>();
  #samples: Sample[] = [];
  /** Every so many sections one is remembered. */
  #stride = 1;
  /** The sample whose following line has not come yet. */
  #open: Sample | null = null;
  #count = 0;
  #units = 0;

  add(unit: Unit): void {
    this.#units++;
    const heading = headingOf(unit);
    if (heading === null) {
      if (this.#open !== null && !isBlank(unit.bytes.subarray(unit.from, unit.to)))
        this.#open.next = copyOf(unit);
      this.#open = null;
      return;
    }
    this.#open = null;
    if (this.#known.has(heading)) return;
    if (this.#known.size < MOST_KNOWN) this.#known.add(heading);
    if (this.#count++ % this.#stride === 0) this.#sample(unit);
  }

  /** How many there are: none where every second line looks like a heading. */
  get count(): number {
    return this.#count * 2 > this.#units ? 0 : this.#count;
  }

  /** In order. */
  get samples(): readonly Sample[] {
    return this.count === 0 ? [] : this.#samples;
  }

  #sample(unit: Unit): void {
    const sample = { heading: copyOf(unit), next: null };
    this.#samples.push(sample);
    this.#open = sample;
    if (this.#samples.length <= MOST_SAMPLES) return;
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }
}
