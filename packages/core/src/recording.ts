/**
 * One output on its way in. Order is fixed: every piece goes to the store first, then to the selector that will decide what is shown. If storing
 * fails, the pieces still reach the selectors, so there is always a projection. Memory is bounded by what selectors hold and one piece
 * per part, whatever the output's size; `write` resolves when the store can take more.
 */
import { ChunkEncoder, chunksOf } from './capture/chunks.ts';
import { ArrivalEncoder } from './capture/order.ts';
import type { Chunk, PartSource, Source } from './capture/result.ts';
import { FarParts } from './far-parts.ts';
import { SpillwayError } from './model/errors.ts';
import type { PartRecord, PartSpec } from './model/part.ts';
import type { Piece } from './model/piece.ts';
import type { OutputWriter, Seal, Sealed } from './model/store.ts';
import type { Selector } from './model/strategy.ts';
import { PieceCutter } from './text/pieces.ts';
import { Repetition } from './text/repetition.ts';

const OPENING_BYTES = 2_000;
/** Parts of which the opening is remembered. */
const OPENING_PARTS = 64;
const NOTHING = new Uint8Array(0);

export interface RecordingOptions {
  /** Null when nothing is to be stored; `whyNot` then says why. */
  readonly writer: OutputWriter | null;
  readonly whyNot: string;
  readonly selector: (spec: PartSpec) => Selector | null;
  /** The most parts that can be shown from either end. */
  readonly mostShown: number;
  /** Bytes after which capture stops. */
  readonly maxCapture: number;
  /** Bytes above which the output is not kept; Infinity to keep any. */
  readonly rejectAbove: number;
}

export interface FinishedPart {
  readonly part: PartRecord;
  selector: Selector | null;
  /** The share of distinct lines, from a sample. */
  readonly distinct: number;
  /** The first bytes, for a summary. */
  readonly opening: Uint8Array;
}

export class Recording {
  readonly #options: RecordingOptions;
  readonly #parts: RecordingPart[] = [];
  readonly #order = new ArrivalEncoder();
  readonly #far: FarParts;
  #orderPart: RecordingPart | undefined;
  #storing: { readonly writer: OutputWriter } | { readonly why: string; readonly cause: unknown };
  #bytes = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#far = new FarParts(options.mostShown);
    this.#storing =
      options.writer === null ? { why: options.whyNot, cause: undefined } : { writer: options.writer };
  }

  /** Begins the next part. */
  part(spec: PartSpec, notes: readonly string[] = []): RecordingPart {
    const index = this.#parts.length;
    if ('writer' in this.#storing) this.#storing.writer.part(spec);
    const part = new RecordingPart(index, spec, notes, this.#options.selector(spec), (piece) =>
      this.#store(index, piece),
    );
    this.#parts.push(part);
    return part;
  }

  /**
   * Records parts from beginning to end: streams all at the same time, texts that are there already one after the other. A source that
   * fails ends there: what had arrived of it is kept, and the failure is given back.
   */
  async take(sources: readonly PartSource[]): Promise<{ readonly failure: unknown } | null> {
    const streams = sources.filter(
      ({ chunks }) => typeof chunks !== 'string' && !(chunks instanceof Uint8Array),
    );
    if (streams.length === 0) {
      for (const { spec, notes, chunks } of sources) {
        const part = this.part(spec, notes);
        await this.#pour(part, chunks, false);
        await this.#finish(part);
      }
      return null;
    }
    const parts = sources.map((source) => this.part(source.spec, source.notes));
    // Arrival order is worth keeping where parts really arrive at the same time.
    const ordered = streams.length > 1;
    const poured = await Promise.allSettled(
      sources.map(({ chunks }, i) => this.#pour(parts[i], chunks, ordered)),
    );
    const failed = poured.find((result) => result.status === 'rejected');
    return failed === undefined ? null : { failure: failed.reason };
  }

  /** Writes a chunk; false once nothing more is taken. */
  async write(part: RecordingPart, chunk: Chunk, ordered: boolean): Promise<boolean> {
    const room = this.#options.maxCapture - this.#bytes;
    if (room <= 0) return false;
    const bytes = part.encode(chunk);
    const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#bytes += taken.length;
    if (ordered) await this.#arrived(part, taken.length);
    await part.push(taken);
    return this.#bytes < this.#options.maxCapture;
  }

  /** Whether capture stopped because there was too much. */
  get full(): boolean {
    return this.#bytes >= this.#options.maxCapture;
  }

  /** Why the output is not stored, or null while it is. */
  get notStored(): { readonly why: string; readonly cause: unknown } | null {
    return 'writer' in this.#storing ? null : this.#storing;
  }

  /** Closes all parts; returns what they came to. */
  async finish(): Promise<readonly FinishedPart[]> {
    if (this.#orderPart !== undefined) await this.#orderPart.push(this.#order.finish());
    for (const part of this.#parts) await this.#finish(part);
    return this.#parts.map((part) => part.finished());
  }

  /** Makes the output exist. Undefined if it could not be stored; then `notStored` says why. */
  async seal(seal: Seal): Promise<Sealed | undefined> {
    if (!('writer' in this.#storing)) return undefined;
    try {
      return await this.#storing.writer.seal(seal);
    } catch (error) {
      await this.giveUp(error);
      return undefined;
    }
  }

  /** Stops storing after a failure: what was written is forgotten, capture goes on. */
  async giveUp(cause: unknown): Promise<void> {
    const full = cause instanceof SpillwayError && cause.code === 'store_full';
    await this.#stopStoring(full ? 'no room left in the store' : 'the store is not available', cause);
  }

  async #finish(part: RecordingPart): Promise<void> {
    if (part.isFinished) return;
    await part.finish();
    this.#far.add(part.finished());
  }

  async #pour(part: RecordingPart | undefined, source: Source, ordered: boolean): Promise<void> {
    if (part === undefined) return;
    for await (const chunk of chunksOf(source)) {
      if (!(await this.write(part, chunk, ordered))) break;
    }
  }

  async #arrived(part: RecordingPart, byteCount: number): Promise<void> {
    const run = this.#order.push(part.index, byteCount);
    if (run.length === 0) return;
    this.#orderPart ??= this.part({ role: 'order', kind: 'binary', name: 'order' });
    await this.#orderPart.push(run);
  }

  async #store(index: number, piece: Piece): Promise<void> {
    if (!('writer' in this.#storing)) return;
    if (this.#bytes > this.#options.rejectAbove) {
      await this.#stopStoring('larger than max_artifact_size', undefined);
      return;
    }
    try {
      await this.#storing.writer.append(index, piece);
    } catch (error) {
      await this.giveUp(error);
    }
  }

  async #stopStoring(why: string, cause: unknown): Promise<void> {
    const stopped = this.#storing;
    this.#storing = { why, cause };
    // A store that failed may fail to forget as well; the reason given is the first one.
    if ('writer' in stopped) await stopped.writer.discard().catch(() => undefined);
  }
}

/** What a part needs while it is being written; of very many parts few are. */
interface Writing {
  readonly encoder: ChunkEncoder;
  readonly cutter: PieceCutter;
  readonly repetition: Repetition;
  readonly notes: readonly string[];
  readonly selector: Selector | null;
  readonly store: (piece: Piece) => Promise<void>;
}

export class RecordingPart {
  readonly index: number;
  readonly #spec: PartSpec;
  #writing: Writing | undefined;
  #opening = NOTHING;
  #finished: FinishedPart | undefined;

  constructor(
    index: number,
    spec: PartSpec,
    notes: readonly string[],
    selector: Selector | null,
    store: (piece: Piece) => Promise<void>,
  ) {
    this.index = index;
    this.#spec = spec;
    const encoder = new ChunkEncoder();
    const cutter = new PieceCutter(spec.kind);
    this.#writing = { encoder, cutter, repetition: new Repetition(), notes, selector, store };
  }

  encode(chunk: Chunk): Uint8Array {
    return this.#open().encoder.push(chunk);
  }

  async push(bytes: Uint8Array): Promise<void> {
    await this.#pass(this.#open().cutter.push(bytes));
  }

  /** Hands on what has arrived so far, so that a crash cannot lose it. */
  async flush(): Promise<void> {
    if (this.#writing !== undefined) await this.#pass(this.#writing.cutter.flush());
  }

  get isFinished(): boolean {
    return this.#finished !== undefined;
  }

  async finish(): Promise<void> {
    if (this.#finished !== undefined) return;
    const { encoder, cutter, repetition, notes, selector } = this.#open();
    await this.push(encoder.finish());
    await this.#pass(cutter.finish());
    const totals = cutter.totals(encoder.sawLoneSurrogate ? [...notes, 'lone-surrogates'] : notes);
    this.#finished = {
      part: { ...this.#spec, ...totals, index: this.index },
      selector,
      distinct: repetition.distinct,
      opening: this.#opening,
    };
    this.#writing = undefined;
  }

  finished(): FinishedPart {
    if (this.#finished === undefined) throw new SpillwayError('sealed', 'finish() comes first.');
    return this.#finished;
  }

  #open(): Writing {
    if (this.#writing === undefined)
      throw new SpillwayError('sealed', 'This output was finished: nothing more can be written to it.');
    return this.#writing;
  }

  async #pass(pieces: Iterable<Piece>): Promise<void> {
    const { store, selector, repetition } = this.#open();
    for (const piece of pieces) {
      await store(piece);
      if (this.#opening.length === 0 && this.index < OPENING_PARTS)
        this.#opening = piece.bytes.slice(0, OPENING_BYTES);
      if (selector === null) continue;
      repetition.push(piece.bytes);
      selector.push(piece);
    }
  }
}
