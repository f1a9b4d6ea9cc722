/**
 * The parts of an output after the first thousand. One of them is open at a time: beginning to
 * write to the next ends the one before. A part of at most 64 KB goes into a bundle
 * (part-bundler.ts); a larger one, or one that is flushed, is stored by itself. Holds one piece of
 * each part that is still open.
 */
import type { PartSpec } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';
import { type CapturedPart, CapturePart, type CapturePartOptions } from './capture-part.ts';
import type { OutputSink } from './output-sink.ts';
import { PartBundler } from './part-bundler.ts';

/** A part that is held until it is known to be small, or else stored by itself. */
interface LatePart {
  readonly part: CapturePart;
  readonly spec: PartSpec;
  readonly held: Piece[];
  heldBytes: number;
  stored: number | null;
}

export class LateParts {
  readonly #sink: OutputSink;
  readonly #onEnd: (part: CapturedPart) => void;
  readonly #bundler: PartBundler;
  /** The part that was begun last, and those before it that are still to be ended. */
  readonly #open: LatePart[] = [];

  /** Invariant: the sequence has the index that the first late part has among the parts. */
  constructor(sink: OutputSink, onEnd: (part: CapturedPart) => void) {
    this.#sink = sink;
    this.#onEnd = onEnd;
    this.#bundler = new PartBundler(sink);
  }

  begin(options: Omit<CapturePartOptions, 'store'>): CapturePart {
    const part = new CapturePart({ ...options, store: (piece) => this.#store(late, piece) });
    const late: LatePart = { part, spec: options.spec, held: [], heldBytes: 0, stored: null };
    this.#open.push(late);
    return part;
  }

  has(part: CapturePart): boolean {
    return this.#open.some((late) => late.part === part);
  }

  /** Makes what has arrived of a part survive a crash. */
  async flush(part: CapturePart): Promise<void> {
    const late = this.#open.find((open) => open.part === part);
    if (late === undefined) return;
    await this.#storeApart(late);
    await this.#bundler.flush();
  }

  /** Ends the parts that were begun before this one. */
  async endBefore(part: CapturePart): Promise<void> {
    if (!this.has(part)) return;
    while (this.#open.length > 0 && this.#open[0]?.part !== part) await this.#endFirst();
  }

  /** Ends a part, and those that were begun before it. */
  async end(part: CapturePart): Promise<void> {
    await this.endBefore(part);
    await this.#endFirst();
  }

  async finish(): Promise<void> {
    while (this.#open.length > 0) await this.#endFirst();
    await this.#bundler.finish();
  }

  async #store(late: LatePart, piece: Piece): Promise<void> {
    if (late.stored === null && late.heldBytes + piece.bytes.length <= PIECE_BYTES) {
      late.held.push(piece);
      late.heldBytes += piece.bytes.length;
      return;
    }
    await this.#sink.append(await this.#storeApart(late), piece);
  }

  async #storeApart(late: LatePart): Promise<number> {
    late.stored ??= this.#sink.declare(late.spec);
    for (const held of late.held.splice(0)) await this.#sink.append(late.stored, held);
    return late.stored;
  }

  async #endFirst(): Promise<void> {
    const first = this.#open.shift();
    if (first === undefined) return;
    const { spec, held } = first;
    const captured = await first.part.finish();
    if (first.stored === null) await this.#bundler.add(spec, held, captured.part);
    else {
      this.#sink.ended(first.stored, captured.part);
      await this.#bundler.addStored(spec, first.stored, captured.part);
    }
    this.#onEnd(captured);
  }
}
