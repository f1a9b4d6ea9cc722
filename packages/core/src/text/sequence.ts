/**
 * The order of small parts that are kept together in bundles, as bytes: for each part what it is
 * and how long. Entries are LEB128 varints: `what`, then `size`. `what` 0 says that a description
 * follows (its length, then JSON), which becomes the next number as long as there are fewer than
 * 256; any other `what` is such a number. `size` 0 says that the part is stored by itself (its
 * index follows), else it is the bytes of the part plus one. A part costs two or three bytes.
 */
import type { PartSpec } from '../model/part.ts';
import { VarintReader, varints } from './arrivals.ts';

const MOST_KNOWN = 256;

/** A part of the sequence: in its bundle, or stored by itself. */
export interface SequencedPart {
  readonly spec: PartSpec;
  readonly notes: readonly string[];
  readonly size: { readonly bytes: number } | { readonly stored: number };
}

export class SequenceEncoder {
  readonly #known = new Map<string, number>();

  push({ spec, notes, size }: SequencedPart): Uint8Array {
    const described = JSON.stringify([spec, notes]);
    const known = this.#known.get(described);
    const numbers = 'bytes' in size ? varints(size.bytes + 1) : varints(0, size.stored);
    if (known !== undefined) return Uint8Array.from([...varints(known), ...numbers]);
    if (this.#known.size < MOST_KNOWN) this.#known.set(described, this.#known.size + 1);
    const text = Buffer.from(described);
    return Buffer.concat([Uint8Array.from(varints(0, text.length)), text, Uint8Array.from(numbers)]);
  }
}

/**
 * Reads entries from bytes in any pieces; the remains of an entry that was cut off are left aside.
 */
export class SequenceDecoder {
  readonly #known: (readonly [PartSpec, readonly string[]])[] = [];
  #held: Uint8Array = new Uint8Array(0);

  *push(bytes: Uint8Array): Generator<SequencedPart> {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let at = 0;
    for (let entry = this.#read(at); entry !== undefined; entry = this.#read(at)) {
      at = entry.end;
      yield entry.part;
    }
    this.#held = this.#held.subarray(at);
  }

  #read(start: number): { readonly part: SequencedPart; readonly end: number } | undefined {
    const reader = new VarintReader(this.#held, start);
    const what = reader.next();
    const described = what === 0 ? reader.text(reader.next()) : undefined;
    const code = reader.next();
    const size = code === 0 ? { stored: reader.next() } : { bytes: code - 1 };
    if (reader.short) return undefined;
    const known = described === undefined ? this.#known[what - 1] : this.#learn(described);
    if (known === undefined) return undefined;
    const [spec, notes] = known;
    return { part: { spec, notes, size }, end: reader.at };
  }

  #learn(described: string): readonly [PartSpec, readonly string[]] {
    const known = JSON.parse(described) as readonly [PartSpec, readonly string[]];
    if (this.#known.length < MOST_KNOWN) this.#known.push(known);
    return known;
  }
}
