/**
 * One part on its way in: chunks become bytes, bytes become measured pieces, and each piece goes to
 * the store first, then to the selector. Holds less than a piece, and what the selector remembers.
 */

import { SpillwayError } from '../model/errors.ts';
import type { PartRecord, PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { Selector } from '../model/strategy.ts';
import { isBlank } from '../text/blank.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { PieceCutter } from '../text/pieces.ts';
import { Repetition } from '../text/repetition.ts';
import { ChunkEncoder } from './chunks.ts';
import type { Chunk } from './source.ts';

const OPENING_BYTES = 2_000;
const NOTHING: Uint8Array = new Uint8Array(0);

export interface CapturedPart {
  readonly part: PartRecord;
  readonly selector: Selector | null;
  /** Whether it is white space only. */
  readonly blank: boolean;
  /** The share of distinct lines, from a sample; 1 if none was taken. */
  readonly distinct: number;
  /** The first bytes, for a summary. */
  readonly opening: Uint8Array;
}

export interface CapturePartOptions {
  readonly index: number;
  readonly spec: PartSpec;
  readonly notes: readonly string[];
  readonly selector: Selector | null;
  readonly store: (piece: Piece) => Promise<void>;
  /** Whether somebody will ask how repetitive it is. */
  readonly samplesRepetition: boolean;
}

/** What a part needs while it is being written. */
interface Writing {
  readonly encoder: ChunkEncoder;
  readonly cutter: PieceCutter;
  readonly repetition: Repetition | null;
}

export class CapturePart {
  readonly #options: CapturePartOptions;
  #writing: Writing | undefined;
  #opening = NOTHING;
  #blank = true;
  readonly #notes: string[] = [];
  #finished: CapturedPart | undefined;
  #passed = 0;

  constructor(options: CapturePartOptions) {
    this.#options = options;
    this.#writing = {
      encoder: new ChunkEncoder(),
      cutter: new PieceCutter(options.spec.kind),
      repetition: options.samplesRepetition ? new Repetition() : null,
    };
  }

  get index(): number {
    return this.#options.index;
  }

  /** Adds to what is kept with it. */
  note(notes: readonly string[]): void {
    this.#notes.push(...notes);
  }

  encode(chunk: Chunk): Uint8Array {
    return this.#open().encoder.push(chunk);
  }

  /**
   * Takes bytes of the caller, who may use them again. Undefined where nothing has to be waited
   * for.
   */
  push(bytes: Uint8Array): Promise<void> | undefined {
    return this.#pass(this.#open().cutter.push(bytes));
  }

  /** Takes bytes that will not change. */
  pushLasting(bytes: Uint8Array): Promise<void> | undefined {
    return this.#pass(this.#open().cutter.pushLasting(bytes));
  }

  /** Hands on what has arrived so far, so that a crash cannot lose it. */
  async flush(): Promise<void> {
    if (this.#writing !== undefined) await this.#pass(this.#writing.cutter.flush());
  }

  /** What the part came to; nothing can be written to it any more. */
  async finish(): Promise<CapturedPart> {
    if (this.#finished !== undefined) return this.#finished;
    const { index, spec, selector } = this.#options;
    const notes = [...this.#options.notes, ...this.#notes];
    const { encoder, cutter, repetition } = this.#open();
    const rest = encoder.finish();
    if (rest.length > 0) await this.push(rest);
    await this.#pass(cutter.finish());
    selector?.finish?.();
    const totals = cutter.totals(encoder.sawLoneSurrogate ? [...notes, 'lone-surrogates'] : notes);
    this.#finished = {
      part: { ...spec, ...totals, index },
      selector,
      blank: selector !== null && this.#blank,
      distinct: repetition?.distinct ?? 1,
      opening: this.#opening,
    };
    this.#writing = undefined;
    return this.#finished;
  }

  /** What it came to, once it has ended. */
  get captured(): CapturedPart | undefined {
    return this.#finished;
  }

  #open(): Writing {
    if (this.#writing === undefined)
      throw new SpillwayError(
        'sealed',
        'Nothing more can be written to this part: it was ended, or its output was, or, of more than 1,000 parts, another one was begun.',
      );
    return this.#writing;
  }

  #pass(pieces: Iterable<Piece>): Promise<void> | undefined {
    return Array.isArray(pieces) && pieces.length === 0 ? undefined : this.#passAll(pieces);
  }

  async #passAll(pieces: Iterable<Piece>): Promise<void> {
    const { repetition } = this.#open();
    const { store, selector } = this.#options;
    for (const piece of pieces) {
      await store(piece);
      if (this.#opening.length === 0) this.#opening = piece.bytes.subarray(0, OPENING_BYTES);
      if (selector === null) continue;
      this.#blank &&= isBlank(piece);
      repetition?.push(piece.bytes);
      selector.push(piece);
      // A part of one piece is not worth a pause.
      if (this.#passed++ > 0) await pauseAtTimes();
    }
  }
}
