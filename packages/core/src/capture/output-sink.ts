/**
 * Passes the parts of one output to a store's writer. Once storing fails, or the output is larger
 * than the settings keep, what was written is discarded and everything that follows is ignored: the
 * capture goes on, because the output still has to be shown. Sizes are bytes.
 */
import { SpillwayError } from '../model/errors.ts';
import type { PartSpec, PartTotals } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { OutputWriter, Seal, SealResult } from '../model/store.ts';

/** Why an output is not stored: a phrase for the notice, and the error behind it. */
export interface NotStored {
  readonly why: string;
  readonly cause: unknown;
}

export class OutputSink {
  readonly #totals: PartTotals[] = [];
  #state: { readonly writer: OutputWriter } | NotStored;
  #declared = 0;

  constructor(writer: OutputWriter | null) {
    this.#state = writer === null ? { why: 'storing is turned off', cause: undefined } : { writer };
  }

  get notStored(): NotStored | null {
    return 'writer' in this.#state ? null : this.#state;
  }

  get totals(): readonly PartTotals[] {
    return this.#totals;
  }

  declare(spec: PartSpec): number {
    if ('writer' in this.#state) this.#state.writer.part(spec);
    return this.#declared++;
  }

  async append(index: number, piece: Piece): Promise<void> {
    if (!('writer' in this.#state)) return;
    try {
      await this.#state.writer.append(index, piece);
    } catch (error) {
      await this.giveUp(error);
    }
  }

  ended(index: number, { bytes, chars, lines, illFormed, hash, notes }: PartTotals): void {
    this.#totals[index] = { bytes, chars, lines, illFormed, hash, notes };
  }

  /** Undefined if it could not be stored; `notStored` says why. */
  async seal(seal: Seal): Promise<SealResult | undefined> {
    if (!('writer' in this.#state)) return undefined;
    try {
      return await this.#state.writer.seal(seal);
    } catch (error) {
      await this.giveUp(error);
      return undefined;
    }
  }

  async giveUp(cause: unknown): Promise<void> {
    const full = cause instanceof SpillwayError && cause.code === 'store_full';
    await this.stop({ why: full ? 'no room left in the store' : 'the store is not available', cause });
  }

  async stop(why: NotStored): Promise<void> {
    const stopped = this.#state;
    this.#state = why;
    // A failed store may fail to discard, too; the first failure is the reason.
    if ('writer' in stopped) await stopped.writer.discard().catch(() => undefined);
  }
}
