/**
 * The requests that were passed on and wait for their answers, by id. One timer watches all of
 * them: what gives no sign for too long is given up.
 */
import type { SettingsInput } from '@spillway/core';
import type { AnswerRules, Message } from './message.ts';
import { sameId } from './message.ts';

/** A tool call that waits for its result. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly inputText: string | undefined;
  /** Settings of this one call. */
  readonly policy: SettingsInput | undefined;
}

export interface Pending {
  /** As the client wrote it. */
  readonly id: string;
  readonly method: string;
  readonly request: Message | null;
  readonly rules: AnswerRules;
  /** Set for a call whose result is to be projected. */
  readonly call: ToolCall | null;
  readonly progressToken: string | null;
  /** For requests of our own: the answer goes nowhere else. */
  readonly settle?: (message: Message | null) => void;
  lastSign: number;
  /** Answered already, by us: what still comes is stored and not passed on. */
  abandoned: boolean;
  /** The client wants no answer any more. */
  cancelled: boolean;
  /** While its result arrives: ends the waiting for more. */
  interrupt: ((why: 'timeout') => void) | null;
}

export interface PendingOptions {
  /** Milliseconds without a sign; 0 waits for ever. */
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly expired: (pending: Pending) => void;
}

export class PendingRequests {
  readonly #options: PendingOptions;
  /** Clients that use an id twice at a time get their answers in the order of their requests. */
  readonly #waiting = new Map<string, Pending[]>();
  readonly #timer: NodeJS.Timeout | null;

  constructor(options: PendingOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.#timer =
      timeoutMs === 0 ? null : setInterval(() => this.#look(), Math.min(1_000, Math.ceil(timeoutMs / 4)));
    this.#timer?.unref();
  }

  add(pending: Omit<Pending, 'lastSign' | 'abandoned' | 'cancelled' | 'interrupt'>): Pending {
    const added = {
      ...pending,
      lastSign: this.#options.clock(),
      abandoned: false,
      cancelled: false,
      interrupt: null,
    };
    const key = sameId(pending.id);
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [added]);
    else others.push(added);
    return added;
  }

  get(id: string): Pending | undefined {
    return this.#waiting.get(sameId(id))?.[0];
  }

  take(id: string): Pending | undefined {
    const key = sameId(id);
    const found = this.#waiting.get(key);
    const first = found?.shift();
    if (found?.length === 0) this.#waiting.delete(key);
    return first;
  }

  /** The only one that waits, if there is only one. */
  only(): Pending | undefined {
    const [first, second] = this.#waiting.size === 1 ? this.#all() : [];
    return second === undefined ? first : undefined;
  }

  /** All that wait, but for some, which then do no longer. */
  takeAllBut(ids: ReadonlySet<string>): Pending[] {
    const all = this.#all().filter(({ id }) => !ids.has(sameId(id)));
    for (const { id } of all) this.#waiting.delete(sameId(id));
    return all;
  }

  /** Waits until all are answered, or for so long. */
  async answered(mostMs: number): Promise<void> {
    const end = performance.now() + mostMs;
    while (
      performance.now() < end &&
      this.#all().some(({ abandoned, cancelled }) => !abandoned && !cancelled)
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  progress(token: string): void {
    for (const pending of this.#all()) if (pending.progressToken === token) this.sign(pending);
  }

  sign(pending: Pending): void {
    pending.lastSign = this.#options.clock();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #all(): Pending[] {
    return [...this.#waiting.values()].flat();
  }

  #look(): void {
    const before = this.#options.clock() - this.#options.timeoutMs;
    for (const pending of this.#all())
      if (!pending.abandoned && pending.lastSign < before) this.#options.expired(pending);
  }
}
