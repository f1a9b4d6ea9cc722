/**
 * The parts of an output as they arrived, one after the other: what a person would have seen on a
 * terminal. Runs are in the order of arrival, and within a part nothing is missing or twice. An
 * output whose parts did not alternate has no order of its own: its parts follow each other.
 */
import { readableParts } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import { PIECE_BYTES } from '../model/piece.ts';
import type { Store } from '../model/store.ts';
import { ArrivalDecoder } from '../text/arrivals.ts';
import { RangeReader, StoredParts } from './stored-parts.ts';

/** Bytes of one part that arrived together. */
export interface ArrivedRun {
  /** The name of the part: `stdout`, `stderr`. */
  readonly part: string;
  /** As the part had them. */
  readonly bytes: Uint8Array;
}

interface OpenPart {
  readonly name: string;
  readonly reader: RangeReader;
  at: number;
}

export async function* interleaved(store: Store, output: OutputRecord): AsyncGenerator<ArrivedRun> {
  const parts = new StoredParts(store, output);
  const open = new Map<number, OpenPart>(
    readableParts(output.parts).map((part) => [
      part.index,
      { name: part.name, reader: new RangeReader(parts.open({ part })), at: 0 },
    ]),
  );
  try {
    const order = output.parts.find(({ role, name }) => role === 'order' && name === 'order');
    if (order !== undefined) {
      const decoder = new ArrivalDecoder();
      for await (const piece of parts.open({ part: order }).from(0))
        for (const { part, bytes } of decoder.push(piece)) yield* taken(open.get(part), bytes);
    }
    for (const part of open.values()) yield* taken(part, Number.POSITIVE_INFINITY);
  } finally {
    for (const { reader } of open.values()) await reader.close();
  }
}

async function* taken(part: OpenPart | undefined, byteCount: number): AsyncGenerator<ArrivedRun> {
  for (let left = byteCount; left > 0 && part !== undefined; ) {
    const bytes = await part.reader.read(part.at, part.at + Math.min(left, PIECE_BYTES));
    if (bytes.length === 0) return;
    part.at += bytes.length;
    left -= bytes.length;
    yield { part: part.name, bytes };
  }
}
