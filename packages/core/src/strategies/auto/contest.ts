/**
 * The strategies that may answer, at work on one part. While the part is short it is held, and a
 * strategy is started when it is asked for. From then on those that may still be needed see every
 * piece, side by side, each in its own bounded memory. Units: bytes.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Selector, Strategy } from '../../model/strategy.ts';
import { isLineStart } from '../../text/cut.ts';

/** Most outputs are shorter: of those everything is known before anything is started. */
export const HOLD_BYTES = 131_072;

export class Contest<Name extends string> {
  readonly #start: (strategy: Strategy) => Selector;
  readonly #running = new Map<Name, Selector>();
  readonly #held: Piece[] = [];
  #isHeld = true;
  #last: Uint8Array = new Uint8Array(0);
  total: Extent = NOTHING;
  illFormed = 0;

  constructor(start: (strategy: Strategy) => Selector) {
    this.#start = start;
  }

  /** Whether the whole part is held. */
  get holdsAll(): boolean {
    return this.#isHeld;
  }

  get held(): readonly Piece[] {
    return this.#held;
  }

  /** `begin` says what is started once the part is too long to be held. */
  push(piece: Piece, begin: () => Iterable<readonly [Name, Strategy]>): void {
    this.total = sum(this.total, piece.extent);
    this.illFormed += piece.illFormed;
    this.#last = piece.bytes;
    if (!this.#isHeld) {
      for (const selector of this.#running.values()) selector.push(piece);
      return;
    }
    this.#held.push(piece);
    if (this.total.bytes <= HOLD_BYTES) return;
    for (const [name, strategy] of begin()) this.get(name, strategy);
    this.#isHeld = false;
    this.#held.length = 0;
  }

  /** A strategy at work; null if it was not started while the beginning was still held. */
  get(name: Name, strategy: Strategy | undefined): Selector | null {
    const running = this.#running.get(name);
    if (running !== undefined || strategy === undefined || !this.#isHeld) return running ?? null;
    const selector = this.#start(strategy);
    for (const piece of this.#held) selector.push(piece);
    this.#running.set(name, selector);
    return selector;
  }

  /** Those that can no longer answer need not see the rest. */
  drop(names: readonly Name[]): void {
    if (!this.#isHeld) for (const name of names) this.#running.delete(name);
  }

  get lines(): number {
    const isOpen = this.#last.length > 0 && !isLineStart(this.#last, this.#last.length);
    return this.total.breaks + (isOpen ? 1 : 0);
  }

  /** What is held. */
  bytes(): Uint8Array {
    const [only] = this.#held;
    if (this.#held.length === 1 && only !== undefined) return only.bytes;
    return Buffer.concat(this.#held.map(({ bytes }) => bytes));
  }
}
