/**
 * The parts of an output after the first thousand. One of them is open at a time: beginning to
 * write to the next ends the one before. A part of at most 64 KB goes into a bundle; a larger one,
 * or one that is flushed, is stored by itself. Holds one piece of each part that is still open.
 */
import type { PartSpec, PartTotals } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';
import { PieceCutter } from '../text/pieces.ts';
import { type SequencedPart, SequenceEncoder } from '../text/sequence.ts';
import { type CapturedPart, CapturePart, type CapturePartOptions } from './capture-part.ts';

/** Stores parts one by one. */
export interface PartWriter {
  declare(spec: PartSpec): number;
  append(index: number, piece: Piece): Promise<void>;
  ended(index: number, totals: PartTotals): void;
}

interface LatePart {
  readonly part: CapturePart;
  readonly spec: PartSpec;
  readonly held: Piece[];
  heldBytes: number;
  stored: number | null;
}

export class LateParts {
  readonly #writer: PartWriter;
  readonly #onEnd: (part: CapturedPart) => void;
  readonly #bundler: PartBundler;
  readonly #open: LatePart[] = [];

  /** Invariant: the sequence has the index that the first late part has among the parts. */
  constructor(writer: PartWriter, onEnd: (part: CapturedPart) => void) {
    this.#writer = writer;
    this.#onEnd = onEnd;
    this.#bundler = new PartBundler(writer);
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

  async flush(part: CapturePart): Promise<void> {
    const late = this.#open.find((open) => open.part === part);
    if (late === undefined) return;
    await this.#storeApart(late);
    await this.#bundler.flush();
  }

  /** One of these. */
  async endBefore(part: CapturePart): Promise<void> {
    while (this.#open.length > 0 && this.#open[0]?.part !== part) await this.#endFirst();
  }

  /** The first that is open. */
  async end(): Promise<void> {
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
    await this.#writer.append(await this.#storeApart(late), piece);
  }

  async #storeApart(late: LatePart): Promise<number> {
    late.stored ??= this.#writer.declare(late.spec);
    for (const held of late.held.splice(0)) await this.#writer.append(late.stored, held);
    return late.stored;
  }

  async #endFirst(): Promise<void> {
    const first = this.#open.shift();
    if (first === undefined) return;
    const { spec, held } = first;
    const captured = await first.part.finish();
    if (first.stored === null) await this.#bundler.add(spec, held, captured.part);
    else {
      this.#writer.ended(first.stored, captured.part);
      await this.#bundler.addStored(spec, first.stored, captured.part);
    }
    this.#onEnd(captured);
  }
}

/**
 * Small parts of which an output has very many, kept together: their bytes in two bundles (text,
 * and what is not), and in a third part, the sequence, what each of them is and how long
 * (text/sequence.ts). Holds at most a piece of each; a bundle begins with the first part in it.
 * Counts of a bundle are those of its bytes as they follow each other.
 */
class PartBundler {
  readonly #writer: PartWriter;
  readonly #sequence = new SequenceEncoder();
  readonly #cutter = new PieceCutter('binary');
  readonly #index: number;
  readonly #bundles = new Map<'text' | 'binary', { readonly index: number; readonly cutter: PieceCutter }>();

  constructor(writer: PartWriter) {
    this.#writer = writer;
    this.#index = writer.declare({ role: 'order', kind: 'binary', name: 'sequence' });
  }

  async add(spec: PartSpec, pieces: readonly Piece[], { notes, bytes }: PartTotals): Promise<void> {
    const { index, cutter } = this.#bundleFor(spec);
    for (const piece of pieces) await this.#append(index, cutter.push(piece.bytes));
    await this.#note({ spec, notes, size: { bytes } });
  }

  async addStored(spec: PartSpec, index: number, { notes }: PartTotals): Promise<void> {
    await this.#note({ spec, notes, size: { stored: index } });
  }

  async flush(): Promise<void> {
    for (const { index, cutter } of this.#bundles.values()) await this.#append(index, cutter.flush());
  }

  async finish(): Promise<void> {
    for (const { index, cutter } of this.#bundles.values()) {
      await this.#append(index, cutter.finish());
      this.#writer.ended(index, cutter.totals());
    }
    for (const piece of this.#cutter.finish()) await this.#writer.append(this.#index, piece);
    this.#writer.ended(this.#index, this.#cutter.totals());
  }

  #bundleFor({ kind }: PartSpec): { readonly index: number; readonly cutter: PieceCutter } {
    const grammar = kind === 'binary' ? 'binary' : 'text';
    const found = this.#bundles.get(grammar);
    if (found !== undefined) return found;
    const index = this.#writer.declare({ role: 'content', kind: grammar, name: 'bundle', bundle: true });
    const bundle = { index, cutter: new PieceCutter(grammar) };
    this.#bundles.set(grammar, bundle);
    return bundle;
  }

  /** The sequence goes first: after a crash, parts it does not list could not be fetched. */
  async #append(index: number, pieces: Iterable<Piece>): Promise<void> {
    for (const piece of pieces) {
      for (const rest of this.#cutter.flush()) await this.#writer.append(this.#index, rest);
      await this.#writer.append(index, piece);
    }
  }

  async #note(part: SequencedPart): Promise<void> {
    for (const piece of this.#cutter.push(this.#sequence.push(part)))
      await this.#writer.append(this.#index, piece);
  }
}
