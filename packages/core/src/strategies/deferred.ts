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
/** So much is held of all documents that stream by at the same time. */
const ALL_BYTES = 1 << 26;

/** The room that documents share: who finds none left begins at once. */
export class DocumentRoom {
  #left = ALL_BYTES;
  /** An output that is given up tells nobody: what it took comes back with its memory. */
  readonly #abandoned = new FinalizationRegistry<RoomShare>((share) => share.giveBack());

  /** What one document takes of it; nothing yet. */
  share(document: object): RoomShare {
    const share = new RoomShare((bytes) => this.#take(bytes));
    this.#abandoned.register(document, share);
    return share;
  }

  #take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** What one document takes of the room. */
export class RoomShare {
  readonly #take: (bytes: number) => boolean;
  #taken = 0;

  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** Takes as much more as makes it so many; false if there is no room. */
  growTo(bytes: number): boolean {
    if (bytes > DOCUMENT_BYTES || !this.#take(bytes - this.#taken)) return false;
    this.#taken = bytes;
    return true;
  }

  giveBack(): void {
    this.#take(-this.#taken);
    this.#taken = 0;
  }
}

export class DeferredSelector implements Selector {
  readonly #start: () => Selector;
  readonly #share: RoomShare;
  readonly #held: Piece[] = [];
  #total: Extent = NOTHING;
  #last: Uint8Array = new Uint8Array(0);
  #begun: Selector | undefined;

  constructor(start: () => Selector, room: DocumentRoom) {
    this.#start = start;
    this.#share = room.share(this);
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    this.#last = piece.bytes;
    if (this.#begun !== undefined) {
      this.#begun.push(piece);
      return;
    }
    this.#held.push(piece);
    if (!this.#share.growTo(this.#total.bytes)) this.#begin();
  }

  /** It will not be asked: the grammar decides on a text that cannot be shown whole. */
  letGo(): void {
    this.#held.length = 0;
    this.#share.giveBack();
  }

  get total(): Extent {
    return this.#total;
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
    this.#share.giveBack();
    return begun;
  }
}
