/**
 * One part on its way in: chunks become bytes, bytes become measured pieces, and each piece goes to
 * the store first, then to its text. Holds less than a piece, and what the text remembers.
 */

import { SpillwayError } from '../model/errors.ts';
import { asText, type PartRecord, type PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { PartText } from '../model/strategy.ts';
import { isBlank } from '../text/blank.ts';
import { encodingOf, PartDecoder, type TextEncoding } from '../text/encoding.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { PieceCutter } from '../text/pieces.ts';
import { Repetition } from '../text/repetition.ts';
import { ChunkEncoder } from './chunks.ts';
import type { Chunk } from './source.ts';

const OPENING_BYTES = 2_000;
const NOTHING: Uint8Array = new Uint8Array(0);

export interface CapturedPart {
  readonly part: PartRecord;
  readonly text: PartText | null;
  /** The same as text, where it came in another encoding. */
  readonly decoded: PartRecord | null;
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
  readonly text: PartText | null;
  readonly store: (piece: Piece) => Promise<void>;
  /** Takes the bytes for a plain copy; null if they are not in it. */
  readonly copy: ((part: number, bytes: Uint8Array) => Promise<void>) | null;
  /** Whether somebody will ask how repetitive it is. */
  readonly samplesRepetition: boolean;
  /** Begins the part that holds the text of this one, if its bytes are in another encoding. */
  readonly decode?: (encoding: TextEncoding) => CapturePart | null;
}

/** Where the text of bytes in another encoding goes. */
interface Decoding {
  readonly decoder: PartDecoder;
  readonly part: CapturePart;
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
  /** Null once the part is known to be UTF-8, or no text: whoever gave a string said so. */
  #decoding: Decoding | null | undefined;

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
    if (typeof chunk === 'string') this.#decoding ??= null;
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
    const { index, spec, text } = this.#options;
    const notes = [...this.#options.notes, ...this.#notes];
    const { encoder, cutter, repetition } = this.#open();
    const rest = encoder.finish();
    if (rest.length > 0) await this.push(rest);
    await this.#pass(cutter.finish());
    const totals = cutter.totals(encoder.sawLoneSurrogate ? [...notes, 'lone-surrogates'] : notes);
    const part = { ...spec, ...totals, index };
    this.#finished = (await this.#finishDecoded(part)) ?? {
      part,
      text,
      decoded: null,
      blank: text !== null && this.#blank,
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

  /** Of a part in another encoding lines and chars are those of its text. */
  async #finishDecoded(part: PartRecord): Promise<CapturedPart | null> {
    if ((this.#decoding ?? null) === null) return null;
    const { decoder, part: text } = this.#decoding as Decoding;
    await text.pushLasting(decoder.finish());
    const captured = await text.finish();
    return {
      ...captured,
      part: { ...asText(part, captured.part), bytes: part.bytes },
      decoded: captured.part,
    };
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
    const { index, store, copy, text } = this.#options;
    for (const piece of pieces) {
      await store(piece);
      if (copy !== null) await copy(index, piece.bytes);
      if (this.#decoding === undefined) this.#decoding = this.#decide(piece.bytes);
      if (this.#decoding !== null) {
        const { decoder, part } = this.#decoding;
        await part.pushLasting(decoder.push(piece.bytes));
        continue;
      }
      if (this.#opening.length === 0) this.#opening = piece.bytes.subarray(0, OPENING_BYTES);
      if (text === null) continue;
      this.#blank &&= isBlank(piece);
      repetition?.push(piece.bytes);
      text.push(piece);
      // A part of one piece is not worth a pause.
      if (this.#passed++ > 0) await pauseAtTimes();
    }
  }

  #decide(first: Uint8Array): Decoding | null {
    const { spec, decode } = this.#options;
    const encoding = decode === undefined || spec.kind !== 'text' ? null : encodingOf(first);
    const part = encoding === null ? null : (decode?.(encoding) ?? null);
    return encoding === null || part === null ? null : { decoder: new PartDecoder(encoding), part };
  }
}
