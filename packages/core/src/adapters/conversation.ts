/**
 * What all adapters do alike. A host's list of messages is made ready to be sent: with a window the
 * agent's session keeps it, what comes back fits, and is compacted where it has to be; without one,
 * results are bounded where they stand and nothing is recorded. Calls that are under way together
 * share what the window has left. Units: tokens.
 */
import { markCache, type RequestOptions, SHAPES, type ShapeTypes } from '../history/index.ts';
import {
  type Agent,
  type Shape,
  type ShapeName,
  SpillwayError,
  type ToolCall,
  type ToolResult,
  type WaitOptions,
} from '../index.ts';

/** The window of a model, and how requests are made for it. */
export type WindowOptions = Partial<Omit<RequestOptions, 'signal' | 'about'>>;

/** Options of every adapter, to tell a typing error from an option. */
const OPTIONS = ['window', 'reserve', 'beside', 'mediaTokens', 'about', 'model', 'cache', 'onCompaction'];

/** What a request takes of the window beside its messages. */
export interface Beside {
  /** Instructions and tool definitions, as they are sent. */
  readonly sent: unknown;
  /** Tokens of what else the host adds. */
  readonly tokens?: number | undefined;
  /** Room for the answer. */
  readonly answer?: number;
  /** Marks for a cache that it holds already. */
  readonly marks?: number;
  /** Whether results can be texts only. Default: as the shape says. */
  readonly textResults?: boolean;
}

/** One conversation of a host. */
export class Conversation<S extends ShapeName = ShapeName> {
  /** The window of the model. Without one nothing is recorded. */
  window: number | undefined;
  readonly #agent: Agent<ShapeName>;
  readonly #shape: Shape;
  readonly #options: Partial<RequestOptions>;
  /** Calls whose results no model has seen. */
  readonly #open = new Set<string>();
  #used = 0;

  constructor(agent: Agent<ShapeName>, shape: S | Shape, { window, ...options }: Partial<RequestOptions>) {
    for (const name of Object.keys(options))
      if (!OPTIONS.includes(name))
        throw new SpillwayError(
          'invalid_argument',
          `\`${name}\` is not an option here: there are ${OPTIONS.join(', ')}.`,
        );
    this.window = window;
    this.#agent = agent;
    this.#shape = typeof shape === 'string' ? SHAPES[shape as keyof typeof SHAPES] : shape;
    this.#options = options;
  }

  /** Records messages: the list so far, or more behind it. Nothing without a window. */
  async record(messages: readonly object[], given: 'whole' | 'more', wait: WaitOptions = {}): Promise<void> {
    if (this.window === undefined || messages.length === 0) return;
    await this.#agent.take(messages as never, { shape: this.#shape, given, ...wait });
  }

  /** What the provider counted for the last request: a response, or the number. */
  usage(response: unknown): void {
    if (this.window !== undefined) this.#agent.usage(response, this.#shape);
  }

  /** What to send of a list, in the fields of a request. */
  async request(
    messages: readonly object[],
    beside: () => Beside | Promise<Beside>,
    wait: WaitOptions,
  ): Promise<ShapeTypes[S]['body']> {
    return this.body(await this.messages(messages, beside, wait));
  }

  /** What to send of a list. */
  async messages(
    messages: readonly object[],
    beside: () => Beside | Promise<Beside>,
    wait: WaitOptions,
  ): Promise<readonly object[]> {
    if (this.window === undefined) return this.#project(messages, wait);
    await this.record(messages, 'whole', wait);
    return this.next(messages, await beside(), wait);
  }

  /** The next request of the session. Marks for a cache are those of the messages that were given. */
  async next(
    given: readonly object[],
    { sent, tokens = 0, answer = 0, marks = 0, textResults = this.#shape.textResults }: Beside,
    wait: WaitOptions = {},
  ): Promise<readonly object[]> {
    const { session, about, spillway } = this.#agent;
    const window = this.window ?? 0;
    const { reserve = answer, cache, ...options } = this.#options;
    const beside = spillway.countTokens(jsonOf(sent)) + tokens;
    const asked = { about, beside, textResults, ...options, reserve, window, ...wait };
    const made = await session.request(asked);
    this.#used = made.numbers.tokens;
    this.#open.clear();
    const { messages } = this.#shape.write(made.messages);
    return markCache(this.#shape.name, messages, { given, cache, beside: marks });
  }

  /** Messages in the fields of a request. */
  body(messages: readonly object[]): ShapeTypes[S]['body'] {
    return (this.#shape.bodyOf?.(messages as never) ?? { messages }) as ShapeTypes[S]['body'];
  }

  /** A call has begun: its result shares what the window has left with those beside it. */
  begin(callId: string): void {
    if (this.window !== undefined) this.#open.add(callId);
  }

  /** Messages that hold the result of a call, as the model reads them. */
  async bounded(callId: string, messages: readonly object[]): Promise<readonly object[]> {
    const { window } = this;
    if (window === undefined) return this.#project(messages, {});
    const calls = Math.max(1, this.#open.size);
    const shown = await this.#project(messages, {
      room: { tokens: window / calls, used: this.#used / calls },
    });
    if (this.#open.delete(callId)) this.#used += this.#agent.spillway.countTokens(jsonOf(shown));
    return shown;
  }

  #project(messages: readonly object[], options: object): Promise<readonly object[]> {
    const { session, about } = this.#agent;
    const given = { about: this.#options.about ?? about, ...options };
    return session.project(this.#shape, messages, given) as Promise<readonly object[]>;
  }
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** How a call ended, in the words of an API. */
export interface Ended<C> {
  readonly call: ToolCall;
  readonly content: C;
  readonly isError?: boolean;
}

/** How an API spells a call and its result. */
export interface CallWords<C> {
  /** The message with the call, and the one with its result. */
  readonly messages: (ended: Ended<C>) => readonly [object, object];
  /** The content in the second of these. */
  readonly contentOf: (result: object) => C;
  /** The content of an error. */
  readonly failure: (text: string) => C;
}

/**
 * Runs a call and bounds what the model reads of it, with pictures in place. Everything that the
 * tool returns or throws is stored under the id of the call; an error stays an error. Rejects only
 * where nothing can be stored.
 */
export async function boundedCall<C>(
  agent: Agent<ShapeName>,
  conversation: Conversation,
  shape: Shape,
  words: CallWords<C>,
  call: ToolCall,
  run: () => Promise<Omit<Ended<C>, 'call'>>,
  signal?: AbortSignal | null,
): Promise<Ended<C>> {
  conversation.begin(call.callId);
  const ended = await agent
    .answer(call, run, {
      result: (end) => resultIn(shape, words.messages({ call, ...end })),
      outcome: ({ isError }) => (isError === true ? { status: 'error' } : undefined),
      signal: signal ?? undefined,
    })
    .catch((error: Error) => ({ content: words.failure(error.message), isError: true }));
  const end = { call, ...ended };
  const [, shown] = await conversation.bounded(call.callId, words.messages(end));
  return shown === undefined ? end : { ...end, content: words.contentOf(shown) };
}

/** A result as it would be taken out of messages. */
export function resultIn(shape: Shape, messages: readonly object[]): ToolResult {
  const parts = shape.read(messages).messages.flatMap((message) => message.parts);
  return parts.find((part) => part.type === 'result')?.result ?? { kind: 'text', text: '' };
}

/** Whether a tool gives its result piece by piece. */
export function isStream<T>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

type Fields = Readonly<Record<string, unknown>>;

/** What the AI SDK and Mastra tell of a model; a model by its name tells nothing. */
export type ModelLike = string | { readonly provider?: string } | undefined;

/**
 * Messages of the AI SDK as this model takes them. A provider of chat completions takes only text in
 * results, and the SDK would send an image as base64 text: it is named instead, and stays stored.
 */
export function textResultsFor<M>(model: ModelLike, messages: readonly M[]): M[] {
  if (!takesTextResults(model)) return [...messages];
  return messages.map((message) => {
    const { role, content } = message as Fields;
    if (role !== 'tool' || !Array.isArray(content)) return message;
    return { ...message, content: content.map(withText) };
  });
}

/** Whether it is a provider of chat completions. */
export function takesTextResults(model: ModelLike): boolean {
  return typeof model === 'object' && model.provider?.endsWith('.chat') === true;
}

function withText(part: Fields): Fields {
  const { type, value } = (part.output ?? {}) as Fields;
  if (type !== 'content' || !Array.isArray(value)) return part;
  const texts = (value as readonly Fields[]).map((block) =>
    block.type === 'text' ? String(block.text) : namedMedia(block),
  );
  return { ...part, output: { type: 'text', value: texts.join('\n') } };
}

function namedMedia({ type, mediaType, data }: Fields): string {
  const inner = typeof data === 'object' && data !== null ? (data as Fields).data : data;
  const bytes = typeof inner === 'string' ? `, ${Math.floor((inner.length * 3) / 4)} bytes` : '';
  return `[Left out: ${String(mediaType ?? type)}${bytes}. This provider takes only text in results.]`;
}
