/**
 * Samples of a text that streams by: where it begins, at distances that double, and where it ends.
 * So what a text is can be told from all of it, at a cost that hardly grows with its length. A
 * sample begins with a line. Places depend on the bytes alone, not on how they were chunked. Units:
 * bytes.
 */

import { SAMPLE_BYTES } from '../../model/content.ts';
import type { Piece } from '../../model/piece.ts';
import { isLineStart } from '../../text/cut.ts';

/** The second sample begins here, every further one twice as far. */
const SECOND_AT = 16_384;
/** Less tells nothing. */
const LEAST_BYTES = 2_048;

/** `whole`: the sample is all there is. */
export type SamplePosition = 'whole' | 'first' | 'later';

export class TextWindows {
  readonly #sink: (sample: Uint8Array, position: SamplePosition) => void;
  #nextAt = 0;
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #total = 0;
  #seenTo = 0;

  constructor(sink: (sample: Uint8Array, position: SamplePosition) => void) {
    this.#sink = sink;
  }

  push({ bytes }: Piece): void {
    const start = this.#total;
    this.#total += bytes.length;
    this.#keepTail(bytes);
    while (this.#nextAt < this.#total) {
      const from = Math.max(0, this.#nextAt + this.#openBytes - start);
      const part = bytes.subarray(from, from + SAMPLE_BYTES - this.#openBytes);
      this.#open.push(part);
      this.#openBytes += part.length;
      if (this.#openBytes < SAMPLE_BYTES) return;
      this.#give();
    }
  }

  /** Gives the end of the text, as far as no sample has seen it. */
  finish(): void {
    if (this.#nextAt === 0) {
      if (this.#openBytes > 0) this.#sink(joined(this.#open), 'whole');
      return;
    }
    const unseen = Math.min(SAMPLE_BYTES, this.#total - this.#seenTo);
    const tail = joined(this.#tail);
    if (unseen >= LEAST_BYTES) this.#sink(fromLine(tail.subarray(tail.length - unseen)), 'later');
  }

  #give(): void {
    const sample = joined(this.#open);
    const isFirst = this.#nextAt === 0;
    this.#sink(isFirst ? sample : fromLine(sample), isFirst ? 'first' : 'later');
    this.#seenTo = this.#nextAt + sample.length;
    this.#open = [];
    this.#openBytes = 0;
    this.#nextAt = isFirst ? SECOND_AT : this.#nextAt * 2;
  }

  #keepTail(bytes: Uint8Array): void {
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    for (let [oldest] = this.#tail; oldest !== undefined; [oldest] = this.#tail) {
      if (this.#tailBytes - oldest.length < SAMPLE_BYTES) break;
      this.#tail.shift();
      this.#tailBytes -= oldest.length;
    }
  }
}

/** From the first line start on; all of it if there is none. */
function fromLine(bytes: Uint8Array): Uint8Array {
  for (let at = 1; at < bytes.length; at++) if (isLineStart(bytes, at)) return bytes.subarray(at);
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
