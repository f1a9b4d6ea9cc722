/**
 * A strategy that most likely is not needed: a grammar decides on the part, unless the text turns
 * out not to follow it, which is known at its end. Until it is asked the part is only held, as long
 * as it is no larger than most documents are. Units: bytes.
 */
import { type ByteRange, type Extent, NOTHING, sum } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import type { Selection } from '../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share } from '../model/strategy.ts';
import { isLineStart } from '../text/cut.ts';

/** A longer document is seen by all strategies while it streams by. */
export const DOCUMENT_BYTES = 1 << 24;

export class DeferredSelector implements Selector {
  readonly #start: () => Selector;
  readonly #held: Piece[] = [];
  #total: Extent = NOTHING;
  #last: Uint8Array = new Uint8Array(0);
  #begun: Selector | undefined;

  constructor(start: () => Selector) {
    this.#start = start;
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    this.#last = piece.bytes;
    if (this.#begun !== undefined) this.#begun.push(piece);
    else this.#held.push(piece);
    if (this.#total.bytes > DOCUMENT_BYTES) this.#begin();
  }

  /** Whether all of the text has room: else no strategy need be asked whether it fits. */
  fits(share: Share): boolean {
    const isOpen = this.#last.length > 0 && !isLineStart(this.#last, this.#last.length);
    const lines = this.#total.breaks + (isOpen ? 1 : 0);
    return this.#total.chars <= share.chars && lines <= share.lines;
  }

  select(share: Share): Selection {
    return this.#begin().select(share);
  }

  bytes(range: ByteRange): Uint8Array {
    return this.#begin().bytes(range);
  }

  get grammar(): Grammar | null {
    return this.#begin().grammar ?? null;
  }

  get findings(): Findings | null {
    return this.#begin().findings ?? null;
  }

  reasons(): readonly KeptLines[] {
    return this.#begin().reasons?.() ?? [];
  }

  #begin(): Selector {
    if (this.#begun !== undefined) return this.#begun;
    const begun = this.#start();
    this.#begun = begun;
    for (const piece of this.#held.splice(0)) begun.push(piece);
    return begun;
  }
}
