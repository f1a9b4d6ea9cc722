/**
 * One output on its way in. Order is fixed: every piece goes to the store first, then to the selector that will decide what is shown. If storing
 * fails, the pieces still reach the selectors, so there is always a projection. Memory is bounded by what may be shown and one piece
 * per open part, whatever the output's size and the number of its parts; `write` resolves when the store can take more.
 * The first parts are stored one by one and may be written in any interleaving; those after them one at a time, small ones bundled.
 */
import { Bundling, type StoredParts } from './bundling.ts';
import { chunksOf } from './capture/chunks.ts';
import type { PartSource } from './capture/result.ts';
import type { Chunk, Source } from './capture/source.ts';
import { SpillwayError } from './model/errors.ts';
import { isShown, type PartSpec, type PartTotals } from './model/part.ts';
import { PIECE_BYTES, type Piece } from './model/piece.ts';
import type { OutputWriter, Seal, SealResult } from './model/store.ts';
import type { Selector } from './model/strategy.ts';
import { Gathering } from './projection/gathering.ts';
import type { Section } from './projection/section.ts';
import { type FinishedPart, RecordingPart, type RecordingPartOptions } from './recording-part.ts';
import { ArrivalEncoder } from './text/arrivals.ts';

/** Parts that are stored one by one. */
const MOST_APART = 1_000;
const ORDER: PartSpec = { role: 'order', kind: 'binary', name: 'order' };

/** Parts, all there already or as they come. */
export type Sources = Iterable<PartSource> | AsyncIterable<PartSource>;

export interface RecordingOptions {
  /** Null when nothing is to be stored; `whyNot` then says why. */
  readonly writer: OutputWriter | null;
  readonly whyNot: string;
  readonly selector: (spec: PartSpec) => Selector | null;
  /** The most chars that can be shown. */
  readonly reachChars: number;
  /** Bytes after which capture stops. */
  readonly maxCapture: number;
  /** Bytes above which the output is not kept; Infinity to keep any. */
  readonly rejectAbove: number;
}

/** What an output came to. */
export interface Recorded {
  /** Totals of what was stored, in the order in which it was declared. */
  readonly totals: readonly PartTotals[];
  /** The content parts, as far as they may be shown. */
  readonly sections: readonly Section[];
  /** Hash of the call's arguments; empty if it had none. */
  readonly inputHash: string;
  /** The first bytes of text. */
  readonly opening: Uint8Array;
  /** The share of distinct lines of the part that has the most. */
  readonly distinct: number;
}

/** A part after the first thousand: held until it is known to be small, or else stored by itself. */
interface LatePart {
  readonly spec: PartSpec;
  held: Piece[];
  heldBytes: number;
  stored: number | null;
}

export class Recording {
  readonly #options: RecordingOptions;
  readonly #gathering: Gathering;
  /** The first parts, by index; those that were ended and gathered are gone. */
  readonly #early: (RecordingPart | undefined)[] = [];
  /** Parts after the first thousand that are still open: the last one, and those that it ended by beginning. */
  readonly #late: { readonly part: RecordingPart; readonly late: LatePart }[] = [];
  readonly #totals: PartTotals[] = [];
  readonly #order = new ArrivalEncoder();
  #orderPart: RecordingPart | undefined;
  #lateOnes: { readonly bundling: Bundling; readonly gathering: Gathering } | undefined;
  #gathered = 0;
  #texts = 0;
  #storing: { readonly writer: OutputWriter } | { readonly why: string; readonly cause: unknown };
  #parts = 0;
  #declared = 0;
  #bytes = 0;
  #inputHash = '';
  #opening: Uint8Array = new Uint8Array(0);
  #distinct = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#gathering = new Gathering(options.reachChars);
    this.#storing =
      options.writer === null ? { why: options.whyNot, cause: undefined } : { writer: options.writer };
  }

  /** Begins the next part. */
  part(spec: PartSpec, notes: readonly string[] = []): RecordingPart {
    const index = this.#parts++;
    const selector = this.#options.selector(spec);
    if (selector !== null) this.#texts++;
    if (index >= MOST_APART) return this.#latePart({ index, spec, notes, selector });
    const stored = this.#declare(spec);
    const store = (piece: Piece) => this.#append(stored, piece);
    const part = new RecordingPart({ index, spec, notes, selector, store });
    this.#early.push(part);
    return part;
  }

  /**
   * Records parts from beginning to end: streams all at the same time, texts that are there already one after the other. A source that
   * fails ends there: what had arrived of it is kept, and the failure is given back.
   */
  async take(sources: Sources): Promise<{ readonly failure: unknown } | null> {
    if (!Array.isArray(sources) || !sources.some(({ chunks }) => isStream(chunks)))
      return this.#takeInTurn(sources);
    const streams = sources.filter(({ chunks }) => isStream(chunks));
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
    await this.#endLateBefore(part);
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

  /** Bytes that have arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether settings say that an output of this size is not kept. */
  get isRejected(): boolean {
    return this.#bytes > this.#options.rejectAbove;
  }

  /** Why the output is not stored, or null while it is. */
  get notStored(): { readonly why: string; readonly cause: unknown } | null {
    return 'writer' in this.#storing ? null : this.#storing;
  }

  /** Makes what has arrived of a part so far survive a crash. */
  async flush(part: RecordingPart): Promise<void> {
    const open = this.#late.find((one) => one.part === part);
    await part.flush();
    if (open === undefined) return;
    await this.#storeApart(open.late);
    await this.#lateOnes?.bundling.flush();
  }

  /** Closes a part: nothing more will be written to it. */
  async end(part: RecordingPart, notes: readonly string[] = []): Promise<void> {
    if (part.isFinished) return;
    part.note(notes);
    await this.#endLateBefore(part);
    if (part === this.#late[0]?.part) await this.#endFirstLate();
    else await part.finish();
    await this.#gatherEarly();
  }

  /** Closes all parts; returns what they came to. */
  async finish(): Promise<Recorded> {
    await this.#finishOrder();
    for (const part of this.#early) await part?.finish();
    await this.#gatherEarly();
    await this.#endLateBefore(null);
    await this.#lateOnes?.bundling.finish();
    return {
      totals: this.#totals,
      sections: [...this.#gathering.sections, ...(this.#lateOnes?.gathering.sections ?? [])],
      inputHash: this.#inputHash,
      opening: this.#opening,
      distinct: this.#distinct,
    };
  }

  /** Makes the output exist. Undefined if it could not be stored; then `notStored` says why. */
  async seal(seal: Seal): Promise<SealResult | undefined> {
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

  async #takeInTurn(sources: Sources): Promise<{ readonly failure: unknown } | null> {
    try {
      for await (const { spec, notes, chunks } of sources) {
        const part = this.part(spec, notes);
        await this.#pour(part, chunks, false);
        await this.end(part);
        if (this.full) break;
      }
      return null;
    } catch (failure) {
      return { failure };
    }
  }

  async #pour(part: RecordingPart | undefined, source: Source, ordered: boolean): Promise<void> {
    if (part === undefined) return;
    for await (const chunk of chunksOf(source)) {
      if (!(await this.write(part, chunk, ordered))) break;
    }
  }

  #latePart(options: Omit<RecordingPartOptions, 'store'>): RecordingPart {
    this.#beginLate(this.#texts - (options.selector === null ? 0 : 1));
    const late: LatePart = { spec: options.spec, held: [], heldBytes: 0, stored: null };
    const part = new RecordingPart({ ...options, store: (piece) => this.#storeLate(late, piece) });
    this.#late.push({ part, late });
    return part;
  }

  /** Invariant: the sequence has the index that the first late part has among the parts. */
  #beginLate(textsBefore: number): void {
    if (this.#lateOnes !== undefined) return;
    const stored: StoredParts = {
      declare: (spec) => this.#declare(spec),
      append: (index, piece) => this.#append(index, piece),
      ended: (index, totals) => {
        this.#totals[index] = totals;
      },
    };
    const gathering = new Gathering(this.#options.reachChars, textsBefore);
    this.#lateOnes = { bundling: new Bundling(stored), gathering };
  }

  async #storeLate(late: LatePart, piece: Piece): Promise<void> {
    if (late.stored === null && late.heldBytes + piece.bytes.length <= PIECE_BYTES) {
      late.held.push(piece);
      late.heldBytes += piece.bytes.length;
      return;
    }
    await this.#append(await this.#storeApart(late), piece);
  }

  async #storeApart(late: LatePart): Promise<number> {
    late.stored ??= this.#declare(late.spec);
    for (const held of late.held.splice(0)) await this.#append(late.stored, held);
    return late.stored;
  }

  /** After the first thousand one part is open at a time: the next ends the one before. */
  async #endLateBefore(part: RecordingPart | null): Promise<void> {
    if (part !== null && !this.#late.some((open) => open.part === part)) return;
    while (this.#late.length > 0 && this.#late[0]?.part !== part) await this.#endFirstLate();
  }

  async #endFirstLate(): Promise<void> {
    const first = this.#late.shift();
    if (first === undefined || this.#lateOnes === undefined) return;
    const { bundling, gathering } = this.#lateOnes;
    const { spec, held, stored } = first.late;
    const finished = await first.part.finish();
    this.#see(finished);
    if (stored === null) await bundling.add(spec, held, finished.part);
    else {
      this.#totals[stored] = totalsOf(finished.part);
      await bundling.addStored(spec, stored, finished.part);
    }
    if (isShown(finished.part)) gathering.add(finished);
  }

  /** Lets go of the first parts that are over, in order. */
  async #gatherEarly(): Promise<void> {
    for (let part = this.#early[this.#gathered]; part?.isFinished; part = this.#early[this.#gathered]) {
      const finished = await part.finish();
      this.#totals[part.index] = totalsOf(finished.part);
      this.#see(finished);
      if (isShown(finished.part)) this.#gathering.add(finished);
      this.#early[this.#gathered++] = undefined;
    }
  }

  /** What is remembered of a part for the whole. */
  #see({ part, selector, distinct, opening }: FinishedPart): void {
    if (part.role === 'input') this.#inputHash ||= part.hash;
    if (part.role !== 'content' || selector === null) return;
    this.#distinct = Math.max(this.#distinct, distinct);
    if (this.#opening.length === 0) this.#opening = opening;
  }

  async #arrived(part: RecordingPart, byteCount: number): Promise<void> {
    const run = this.#order.push(part.index, byteCount);
    if (run.length === 0) return;
    this.#orderPart ??= this.#openOrder();
    await this.#orderPart.push(run);
  }

  async #finishOrder(): Promise<void> {
    if (this.#orderPart === undefined) return;
    await this.#orderPart.push(this.#order.finish());
    const { part } = await this.#orderPart.finish();
    this.#totals[part.index] = totalsOf(part);
  }

  /** Stored like any part; begun late it has no index among them. */
  #openOrder(): RecordingPart {
    if (this.#parts < MOST_APART) return this.part(ORDER);
    this.#beginLate(this.#texts);
    const index = this.#declare(ORDER);
    const store = (piece: Piece) => this.#append(index, piece);
    return new RecordingPart({ index, spec: ORDER, notes: [], selector: null, store });
  }

  #declare(spec: PartSpec): number {
    if ('writer' in this.#storing) this.#storing.writer.part(spec);
    return this.#declared++;
  }

  async #append(index: number, piece: Piece): Promise<void> {
    if (!('writer' in this.#storing)) return;
    if (this.isRejected) {
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

function isStream(source: Source): boolean {
  return typeof source !== 'string' && !(source instanceof Uint8Array);
}

function totalsOf({ bytes, chars, lines, illFormed, hash, notes }: PartTotals): PartTotals {
  return { bytes, chars, lines, illFormed, hash, notes };
}
