/**
 * A host's list of messages, made ready to be sent. With a window the agent's session keeps them:
 * what comes back fits, and is compacted where it has to be. Without one, results are bounded where
 * they stand and nothing is recorded. Units: tokens.
 */
import { markCache, type RequestOptions, SHAPES, type ShapeTypes } from '../../history/index.ts';
import type { Agent, ShapeName, WaitOptions } from '../../index.ts';
import type { Room } from './bounded-calls.ts';

/** The window of a model, and how requests are made for it. */
export type WindowOptions = Partial<Omit<RequestOptions, 'signal' | 'about'>>;

const CHARS_PER_TOKEN = 3;

/** Tokens of what is sent beside messages, on the safe side. */
export function tokensOf(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / CHARS_PER_TOKEN);
}

/** What a request takes of the window beside its messages. */
export interface Beside {
  /** Instructions and tool definitions. */
  readonly beside: number;
  /** Room for the answer. */
  readonly answer?: number;
  /** Marks for a cache that it holds already. */
  readonly marks?: number;
}

/** One conversation of a host. */
export class Conversation<S extends ShapeName & keyof typeof SHAPES> {
  readonly #agent: Agent<ShapeName>;
  readonly #shape: S;
  readonly #options: WindowOptions;
  #used = 0;

  constructor(agent: Agent<ShapeName>, shape: S, options: WindowOptions) {
    this.#agent = agent;
    this.#shape = shape;
    this.#options = options;
  }

  /** The window, and what the last request and later results use of it. */
  readonly room: Room = () => {
    const { window } = this.#options;
    return window === undefined ? undefined : { tokens: window, used: this.#used };
  };

  /** Counts what is added to the last request without being recorded. */
  add(tokens: number): void {
    this.#used += tokens;
  }

  /** Records messages: the list so far, or more behind it. Nothing without a window. */
  async record(messages: readonly object[], given: 'whole' | 'more', wait: WaitOptions): Promise<void> {
    if (this.#options.window === undefined) return;
    await this.#agent.take(messages as never, { shape: this.#shape, given, ...wait });
  }

  /** What the provider counted for the last request. */
  usage(response: unknown): void {
    if (this.#options.window !== undefined) this.#agent.usage(response, SHAPES[this.#shape]);
  }

  /** What to send of a list, in the fields of a request. */
  async request(
    messages: readonly object[],
    more: () => Beside | Promise<Beside>,
    wait: WaitOptions,
  ): Promise<ShapeTypes[S]['body']> {
    const { window, reserve, cache, ...options } = this.#options;
    if (window === undefined) return this.#bounded(messages, wait);
    await this.record(messages, 'whole', wait);
    const { answer = 0, beside, marks = 0 } = await more();
    const kept = { beside, ...options, window, reserve: reserve ?? answer, ...wait };
    const { body, numbers } = await this.#agent.request<S>({ ...kept, shape: this.#shape });
    this.#used = numbers.tokens;
    // Contents of Google's API have no marks.
    if (!('messages' in body)) return body;
    const marked = markCache(this.#shape, body.messages, { given: messages, cache, beside: marks });
    return { ...body, messages: marked };
  }

  async #bounded(messages: readonly object[], wait: WaitOptions): Promise<ShapeTypes[S]['body']> {
    const { session, about } = this.#agent;
    const bounded = await session.project(this.#shape, messages, { about, ...wait });
    const { bodyOf } = SHAPES[this.#shape] as { bodyOf?: (list: readonly unknown[]) => object };
    return (bodyOf?.(bounded) ?? { messages: bounded }) as ShapeTypes[S]['body'];
  }
}
