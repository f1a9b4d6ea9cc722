/**
 * How repetitive a text is: the share of distinct lines among a sample, numbers not counted. Looks
 * at the first lines of each piece, so the cost is small and memory bounded whatever the size.
 */
import { decode } from './utf8.ts';

const SAMPLE_BYTES = 2_048;
const MOST_REMEMBERED = 4_096;

export class Repetition {
  readonly #seen = new Set<string>();
  #lines = 0;

  push(bytes: Uint8Array): void {
    if (this.#seen.size >= MOST_REMEMBERED) return;
    const lines = decode(bytes.subarray(0, SAMPLE_BYTES)).split('\n').slice(0, -1);
    for (const line of lines) {
      this.#lines++;
      this.#seen.add(line.replace(/\d+/g, '0').slice(0, 200));
    }
  }

  /** 1 when every line is different, or when there are too few to tell. */
  get distinct(): number {
    return this.#lines < 50 ? 1 : this.#seen.size / this.#lines;
  }
}
