/**
 * Requests that wait for their answers, by id. One timer gives up what shows no progress for too
 * long.
 */
import type { SettingsInput } from '@spillway/core';
import { type AnswerRules, type Message, sameId } from './message.ts';

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly inputText: string | undefined;
  readonly policy: SettingsInput | undefined;
  /** Set if the same result may come again; it is then stored once. */
  readonly callId?: string;
}

export interface Pending {
  /** As the client wrote it. */
  readonly id: string;
  readonly method: string;
  readonly rules: AnswerRules;
  /** Set for a call whose result is to be projected. */
  call: ToolCall | null;
  /** Set for a request whose answer holds texts that a model reads (inner-results.ts). */
  readonly inner?: ToolCall;
  readonly progressToken: string | null;
  /** For our own requests: the answer goes nowhere else. */
  readonly settle?: (message: Message | null) => void;
  lastSign: number;
  /** We answered already: a late result is stored and not passed on. */
  abandoned: boolean;
  cancelled: boolean;
  /** A message stopped in the middle while this one waited. */
  stalled: boolean;
}

export interface PendingOptions {
  /** Milliseconds without a sign; 0 waits for ever. */
  readonly timeoutMs: number;
  readonly expired: (pending: Pending) => void;
}

/** Cancelled or abandoned requests that are remembered, without arguments longer than this. */
const MOST_LATE = 10_000;
const MOST_LATE_CHARS = 1_000;

export class PendingRequests {
  readonly #options: PendingOptions;
  /** If a client reuses an id, answers come in the order of its requests. */
  readonly #waiting = new Map<string, Pending[]>();
  readonly #late = new Set<Pending>();
  readonly #timer: NodeJS.Timeout | null;

  constructor(options: PendingOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.#timer =
      timeoutMs === 0 ? null : setInterval(() => this.#look(), Math.min(1_000, Math.ceil(timeoutMs / 4)));
    this.#timer?.unref();
  }

  add(pending: Omit<Pending, 'lastSign' | 'abandoned' | 'cancelled' | 'stalled'>): Pending {
    const added = {
      ...pending,
      lastSign: performance.now(),
      abandoned: false,
      cancelled: false,
      stalled: false,
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
    if (first !== undefined) this.#late.delete(first);
    return first;
  }

  cancel(id: string): void {
    const pending = this.get(id);
    if (pending === undefined || pending.cancelled) return;
    pending.cancelled = true;
    this.setAside(pending);
  }

  /** A late result is stored under its call. */
  setAside(pending: Pending): void {
    const { call } = pending;
    if (call !== null && (call.inputText?.length ?? 0) > MOST_LATE_CHARS)
      pending.call = { ...call, input: undefined, inputText: undefined };
    this.#late.add(pending);
    const [oldest] = this.#late;
    if (this.#late.size > MOST_LATE && oldest !== undefined) this.#forget(oldest);
  }

  #forget(pending: Pending): void {
    const key = sameId(pending.id);
    const others = (this.#waiting.get(key) ?? []).filter((one) => one !== pending);
    if (others.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, others);
    this.#late.delete(pending);
    pending.settle?.(null);
  }

  only(): Pending | undefined {
    const [first, second] = this.#waiting.size === 1 ? this.#all() : [];
    return second === undefined ? first : undefined;
  }

  takeAllBut(ids: ReadonlySet<string>): Pending[] {
    const all = this.#all().filter(({ id }) => !ids.has(sameId(id)));
    for (const pending of all) {
      this.#waiting.delete(sameId(pending.id));
      this.#late.delete(pending);
    }
    return all;
  }

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
    pending.lastSign = performance.now();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #all(): Pending[] {
    return [...this.#waiting.values()].flat();
  }

  #look(): void {
    const before = performance.now() - this.#options.timeoutMs;
    for (const pending of this.#all())
      if (!pending.abandoned && pending.lastSign < before) this.#options.expired(pending);
  }
}

/** Evicts the oldest entry if the map is full. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
