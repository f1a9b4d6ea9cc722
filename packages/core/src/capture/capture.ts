/**
 * One output while it is captured. Every piece goes to the store first and then to the text of its
 * part. If storing fails, the pieces still reach the texts, so there is always something to show.
 * Memory is bounded by what may be shown and one piece per open part; the size of the output and the
 * number of its parts do not matter; `write` resolves when the store can take more. The first
 * thousand parts are stored one by one and may be written in any interleaving. Beginning to write to
 * a later one ends all before it (late-parts.ts).
 */
import { SpillwayError } from '../model/errors.ts';
import { asText, isShown, type PartSpec, type PartTotals } from '../model/part.ts';
import type { PartText } from '../model/part-text.ts';
import type { Piece } from '../model/piece.ts';
import type { OutputWriter, Seal, SealResult } from '../model/store.ts';
import { ArrivalEncoder } from '../text/arrivals.ts';
import type { TextEncoding } from '../text/encoding.ts';
import type { SecretPattern } from '../text/secrets.ts';
import { type CapturedPart, CapturePart, chunksOf, type PartRedaction } from './capture-part.ts';
import { LateParts, type PartWriter } from './late-parts.ts';
import type { Chunk, PartSource, Source } from './result.ts';

/** Chars or bytes taken at once, so that others can run in between. */
const MOST_TAKEN = 1_048_576;
const MOST_APART = 1_000;
const ORDER: PartSpec = { role: 'order', kind: 'binary', name: 'order' };

export type Sources = Iterable<PartSource> | AsyncIterable<PartSource>;

export interface CaptureOptions {
  /** Null when nothing is to be stored. */
  readonly writer: OutputWriter | null;
  readonly text: (spec: PartSpec) => PartText | null;
  /** Takes the content parts that may be shown, in order. */
  readonly onPart: (part: CapturedPart) => void;
  /** Bytes after which capture stops. */
  readonly maxCapture: number;
  /** Bytes above which the output is not kept; Infinity to keep any. */
  readonly rejectAbove: number;
  readonly copy: ((part: number, bytes: Uint8Array) => Promise<void>) | null;
  readonly redact: Redaction | null;
}

export interface Redaction {
  readonly mode: 'projection' | 'stored';
  readonly own: readonly SecretPattern[];
}

export interface Captured {
  readonly totals: readonly PartTotals[];
  /** Hash of the call's arguments; empty if it had none. */
  readonly inputHash: string;
  readonly opening: Uint8Array;
}

/** Why an output is not stored: a phrase for the notice, and the error behind it. */
export interface NotStored {
  readonly why: string;
  readonly cause: unknown;
}

export class Capture implements PartWriter {
  readonly #options: CaptureOptions;
  /** Where pieces go, until storing fails or is stopped. */
  #storing: { readonly writer: OutputWriter } | NotStored;
  readonly #totals: PartTotals[] = [];
  #declared = 0;
  readonly #early: (CapturePart | undefined)[] = [];
  readonly #order = new ArrivalEncoder();
  #orderPart: CapturePart | undefined;
  #late: LateParts | undefined;
  #passedOn = 0;
  #parts = 0;
  #bytes = 0;
  #inputHash = '';
  #opening: Uint8Array = new Uint8Array(0);

  constructor(options: CaptureOptions) {
    const { writer } = options;
    this.#options = options;
    this.#storing = writer === null ? { why: 'storing is turned off', cause: undefined } : { writer };
  }

  part(spec: PartSpec, notes: readonly string[] = [], text = this.#options.text(spec)): CapturePart {
    const index = this.#parts++;
    const { copy } = this.#options;
    const isCopied = isShown({ role: spec.role, notes }) && spec.kind !== 'binary';
    const redact = this.#redactionOf(index, spec);
    const options = { index, spec, notes, text, redact, copy: isCopied ? copy : null };
    if (index >= MOST_APART) return this.#lateParts().begin(options);
    const decode = (encoding: TextEncoding | null): CapturePart | null => {
      if (this.#parts >= MOST_APART) return null;
      const { kind, name } = spec;
      const beside: PartSpec = { role: 'decoded', kind, name, of: index };
      return this.part(encoding === null ? beside : { ...beside, encoding }, [], text);
    };
    const store = this.#declare(spec).store;
    const part = new CapturePart({ ...options, store, ...(spec.role === 'content' ? { decode } : {}) });
    this.#early.push(part);
    return part;
  }

  /**
   * Each of the first parts may have a text beside it. Secrets of the parts after them are replaced
   * before they are stored.
   */
  #redactionOf(index: number, { role, kind }: PartSpec): PartRedaction | null {
    const { redact } = this.#options;
    if (redact === null || kind === 'binary' || role === 'decoded' || role === 'order') return null;
    if (redact.mode === 'stored' || index >= MOST_APART / 2) return { where: 'stored', own: redact.own };
    return role === 'content' ? { where: 'beside', own: redact.own } : null;
  }

  /**
   * Captures parts from beginning to end: streams all at the same time, texts that are there
   * already one after the other. A source that fails ends there: what had arrived of it is kept,
   * and the failure is given back.
   */
  take(sources: Sources): Promise<{ readonly failure: unknown } | null> {
    const streams = Array.isArray(sources) && sources.some(({ chunks }) => isStream(chunks));
    return streams ? this.#takeTogether(sources) : this.#takeInTurn(sources);
  }

  async #takeTogether(sources: readonly PartSource[]): Promise<{ readonly failure: unknown } | null> {
    const streams = sources.filter(({ chunks }) => isStream(chunks));
    const parts = sources.map((source) => this.part(source.spec, source.notes));
    // Keep the arrival order only if parts really arrive at the same time.
    const ordered = streams.length > 1;
    const poured = await Promise.allSettled(
      sources.map(({ chunks }, i) => this.#pour(parts[i], chunks, ordered)),
    );
    const failed = poured.find((result) => result.status === 'rejected');
    return failed === undefined ? null : { failure: failed.reason };
  }

  /** False once capture is full. */
  write(part: CapturePart, chunk: Chunk, ordered: boolean): Promise<boolean> {
    return chunk.length > MOST_TAKEN
      ? this.#writeLong(part, chunk, ordered)
      : this.#write(part, chunk, ordered);
  }

  async #writeLong(part: CapturePart, chunk: Chunk, ordered: boolean): Promise<boolean> {
    for (let from = 0; from < chunk.length; from += MOST_TAKEN) {
      const to = from + MOST_TAKEN;
      const taken = typeof chunk === 'string' ? chunk.slice(from, to) : chunk.subarray(from, to);
      if (!(await this.#write(part, taken, ordered))) return false;
    }
    return true;
  }

  async #write(part: CapturePart, chunk: Chunk, ordered: boolean): Promise<boolean> {
    const room = this.#options.maxCapture - this.#bytes;
    if (room <= 0) return false;
    if (this.#late?.has(part) === true) await this.#endBefore(this.#late, part);
    const bytes = part.encode(chunk);
    const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#bytes += taken.length;
    if (this.isRejected && this.notStored === null)
      await this.#stop({ why: 'larger than max_artifact_size', cause: undefined });
    // Redaction changes lengths, so the arrival order is not kept.
    if (ordered && this.#options.redact?.mode !== 'stored') await this.#arrived(part, taken.length);
    const passing = part.push(taken);
    if (passing !== undefined) await passing;
    return !this.full;
  }

  get full(): boolean {
    return this.#bytes >= this.#options.maxCapture;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isRejected(): boolean {
    return this.#bytes > this.#options.rejectAbove;
  }

  get notStored(): NotStored | null {
    return 'writer' in this.#storing ? null : this.#storing;
  }

  async flush(part: CapturePart): Promise<void> {
    await part.flush();
    await this.#late?.flush(part);
  }

  async end(part: CapturePart, notes: readonly string[] = []): Promise<void> {
    if (part.captured !== undefined) return;
    part.note(notes);
    if (this.#late?.has(part) === true) {
      await this.#endBefore(this.#late, part);
      return this.#late.end();
    }
    await part.finish();
    this.#passOn();
  }

  async finish(): Promise<Captured> {
    await this.#finishOrder();
    await this.#endEarly();
    if (this.#late !== undefined) await this.#late.finish();
    return {
      totals: this.#totals,
      inputHash: this.#inputHash,
      opening: this.#opening,
    };
  }

  declare(spec: PartSpec): number {
    if ('writer' in this.#storing) this.#storing.writer.part(spec);
    return this.#declared++;
  }

  async append(index: number, piece: Piece): Promise<void> {
    if (!('writer' in this.#storing)) return;
    try {
      await this.#storing.writer.append(index, piece);
    } catch (error) {
      await this.giveUp(error);
    }
  }

  ended(index: number, { bytes, chars, lines, illFormed, hash, notes }: PartTotals): void {
    this.#totals[index] = { bytes, chars, lines, illFormed, hash, notes };
  }

  /** Undefined if it could not be stored; `notStored` says why. */
  async seal(seal: Seal): Promise<SealResult | undefined> {
    if (!('writer' in this.#storing)) return undefined;
    try {
      return await this.#storing.writer.seal(seal);
    } catch (error) {
      await this.giveUp(error);
      return undefined;
    }
  }

  /** Called after a failure: discards what was written and continues to capture. */
  giveUp(cause: unknown): Promise<void> {
    const full = cause instanceof SpillwayError && cause.code === 'store_full';
    return this.#stop({ why: full ? 'no room left in the store' : 'the store is not available', cause });
  }

  leaveOut(): Promise<void> {
    return this.#stop({ why: 'the setting exclude leaves it out', cause: undefined });
  }

  async #stop(why: NotStored): Promise<void> {
    const stopped = this.#storing;
    this.#storing = why;
    // A failed store may fail to discard, too; the first failure is the reason.
    if ('writer' in stopped) await stopped.writer.discard().catch(() => undefined);
  }

  async #takeInTurn(sources: Sources): Promise<{ readonly failure: unknown } | null> {
    try {
      // Synchronous for what is already here.
      if (Array.isArray(sources)) {
        for (const source of sources as readonly PartSource[]) if (!(await this.#takeWhole(source))) break;
      } else {
        for await (const source of sources) if (!(await this.#takeWhole(source))) break;
      }
      return null;
    } catch (failure) {
      return { failure };
    }
  }

  async #takeWhole({ spec, notes, chunks }: PartSource): Promise<boolean> {
    const part = this.part(spec, notes);
    if (isStream(chunks)) await this.#pour(part, chunks, false);
    else await this.write(part, chunks, false);
    await this.end(part);
    return !this.full;
  }

  async #pour(part: CapturePart | undefined, source: Source, ordered: boolean): Promise<void> {
    if (part === undefined) return;
    if (!isStream(source)) {
      await this.write(part, source, ordered);
      return;
    }
    for await (const chunk of chunksOf(source)) {
      if (!(await this.write(part, chunk, ordered))) break;
    }
  }

  #lateParts(): LateParts {
    this.#late ??= new LateParts(this, (part) => this.#see(part));
    return this.#late;
  }

  /** Of very many parts one at a time is open. */
  async #endBefore(late: LateParts, part: CapturePart): Promise<void> {
    await this.#endEarly();
    await late.endBefore(part);
  }

  async #endEarly(): Promise<void> {
    for (let at = this.#passedOn; at < this.#early.length; at++)
      if (this.#early[at] !== this.#orderPart) await this.#early[at]?.finish();
    this.#passOn();
  }

  #passOn(): void {
    for (; this.#passedOn < this.#early.length; this.#passedOn++) {
      const part = this.#early[this.#passedOn];
      // The order ends last.
      if (part === this.#orderPart) continue;
      const captured = part?.captured;
      if (captured === undefined) return;
      this.ended(captured.part.index, captured.part);
      this.#see(captured);
      this.#early[this.#passedOn] = undefined;
    }
  }

  #see(captured: CapturedPart): void {
    const { part, text, decoded, opening } = captured;
    if (isShown(part))
      this.#options.onPart(decoded === null ? captured : { ...captured, part: asText(part, decoded) });
    if (part.role === 'input') this.#inputHash ||= part.hash;
    if (part.role !== 'content' || text === null) return;
    if (this.#opening.length === 0) this.#opening = opening;
  }

  async #arrived(part: CapturePart, byteCount: number): Promise<void> {
    const run = this.#order.push(part.index, byteCount);
    if (run.length === 0) return;
    this.#orderPart ??= this.#openOrder();
    await this.#orderPart.push(run);
  }

  async #finishOrder(): Promise<void> {
    if (this.#orderPart === undefined) return;
    await this.#orderPart.push(this.#order.finish());
    const { part } = await this.#orderPart.finish();
    this.ended(part.index, part);
  }

  #openOrder(): CapturePart {
    if (this.#parts < MOST_APART) return this.part(ORDER);
    this.#lateParts();
    const nothing = { notes: [], text: null, copy: null };
    return new CapturePart({ ...this.#declare(ORDER), ...nothing, spec: ORDER });
  }

  #declare(spec: PartSpec): { readonly index: number; readonly store: (piece: Piece) => Promise<void> } {
    const index = this.declare(spec);
    return { index, store: (piece) => this.append(index, piece) };
  }
}

function isStream(source: Source): source is Exclude<Source, Chunk> {
  return typeof source !== 'string' && !(source instanceof Uint8Array);
}
