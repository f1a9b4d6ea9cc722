/**
 * The parts of an output after the first thousand. One of them is open at a time: beginning to
 * write to the next ends the one before. A part of at most 64 KB goes into a bundle; a larger one,
 * or one that is flushed, is stored by itself. Holds one piece of each part that is still open.
 */

import { createHash } from 'node:crypto';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartSpec, PartTotals } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';
import { PieceCutter } from '../text/pieces.ts';
import { type SequencedPart, SequenceEncoder } from '../text/sequence.ts';
import { type CapturedPart, CapturePart, type CapturePartOptions } from './capture-part.ts';
import type { OutputSink } from './output-sink.ts';

/** Held until it is known to be small, or stored by itself. */
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

interface Bundle {
  readonly index: number;
  readonly packer: PiecePacker;
}

/**
 * Small parts of which an output has very many, kept together: their bytes in two bundles (text,
 * and what is not), and in a third part, the sequence, what each of them is and how long
 * (text/sequence.ts). Holds at most a piece of each; a bundle begins with the first part in it.
 */
class PartBundler {
  readonly #sink: OutputSink;
  readonly #sequence = new SequenceEncoder();
  readonly #cutter = new PieceCutter('binary');
  readonly #index: number;
  readonly #bundles = new Map<'text' | 'binary', Bundle>();

  constructor(sink: OutputSink) {
    this.#sink = sink;
    this.#index = sink.declare({ role: 'order', kind: 'binary', name: 'sequence' });
  }

  async add(spec: PartSpec, pieces: readonly Piece[], { notes, bytes, lines }: PartTotals): Promise<void> {
    const { index, packer } = this.#bundleFor(spec);
    const full = packer.push(pieces, lines);
    if (full !== null) await this.#append(index, full);
    await this.#note({ spec, notes, size: { bytes } });
  }

  async addStored(spec: PartSpec, index: number, { notes }: PartTotals): Promise<void> {
    await this.#note({ spec, notes, size: { stored: index } });
  }

  async flush(): Promise<void> {
    for (const { index, packer } of this.#bundles.values()) {
      const held = packer.finish();
      if (held !== null) await this.#append(index, held);
    }
  }

  async finish(): Promise<void> {
    await this.flush();
    for (const { index, packer } of this.#bundles.values()) this.#sink.ended(index, packer.totals());
    for (const piece of this.#cutter.finish()) await this.#sink.append(this.#index, piece);
    this.#sink.ended(this.#index, this.#cutter.totals());
  }

  #bundleFor({ kind }: PartSpec): Bundle {
    const grammar = kind === 'binary' ? 'binary' : 'text';
    const found = this.#bundles.get(grammar);
    if (found !== undefined) return found;
    const index = this.#sink.declare({ role: 'content', kind: grammar, name: 'bundle', bundle: true });
    const bundle = { index, packer: new PiecePacker() };
    this.#bundles.set(grammar, bundle);
    return bundle;
  }

  /** The sequence goes first: after a crash, parts it does not list could not be fetched. */
  async #append(index: number, piece: Piece): Promise<void> {
    for (const rest of this.#cutter.flush()) await this.#sink.append(this.#index, rest);
    await this.#sink.append(index, piece);
  }

  async #note(part: SequencedPart): Promise<void> {
    for (const piece of this.#cutter.push(this.#sequence.push(part)))
      await this.#sink.append(this.#index, piece);
  }
}

const NO_BYTES = new Uint8Array(0);

/**
 * Packs small parts into pieces: at most 64 KB each, the parts whole and one behind the other.
 * Chars, line ends and ill-formed sequences are added up as each part has them for itself.
 */
export class PiecePacker {
  readonly #hash = createHash('sha256');
  #buffer = NO_BYTES;
  #start: Extent = NOTHING;
  #held: Extent = NOTHING;
  #heldIllFormed = 0;
  #lines = 0;
  #illFormed = 0;

  /** Takes the pieces of a part (64 KB at most); returns the piece they complete, if any. */
  push(pieces: readonly Piece[], lines: number): Piece | null {
    const bytes = pieces.reduce((all, piece) => all + piece.bytes.length, 0);
    const full = this.#held.bytes + bytes > PIECE_BYTES ? this.finish() : null;
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(PIECE_BYTES);
    for (const { bytes, extent, illFormed } of pieces) {
      this.#buffer.set(bytes, this.#held.bytes);
      this.#held = sum(this.#held, extent);
      this.#heldIllFormed += illFormed;
    }
    this.#lines += lines;
    return full;
  }

  finish(): Piece | null {
    const extent = this.#held;
    if (extent.bytes === 0) return null;
    const bytes = this.#buffer.slice(0, extent.bytes);
    const packed = { bytes, start: this.#start, extent, illFormed: this.#heldIllFormed } as Piece;
    this.#hash.update(bytes);
    this.#start = sum(this.#start, extent);
    this.#illFormed += this.#heldIllFormed;
    this.#held = NOTHING;
    this.#heldIllFormed = 0;
    return packed;
  }

  /** Call once, after `finish`. */
  totals(): PartTotals {
    return {
      bytes: this.#start.bytes,
      chars: this.#start.chars,
      lines: this.#lines,
      illFormed: this.#illFormed,
      hash: this.#hash.digest('hex'),
      notes: [],
    };
  }
}
