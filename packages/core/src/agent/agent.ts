/**
 * One agent's run with everything it needs: its tools, its history and the way back to what was
 * cut. The store, the scope and the session were named when it was opened. Everything durable is in
 * the store: a second process that opens the same session goes on where the first one stopped.
 */
import type { TextResult } from '../capture/result.ts';
import type { Spillway } from '../engine.ts';
import { checkOptions } from '../history/check-message.ts';
import { type MessageInput, type NotRendered, wordsOf } from '../history/message.ts';
import type { MadeRequest, RequestOptions } from '../history/request.ts';
import type { Session } from '../history/session.ts';
import { markCache } from '../history/shapes/cache-marks.ts';
import type { Imported, ImportOptions } from '../history/shapes/import.ts';
import { shapeOf } from '../history/shapes/index.ts';
import { type Fields, isRecord, parsed } from '../history/shapes/json.ts';
import { type Loss, type Shape, type ShapeName, usageIn } from '../history/shapes/shape.ts';
import type { ShapeTypes } from '../history/shapes/shape-types.ts';
import type { About } from '../model/about.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import type { ToolDefinition } from '../model/fetch.ts';
import type { CallName, MessageCall, MessageRecord, MessageResult } from '../model/message.ts';
import type { WaitOptions } from '../model/store.ts';
import { notJson, unknownTool } from '../wording/agent.ts';
import { GET_ARTIFACT, withMessages } from '../wording/get-artifact.ts';
import {
  type AnswerOptions,
  answerCall,
  answerEach,
  contextOf,
  endOf,
  type ToolEnd,
  type WrapToolOptions,
  wrapTool,
} from './run-tool.ts';

/** For which window a request is made, and in which shape. */
export interface AgentRequestOptions<S extends ShapeName> extends RequestOptions {
  /** Default: the shape that the agent was opened with. */
  readonly shape?: S | Shape;
}

/** A request that fits its window, in the words of a provider. */
export interface AgentRequest<S extends ShapeName> extends Omit<MadeRequest, 'messages'> {
  /** The fields of the provider's request that hold the messages: spread them into its call. */
  readonly body: ShapeTypes[S]['body'];
  /** What the shape had no word for. */
  readonly losses: readonly Loss[];
}

/** A call that a model made. */
export interface ToolCall extends CallName {
  /** The arguments: the value of their JSON; the text itself where it is no JSON. */
  readonly input: unknown;
  /** Set where the arguments are no JSON. */
  readonly invalid?: true;
}

interface AgentTool extends Pick<WrapToolOptions<never[]>, 'result'> {
  readonly run: (input: unknown, context: object) => unknown;
}

/** What a model answered. */
export interface Taken extends Omit<Imported, 'calls'> {
  /** The calls it made: `Agent.run` answers them. */
  readonly calls: readonly ToolCall[];
}

/** How a call ended. */
export type CallEnd = Pick<MessageResult, 'callId' | 'tool' | 'status'>;

/** A tool with the function that runs it, as frameworks define one. */
export type ToolLike = {
  /** As the model calls it. */
  readonly name?: string;
} & ({ readonly execute: (...args: never[]) => unknown } | { readonly run: (...args: never[]) => unknown });

/** The same tool, whose results are bounded texts. */
export type BoundedTool<T> = {
  [K in keyof T]: K extends 'execute' | 'run'
    ? T[K] extends (...args: infer A) => unknown
      ? (...args: A) => Promise<string>
      : T[K]
    : T[K];
};

/** How a tool is called, and what its values are. */
export interface ToolOptions<R = unknown> extends Pick<WrapToolOptions<never[], R>, 'policy' | 'result'> {
  /** Default: the name of the definition or of the function. */
  readonly name?: string;
}

/** What an agent is made of: see `openAgent`. */
export interface AgentParts {
  readonly spillway: Spillway;
  readonly session: Session;
  readonly shape: Shape;
  readonly about: About;
  readonly close: () => Promise<void>;
  /** The same parts for another session. */
  readonly inSession: (session: string) => AgentParts;
}

/** One agent's run. Made by `openAgent`. */
export class Agent<S extends ShapeName = 'openai_chat'> {
  /** What is below it, for everything that an agent does not do itself. */
  readonly spillway: Spillway;
  /** The messages of the run, for what an agent does not do itself. */
  readonly session: Session;
  /** Whose messages go in and out. */
  readonly shape: Shape;
  readonly #tools = new Map<string, AgentTool>();
  readonly #close: () => Promise<void>;
  readonly #inSession: AgentParts['inSession'];
  #about: About;

  /** @internal */
  constructor({ spillway, session, shape, about, close, inSession }: AgentParts) {
    this.spillway = spillway;
    this.session = session;
    this.shape = shape;
    this.#about = about;
    this.#close = close;
    this.#inSession = inSession;
  }

  /** What the agent is after, as far as it is known: what the host gave, and the latest words. */
  get about(): About {
    return this.#about;
  }

  /** The tool `get_artifact`, with which a model also searches and reads the session. */
  get getArtifact(): ToolDefinition {
    return withMessages(this.spillway.definition);
  }

  /** The same as the provider wants it. Give it to the model beside your own tools. */
  get definition(): ShapeTypes[S]['tool'] {
    const definition = this.getArtifact;
    return (this.shape.toolOf?.(definition) ?? definition) as ShapeTypes[S]['tool'];
  }

  /** The same store and settings in another session, without tools. Closing it is not needed. */
  inSession(session: string): Agent<S> {
    return session === this.session.name.session ? this : new Agent<S>(this.#inSession(session));
  }

  /**
   * Adds a tool: a function, or a definition with one. `run` calls it with the input and a
   * `ToolContext`. What comes back is the same for a framework that calls tools itself: everything
   * is stored, and the model reads a bounded text. What it throws is stored too, and thrown again
   * with a bounded message.
   */
  tool<A extends readonly unknown[], R>(
    tool: (...args: A) => R,
    options?: ToolOptions<R>,
  ): (...args: A) => Promise<string>;
  /** The same for a definition: it comes back with a bounded function. */
  tool<T extends ToolLike>(tool: T, options?: ToolOptions): BoundedTool<T>;
  tool(tool: ((...args: unknown[]) => unknown) | ToolLike, options: ToolOptions = {}): unknown {
    const field = isRecord(tool) && 'run' in tool ? 'run' : 'execute';
    const run = (typeof tool === 'function' ? tool : (tool as Fields | undefined)?.[field]) as (
      ...args: unknown[]
    ) => unknown;
    if (typeof run !== 'function') throw noTool('Give a function, or an object with `execute` or `run`.');
    const name = options.name ?? tool.name ?? '';
    if (name === '') throw noTool('Name it: `tool(fn, { name })`.');
    if (name === GET_ARTIFACT.name) throw noTool(`\`${name}\` is there already: \`fetch\` answers it.`);
    checkOptions(options, ['name', 'policy', 'result']);
    const { policy, result } = options;
    const given = {
      ...(policy === undefined ? {} : { policy }),
      ...(result === undefined ? {} : { result }),
    };
    this.#tools.set(name, { run: run.bind(tool), ...given });
    const { spillway } = this;
    const bounded = wrapTool(run.bind(tool), {
      spillway,
      ...this.session.name,
      tool: name,
      about: () => this.#about,
      ...given,
    });
    return typeof tool === 'function' ? bounded : { ...tool, [field]: bounded };
  }

  /** Records a message: what a user says, or anything else with its role and parts. */
  async say<M extends MessageInput>(
    message: string | (M & NotRendered<M>),
    wait: WaitOptions = {},
  ): Promise<MessageRecord> {
    wait.signal?.throwIfAborted();
    const input: MessageInput =
      typeof message === 'string' ? { role: 'user', parts: [{ type: 'text', text: message }] } : message;
    if (input?.role === 'user') this.#about = { ...this.#about, userMessage: wordsOf(input) };
    return this.session.say(input, wait);
  }

  /** Records what a model answered: the provider's response, or messages in the agent's shape. */
  async take<T extends ShapeName = S>(
    response: ShapeTypes[T]['response'],
    { shape, ...options }: ImportOptions & { readonly shape?: T | Shape } = {},
  ): Promise<Taken> {
    const form = shape === undefined ? this.shape : shapeOf(shape);
    const messages = messagesIn(form, response);
    this.usage(response, form);
    const taken = await this.session.import(form, messages, { given: 'more', ...options });
    if (taken.text !== '') this.#about = { ...this.#about, lastMessage: taken.text };
    if (taken.userText !== '') this.#about = { ...this.#about, userMessage: taken.userText };
    return { ...taken, calls: taken.calls.map(asCall) };
  }

  /** Learns from the usage in a response, or from its tokens. `take` does so by itself. */
  usage(response: unknown, shape: Shape = this.shape): void {
    const tokens = typeof response === 'number' ? response : usageIn(shape, response);
    if (tokens !== undefined) this.session.reportUsage(tokens);
  }

  /** Makes the next request: pairs, projects and compacts as needed. See `Session.request`. */
  async request<T extends ShapeName = S>(given: AgentRequestOptions<T>): Promise<AgentRequest<T>> {
    const { shape, ...options } = given ?? {};
    const form = shape === undefined ? this.shape : shapeOf(shape);
    const { textResults } = form;
    const { messages, ...rest } = await this.session.request({ about: this.#about, textResults, ...options });
    const { messages: written, losses } = form.write(messages);
    const { cache } = options;
    const marked = cache === undefined ? written : markCache(form.name, written, { cache });
    const body = form.bodyOf?.(marked) ?? { messages: marked };
    return { ...rest, body: body as ShapeTypes[T]['body'], losses };
  }

  /**
   * Runs calls of a model side by side and records how each ended; the next request shows it. Once
   * `signal` is aborted, calls under way are recorded as cancelled, and this rejects with its
   * reason.
   */
  async run(calls: readonly ToolCall[], { signal }: WaitOptions = {}): Promise<readonly CallEnd[]> {
    if (!Array.isArray(calls)) throw invalidArgument('Which calls? Give those that `take` returned.');
    const answered = calls.map(async (call) => this.#record(call, await this.#end(call, signal)));
    const ends = await Promise.allSettled(answered);
    signal?.throwIfAborted();
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }

  /**
   * Runs a tool for a framework that calls tools itself: what it returns is stored under the id of
   * its call and comes back as it is. What it throws is stored, and thrown again with a bounded
   * message; once the signal is aborted, the call is stored as cancelled.
   */
  async answer<R>(
    { callId, tool, input }: ToolCall,
    run: () => R,
    options: AnswerOptions<Awaited<R>> = {},
  ): Promise<Awaited<R>> {
    const call = { ...this.session.name, callId, tool, input };
    return answerCall({ spillway: this.spillway, about: this.#about }, call, run, options);
  }

  /** The same for a tool that yields several values: each passes on, the last one is stored. */
  answerEach<T>(
    { callId, tool, input }: ToolCall,
    values: AsyncIterable<T>,
    options: AnswerOptions<T> = {},
  ): AsyncGenerator<T> {
    const call = { ...this.session.name, callId, tool, input };
    return answerEach({ spillway: this.spillway, about: this.#about }, call, values, options);
  }

  /** Answers a call of `get_artifact`: a page of a stored output, or why there is none. */
  async fetch(args: unknown, wait: WaitOptions = {}): Promise<string> {
    try {
      return await this.#page(args, wait);
    } catch (error) {
      // A model reads why there is no page; a store that fails is the host's affair.
      if (error instanceof SpillwayError && error.status < 500) return error.message;
      throw error;
    }
  }

  /** Waits for what is under way, then closes the store, unless it was opened by somebody else. */
  async close(): Promise<void> {
    await this.#close();
  }

  /** The same, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** How a call ended. A failure never ends the run: the model reads it as the result of its call. */
  async #end(call: ToolCall, signal: AbortSignal | undefined): Promise<ToolEnd> {
    if (call.invalid === true) return refused(notJson(call.tool));
    if (call.tool === GET_ARTIFACT.name)
      return this.#page(call.input).then(
        (text) => ({ result: { kind: 'text', text } }),
        (error: SpillwayError) => refused(error.message),
      );
    const tool = this.#tools.get(call.tool);
    if (tool === undefined)
      return refused(unknownTool(call.tool, [...this.#tools.keys(), GET_ARTIFACT.name]));
    return endOf(() => tool.run(call.input, contextOf(call.callId, signal)), signal, tool.result);
  }

  async #record({ callId, tool, input }: ToolCall, { result, outcome }: ToolEnd): Promise<CallEnd> {
    const of = { callId, tool, input, ...(outcome === undefined ? {} : { outcome }) };
    const { output } = await this.session.result(of, result as TextResult);
    return { callId, tool, status: output.outcome.status };
  }

  async #page(args: unknown, wait?: WaitOptions): Promise<string> {
    const { scope, session } = this.session.name;
    return (await this.spillway.retrieve(args, scope, 'fetch', { ...wait, session })).text;
  }
}

function refused(text: string): ToolEnd {
  return { result: { kind: 'text', text }, outcome: { status: 'error' } };
}

function noTool(why: string): SpillwayError {
  return invalidArgument(`Which tool? ${why}`);
}

function messagesIn(shape: Shape, response: unknown): unknown {
  if (Array.isArray(response)) return response;
  if (!isRecord(response)) throw invalidArgument('Give the response of the provider.');
  return shape.messagesOf?.(response) ?? [response];
}

function asCall({ callId, tool, input }: MessageCall): ToolCall {
  let invalid = false;
  const value = parsed(input.trim() === '' ? '{}' : input, (text) => {
    invalid = true;
    return text;
  });
  return { callId, tool, input: value, ...(invalid ? { invalid: true } : {}) };
}
