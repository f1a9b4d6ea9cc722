/**
 * Keeps a projection possible whatever a strategy does: beside it run the two plain ends of the
 * part, in the same bounded memory. Once the strategy, a detector or a renderer throws, the ends
 * answer, and `fallback` says why. Errors are told by the name of their class: their messages may
 * quote the text.
 */
import type { ByteRange } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import type { Selection } from '../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share } from '../model/strategy.ts';

export class GuardedSelector implements Selector {
  readonly #plain: Selector;
  readonly #name: string;
  #inner: Selector | null;
  #error: string | null = null;

  /** `start` begins the strategy called `name`; `plain` answers if that throws. */
  constructor(name: string, start: () => Selector, plain: Selector) {
    this.#name = name;
    this.#plain = plain;
    this.#inner = this.#attempt(start, null);
  }

  push(piece: Piece): void {
    this.#plain.push(piece);
    const inner = this.#inner;
    if (inner !== null) this.#attempt(() => inner.push(piece), undefined);
  }

  finish(): void {
    const inner = this.#inner;
    if (inner !== null) this.#attempt(() => inner.finish?.(), undefined);
  }

  select(share: Share): Selection {
    const inner = this.#inner;
    const selection = inner === null ? null : this.#attempt(() => inner.select(share), null);
    return selection ?? this.#plain.select(share);
  }

  /** What throws from here on was selected already: whoever renders gives up and begins anew. */
  bytes(range: ByteRange): Uint8Array {
    return (this.#inner ?? this.#plain).bytes(range);
  }

  /** From now on the plain ends answer. */
  giveUp(error: unknown): void {
    this.#inner = null;
    this.#error ??= nameOf(error);
  }

  /** The class of the error that was thrown; null if none was. */
  get error(): string | null {
    return this.#error;
  }

  get grammar(): Grammar | null {
    return this.#inner?.grammar ?? null;
  }

  get failure(): string | null {
    return this.#inner?.failure ?? null;
  }

  get decidedBy(): string | undefined {
    return (this.#inner ?? this.#plain).decidedBy;
  }

  get findings(): Findings | null {
    return this.#inner?.findings ?? null;
  }

  get fallback(): string | null {
    if (this.#error !== null) return `${this.#name} failed (${this.#error})`;
    return this.#inner?.fallback ?? null;
  }

  get why(): string | null {
    return this.#inner?.why ?? null;
  }

  get withheld(): string | null {
    return this.#inner?.withheld ?? null;
  }

  /** Asked when everything else is done. */
  reasons(): readonly KeptLines[] {
    const inner = this.#inner;
    return inner === null ? [] : this.#attempt(() => inner.reasons?.() ?? [], []);
  }

  #attempt<T>(action: () => T, otherwise: T): T {
    try {
      return action();
    } catch (error) {
      this.giveUp(error);
      return otherwise;
    }
  }
}

/** A word: an error may have any name. */
function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return /^\w{1,40}$/.test(name) ? name : 'Error';
}
