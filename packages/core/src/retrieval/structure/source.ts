/**
 * A stored part as a scan reads it: once from a place on, and later the runs of bytes that were
 * found.
 */
import type { OutputRecord } from '../../model/output.ts';
import type { PartRecord } from '../../model/part.ts';
import type { StoredBytes } from '../../model/store.ts';
import type { StoredText } from '../../model/stored-text.ts';

export interface Source {
  readonly store: StoredBytes;
  readonly output: OutputRecord;
  readonly part: PartRecord;
}

/** The part as formats read it. */
export function textOf(source: Source): StoredText {
  return { byteLength: source.part.bytes, from: (byte) => piecesFrom(source, byte) };
}

async function* piecesFrom({ store, output, part }: Source, byte: number): AsyncGenerator<Uint8Array> {
  const reading = await store.read(output.id, part.index, { bytes: byte });
  let at = reading.at.bytes;
  for await (const piece of reading.pieces) {
    const skip = Math.min(piece.length, Math.max(0, byte - at));
    at += piece.length;
    if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
  }
}

/** How far ahead it is cheaper to read on than to open the part again. */
const READ_ON_BYTES = 262_144;
const NOTHING = new Uint8Array(0);

/** Reads runs of bytes, cheaply if they follow each other. */
export class RangeReader {
  readonly #source: Source;
  #pieces: AsyncGenerator<Uint8Array> | null = null;
  #held: Uint8Array = NOTHING;
  #heldAt = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const ahead = start - this.#heldAt - this.#held.length;
    if (this.#pieces === null || start < this.#heldAt || ahead > READ_ON_BYTES) await this.#open(start);
    while (this.#heldAt + this.#held.length < end && (await this.#more(start)));
    return this.#held.subarray(start - this.#heldAt, end - this.#heldAt);
  }

  async close(): Promise<void> {
    await this.#pieces?.return(undefined);
    this.#pieces = null;
  }

  async #open(byte: number): Promise<void> {
    await this.close();
    this.#pieces = piecesFrom(this.#source, byte);
    this.#held = NOTHING;
    this.#heldAt = byte;
  }

  /** Takes one more piece and forgets what lies before `start`. */
  async #more(start: number): Promise<boolean> {
    const next = await this.#pieces?.next();
    if (next === undefined || next.done === true) return false;
    const passed = Math.min(this.#held.length, start - this.#heldAt);
    const rest = this.#held.subarray(passed);
    this.#heldAt += passed;
    this.#held = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  }
}
