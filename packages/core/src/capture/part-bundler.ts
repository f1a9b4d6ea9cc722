/**
 * Small parts of which an output has very many, kept together: their bytes in two bundles (text,
 * and what is not), and in a third part, the sequence, what each of them is and how long
 * (text/sequence.ts). So an output of a million parts is stored as a few. Holds at most a piece of
 * each; a bundle begins with the first part that goes into it.
 */
import type { PartSpec, PartTotals } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import { PiecePacker } from '../text/packing.ts';
import { PieceCutter } from '../text/pieces.ts';
import { type SequencedPart, SequenceEncoder } from '../text/sequence.ts';
import type { OutputSink } from './output-sink.ts';

interface Bundle {
  readonly index: number;
  readonly packer: PiecePacker;
}

export class PartBundler {
  readonly #sink: OutputSink;
  readonly #sequence = new SequenceEncoder();
  readonly #cutter = new PieceCutter('binary');
  readonly #index: number;
  readonly #bundles = new Map<'text' | 'binary', Bundle>();

  constructor(sink: OutputSink) {
    this.#sink = sink;
    this.#index = sink.declare({ role: 'order', kind: 'binary', name: 'sequence' });
  }

  /** A part of at most 64 KB. */
  async add(spec: PartSpec, pieces: readonly Piece[], { notes, bytes, lines }: PartTotals): Promise<void> {
    const { index, packer } = this.#bundleFor(spec);
    const full = packer.push(pieces, lines);
    if (full !== null) await this.#append(index, full);
    await this.#note({ spec, notes, size: { bytes } });
  }

  /** A larger one, which is stored by itself. */
  async addStored(spec: PartSpec, index: number, { notes }: PartTotals): Promise<void> {
    await this.#note({ spec, notes, size: { stored: index } });
  }

  /** Hands on what is held. */
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

  /** What the sequence does not tell apart could not be fetched after a crash, so it goes first. */
  async #append(index: number, piece: Piece): Promise<void> {
    for (const rest of this.#cutter.flush()) await this.#sink.append(this.#index, rest);
    await this.#sink.append(index, piece);
  }

  async #note(part: SequencedPart): Promise<void> {
    for (const piece of this.#cutter.push(this.#sequence.push(part)))
      await this.#sink.append(this.#index, piece);
  }
}
