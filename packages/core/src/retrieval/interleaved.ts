/**
 * The parts of an output as they arrived, one after the other: what a person would have seen on a
 * terminal. Runs are in the order of arrival, and within a part nothing is missing or twice. An
 * output whose parts did not alternate has no order of its own: its parts follow each other.
 */
import { readableParts } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Store } from '../model/store.ts';
import { ArrivalDecoder } from '../text/arrivals.ts';

/** Bytes of one part that arrived together. */
export interface ArrivedRun {
  /** The name of the part: `stdout`, `stderr`. */
  readonly part: string;
  readonly bytes: Uint8Array;
}

export async function* interleaved(store: Store, output: OutputRecord): AsyncGenerator<ArrivedRun> {
  const readers = new Map(
    readableParts(output.parts).map(({ index, name }) => [index, new PartReader(store, output, index, name)]),
  );
  try {
    const order = output.parts.find(({ role, name }) => role === 'order' && name === 'order');
    if (order !== undefined) {
      const decoder = new ArrivalDecoder();
      const { pieces } = await store.read(output.id, order.index, { bytes: 0 });
      for await (const piece of pieces)
        for (const { part, bytes } of decoder.push(piece)) yield* readers.get(part)?.take(bytes) ?? [];
    }
    for (const reader of readers.values()) yield* reader.take(Number.POSITIVE_INFINITY);
  } finally {
    for (const reader of readers.values()) await reader.close();
  }
}

/** Reads a part from its start to its end in portions of any size. */
class PartReader {
  readonly #name: string;
  readonly #open: () => Promise<AsyncIterator<Uint8Array>>;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #held: Uint8Array = new Uint8Array(0);

  constructor(store: Store, { id }: OutputRecord, index: number, name: string) {
    this.#name = name;
    this.#open = async () => (await store.read(id, index, { bytes: 0 })).pieces[Symbol.asyncIterator]();
  }

  async *take(byteCount: number): AsyncGenerator<ArrivedRun> {
    for (let left = byteCount; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#next())) return;
      const bytes = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(bytes.length);
      left -= bytes.length;
      yield { part: this.#name, bytes };
    }
  }

  async close(): Promise<void> {
    await this.#pieces?.return?.();
  }

  async #next(): Promise<boolean> {
    this.#pieces ??= await this.#open();
    const next = await this.#pieces.next();
    if (next.done === true) return false;
    this.#held = next.value;
    return true;
  }
}
