/**
 * One part on its way in: chunks become bytes, bytes become measured pieces, and each piece goes to
 * the store first, then to its text. Holds less than a piece, and what the text remembers.
 */
import { SpillwayError } from '../model/errors.ts';
import { asText, type PartRecord, type PartSpec, redactedNote } from '../model/part.ts';
import type { PartText } from '../model/part-text.ts';
import type { Piece } from '../model/piece.ts';
import { encodingOf, PartDecoder, type TextEncoding } from '../text/encoding.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { isBlank, PieceCutter } from '../text/pieces.ts';
import { SecretFilter, type SecretPattern } from '../text/secrets.ts';
import { encode } from '../text/utf8.ts';
import { type Chunk, isSource, notText, type Source } from './result.ts';

const OPENING_BYTES = 2_000;
const NOTHING: Uint8Array = new Uint8Array(0);

export interface CapturedPart {
  readonly part: PartRecord;
  readonly text: PartText | null;
  /** The same as text, where it came in another encoding. */
  readonly decoded: PartRecord | null;
  readonly blank: boolean;
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
  /** Begins the part that holds the text of this one, if that differs from its bytes. */
  readonly decode?: (encoding: TextEncoding | null) => CapturePart | null;
  /** Where secrets are replaced: before they are stored, or in the text beside the part. */
  readonly redact?: PartRedaction | null;
}

export interface PartRedaction {
  readonly where: 'stored' | 'beside';
  readonly own: readonly SecretPattern[];
}

interface Decoding {
  readonly decoder: PartDecoder | null;
  readonly filter: SecretFilter | null;
  readonly part: CapturePart;
}

interface Writing {
  readonly encoder: ChunkEncoder;
  readonly cutter: PieceCutter;
}

export class CapturePart {
  readonly #options: CapturePartOptions;
  #writing: Writing | undefined;
  #opening = NOTHING;
  #blank = true;
  readonly #notes: string[] = [];
  #finished: CapturedPart | undefined;
  #passed = 0;
  #givenText = false;
  readonly #filter: SecretFilter | null;
  /** Null once the text is known to be the bytes, or the part to be binary. */
  #decoding: Decoding | null | undefined;

  constructor(options: CapturePartOptions) {
    this.#options = options;
    const { redact = null } = options;
    this.#filter = redact?.where === 'stored' ? new SecretFilter(redact.own) : null;
    this.#writing = {
      encoder: new ChunkEncoder(),
      cutter: new PieceCutter(options.spec.kind),
    };
  }

  get index(): number {
    return this.#options.index;
  }

  note(notes: readonly string[]): void {
    this.#notes.push(...notes);
  }

  encode(chunk: Chunk): Uint8Array {
    this.#givenText ||= typeof chunk === 'string';
    return this.#open().encoder.push(chunk);
  }

  /** The bytes must not change. Undefined if there is nothing to wait for. */
  push(bytes: Uint8Array): Promise<void> | undefined {
    const { cutter } = this.#open();
    return this.#pass(cutter.push(this.#filter?.push(bytes) ?? bytes));
  }

  /** Survives a crash from here on. */
  async flush(): Promise<void> {
    if (this.#writing !== undefined) await this.#pass(this.#writing.cutter.flush());
  }

  async finish(): Promise<CapturedPart> {
    if (this.#finished !== undefined) return this.#finished;
    const { index, spec, text } = this.#options;
    const notes = [...this.#options.notes, ...this.#notes];
    const { encoder, cutter } = this.#open();
    const rest = encoder.finish();
    if (rest.length > 0) await this.push(rest);
    if (this.#filter !== null) {
      await this.#pass(cutter.push(this.#filter.finish()));
      if (this.#filter.count > 0) notes.push(redactedNote(this.#filter.count));
    }
    await this.#pass(cutter.finish());
    const totals = cutter.totals(encoder.sawLoneSurrogate ? [...notes, 'lone-surrogates'] : notes);
    const part = { ...spec, ...totals, index };
    this.#finished = (await this.#finishDecoded(part)) ?? {
      part,
      text,
      decoded: null,
      blank: text !== null && this.#blank,
      opening: this.#opening,
    };
    this.#writing = undefined;
    return this.#finished;
  }

  get captured(): CapturedPart | undefined {
    return this.#finished;
  }

  /** Lines and chars of a decoded part are those of its text. */
  async #finishDecoded(part: PartRecord): Promise<CapturedPart | null> {
    if ((this.#decoding ?? null) === null) return null;
    const { decoder, filter, part: text } = this.#decoding as Decoding;
    const rest = decoder?.finish() ?? NOTHING;
    await text.push(filter?.push(rest) ?? rest);
    if (filter !== null) {
      await text.push(filter.finish());
      if (filter.count > 0) text.note([redactedNote(filter.count)]);
    }
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
    const { index, store, copy, text } = this.#options;
    for (const piece of pieces) {
      await store(piece);
      if (copy !== null) await copy(index, piece.bytes);
      if (this.#decoding === undefined) this.#decoding = this.#decide(piece.bytes);
      if (this.#decoding !== null) {
        const { decoder, filter, part } = this.#decoding;
        const bytes = decoder?.push(piece.bytes) ?? piece.bytes;
        await part.push(filter?.push(bytes) ?? bytes);
        continue;
      }
      if (this.#opening.length === 0) this.#opening = piece.bytes.subarray(0, OPENING_BYTES);
      if (text === null) continue;
      this.#blank &&= isBlank(piece);
      text.push(piece);
      // A part of one piece is not worth a pause.
      if (this.#passed++ > 0) await pauseAtTimes();
    }
  }

  #decide(first: Uint8Array): Decoding | null {
    const { spec, decode, redact = null } = this.#options;
    if (decode === undefined || spec.kind === 'binary') return null;
    const encoding = this.#givenText || spec.kind !== 'text' ? null : encodingOf(first);
    const filter = redact?.where === 'beside' ? new SecretFilter(redact.own) : null;
    const part = encoding === null && filter === null ? null : decode(encoding);
    if (part === null) return null;
    return { decoder: encoding === null ? null : new PartDecoder(encoding), filter, part };
  }
}

const HIGH_SURROGATE = 0xd800;
const NO_BYTES = new Uint8Array(0);

/** Turns chunks into bytes, exactly; a surrogate pair split between chunks is joined. */
export class ChunkEncoder {
  #held = '';
  #lone = false;

  get sawLoneSurrogate(): boolean {
    return this.#lone;
  }

  /** Bytes are copied: the caller may reuse its buffer. */
  push(chunk: Chunk): Uint8Array {
    if (ArrayBuffer.isView(chunk)) {
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      return this.#held === '' ? bytes.slice() : Buffer.concat([this.finish(), bytes]);
    }
    if (typeof chunk !== 'string') throw notText();
    const text = this.#held + chunk;
    const isCut = (text.charCodeAt(text.length - 1) & 0xfc00) === HIGH_SURROGATE;
    this.#held = isCut ? text.slice(-1) : '';
    return this.#encode(isCut ? text.slice(0, -1) : text);
  }

  /** A high surrogate whose partner did not come. */
  finish(): Uint8Array {
    const held = this.#held;
    this.#held = '';
    return this.#encode(held);
  }

  /** Copied to its own buffer: short texts share one with others. */
  #encode(text: string): Uint8Array {
    if (text === '') return NO_BYTES;
    const isWellFormed = text.isWellFormed();
    if (!isWellFormed) this.#lone = true;
    const bytes = isWellFormed ? Buffer.from(text, 'utf8') : encode(text);
    const isShared = bytes.length * 2 < bytes.buffer.byteLength;
    return isShared ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

export function chunksOf(source: Exclude<Source, Chunk>): Iterable<Chunk> | AsyncIterable<Chunk> {
  if (!isSource(source)) throw notText();
  return source;
}
