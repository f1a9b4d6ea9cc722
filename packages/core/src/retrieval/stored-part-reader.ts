/**
 * One stored part, opened for people who look at it: finds the line of a byte, and reads lines from
 * any place. The piece that was read last is kept, so that places close to each other cost one
 * reading. Units: bytes for places, numbers from 1 for lines.
 */
import { type Extent, sum } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import type { ReadFrom, Reading, StoredBytes } from '../model/store.ts';
import { measure } from '../text/utf8.ts';
import { type StoredPart, StoredParts } from './stored-parts.ts';

/** A piece with the place at which it begins. */
export interface PlacedPiece {
  readonly at: Extent;
  readonly bytes: Uint8Array;
}

export class StoredPartReader {
  readonly part: PartRecord;
  readonly #store: StoredBytes;
  readonly #output: OutputRecord;
  #last: PlacedPiece | null = null;

  constructor(store: StoredBytes, output: OutputRecord, part: PartRecord) {
    this.#store = store;
    this.#output = output;
    this.part = part;
  }

  read(from: ReadFrom, signal?: AbortSignal): Promise<Reading> {
    const wait = signal === undefined ? {} : { signal };
    return this.#store.read(this.#output.id, this.part.index, from, wait);
  }

  /** The stored piece that holds a byte; null behind the last. */
  async pieceAt(byte: number): Promise<PlacedPiece | null> {
    const last = this.#last;
    if (last !== null && byte >= last.at.bytes && byte < last.at.bytes + last.bytes.length) return last;
    const { at, pieces } = await this.read({ bytes: byte });
    let start = at;
    for await (const bytes of pieces) {
      this.#last = { at: start, bytes };
      if (byte < start.bytes + bytes.length) return this.#last;
      start = sum(start, measure(bytes));
    }
    return null;
  }

  /** The line that a byte belongs to. A line end belongs to the line it ends. */
  async lineOf(byte: number): Promise<number> {
    const piece = await this.pieceAt(byte);
    if (piece === null) return this.part.lines;
    return piece.at.breaks + measure(piece.bytes, 0, byte - piece.at.bytes).breaks + 1;
  }
}

/** A part of an output by its index, also one of very many; null if there is none. */
export async function openPart(
  store: StoredBytes,
  output: OutputRecord,
  index: number,
): Promise<StoredPartReader | null> {
  const beside = output.parts.find((part) => part.index === index && part.role === 'input');
  if (beside !== undefined) return new StoredPartReader(store, output, beside);
  const parts = new StoredParts(store, output);
  let found: StoredPart | undefined;
  for await (const one of parts.content((known) => known.index === index)) {
    found = one;
    break;
  }
  return found === undefined ? null : new StoredPartReader(parts.storeFor(found), output, found.part);
}
