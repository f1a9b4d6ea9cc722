/**
 * The strategies that may answer, at work on one part. While the part is short it is held, and a
 * strategy is started when it is asked for. From then on those that may still be needed see every
 * piece, side by side, each in its own bounded memory. A document is held longer, and only its
 * grammar sees it: while the text follows that, nobody else is asked. Units: bytes.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Selector, Strategy } from '../../model/strategy.ts';
import { isLineStart } from '../../text/cut.ts';
import type { DocumentRoom, RoomShare } from '../deferred.ts';

/** Most outputs are shorter: of those everything is known before anything is started. */
export const HOLD_BYTES = 131_072;

export interface ContestOptions<Name> {
  readonly start: (strategy: Strategy) => Selector;
  /** What is started once the part is too long to be held. */
  readonly begin: () => Iterable<readonly [Name, Strategy]>;
  /** The grammar of a document; undefined if the part does not look like one. */
  readonly document: () => readonly [Name, Strategy] | undefined;
  readonly room: DocumentRoom;
}

export class Contest<Name extends string> {
  readonly #options: ContestOptions<Name>;
  readonly #running = new Map<Name, Selector>();
  readonly #held: Piece[] = [];
  #joined: Uint8Array | undefined;
  /** `document`: it is held, and its grammar is at work. */
  #state: 'held' | 'document' | 'streaming' = 'held';
  /** What a document takes of the room. */
  #share: RoomShare | undefined;
  #last: Uint8Array = new Uint8Array(0);
  total: Extent = NOTHING;
  illFormed = 0;

  constructor(options: ContestOptions<Name>) {
    this.#options = options;
  }

  /** Whether the whole part is held, and short. */
  get holdsAll(): boolean {
    return this.#state === 'held';
  }

  get held(): readonly Piece[] {
    return this.#held;
  }

  push(piece: Piece): void {
    this.total = sum(this.total, piece.extent);
    this.illFormed += piece.illFormed;
    this.#last = piece.bytes;
    if (this.#state !== 'streaming') this.#held.push(piece);
    for (const selector of this.#running.values()) selector.push(piece);
    if (this.#state === 'held' && this.total.bytes > HOLD_BYTES) this.#outgrow();
    if (this.#state === 'document' && !this.#mayHold()) this.#begin();
  }

  /** The grammar of a document decides, and nobody else will be asked. */
  letGo(): void {
    if (this.#state !== 'document') return;
    this.#state = 'streaming';
    this.#held.length = 0;
    this.#share?.giveBack();
  }

  /** A strategy at work; null if it was not started while the beginning was still held. */
  get(name: Name, strategy: Strategy | undefined): Selector | null {
    const running = this.#running.get(name);
    if (running !== undefined || strategy === undefined) return running ?? null;
    if (this.#state === 'held') return this.#run(name, strategy);
    if (this.#state === 'document') this.#begin();
    return this.#running.get(name) ?? null;
  }

  /** A strategy that is at work already. */
  running(name: Name): Selector | null {
    return this.#running.get(name) ?? null;
  }

  /** Those that can no longer answer need not see the rest. */
  drop(names: readonly Name[]): void {
    if (this.#state !== 'streaming') return;
    for (const name of names) {
      this.#running.get(name)?.release?.();
      this.#running.delete(name);
    }
  }

  get lines(): number {
    const isOpen = this.#last.length > 0 && !isLineStart(this.#last, this.#last.length);
    return this.total.breaks + (isOpen ? 1 : 0);
  }

  /** What is held. Asked after the last push. */
  bytes(): Uint8Array {
    const [only] = this.#held;
    if (this.#held.length === 1 && only !== undefined) return only.bytes;
    this.#joined ??= Buffer.concat(this.#held.map(({ bytes }) => bytes));
    return this.#joined;
  }

  #outgrow(): void {
    const document = this.#options.document();
    if (document === undefined) {
      this.#begin();
      return;
    }
    this.#state = 'document';
    this.#run(...document);
  }

  #mayHold(): boolean {
    this.#share ??= this.#options.room.share(this);
    return this.#share.growTo(this.total.bytes);
  }

  /** Starts all others, which are given what is held side by side. */
  #begin(): void {
    const begun = [...this.#options.begin()].filter(([name]) => !this.#running.has(name));
    this.#state = 'streaming';
    const selectors = begun.map(([name, strategy]) => {
      const selector = this.#options.start(strategy);
      this.#running.set(name, selector);
      return selector;
    });
    for (const piece of this.#held.splice(0)) for (const selector of selectors) selector.push(piece);
    this.#share?.giveBack();
  }

  #run(name: Name, strategy: Strategy): Selector {
    const selector = this.#options.start(strategy);
    for (const piece of this.#held) selector.push(piece);
    this.#running.set(name, selector);
    return selector;
  }
}
