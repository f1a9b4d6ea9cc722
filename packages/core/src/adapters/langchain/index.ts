/**
 * LangChain: a middleware for `createAgent`. What tools return and throw is stored whole; the model
 * reads bounded results, and has `get_artifact` for the rest. Each thread is a session of its own.
 * With a window, requests are made from the session: they fit, and repeat byte for byte what was
 * sent before.
 */
import {
  AIMessage,
  type BaseMessage,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import type { AgentMiddleware, createMiddleware, ToolCallHandler, ToolCallRequest } from 'langchain';
import { countMarks, markCache, type RequestOptions, SHAPES, writeAs } from '../../history/index.ts';
import {
  type Agent,
  type ContextWindow,
  type ShapeName,
  SpillwayError,
  type WaitOptions,
} from '../../index.ts';

// Types only: the package before version 1 has no main entry, and Node's error does not say so.

/**
 * The middleware. Put it first in the list: it then sees what other middlewares make of a result.
 * A run with a `thread_id` uses the session of that name, any other the session of the agent.
 */
export function spillway(agent: Agent<ShapeName>, options: LangChainOptions = {}): AgentMiddleware {
  if (typeof AIMessage.isInstance !== 'function') throw new SpillwayError('unsupported', TOO_OLD);
  const threads = new Map<string, Thread>();
  const threadOf = (id: unknown): Thread => {
    const name = typeof id === 'string' && id !== '' ? id : agent.session.name.session;
    const thread = threads.get(name) ?? new Thread(agent.inSession(name), options);
    // The oldest is opened anew when it is used again: everything durable is in the store.
    if (threads.size >= MOST_THREADS)
      for (const oldest of [...threads.keys()].slice(0, 1)) threads.delete(oldest);
    threads.delete(name);
    return threads.set(name, thread).get(name) ?? thread;
  };
  const { name, description, inputSchema } = agent.getArtifact;
  const getArtifact = tool(
    async (args: object, { configurable }: { configurable?: { thread_id?: unknown } }) =>
      threadOf(configurable?.thread_id).agent.fetch(args),
    { name, description, schema: inputSchema },
  );
  const middleware: Parameters<typeof createMiddleware>[0] = {
    name: 'spillway',
    tools: [getArtifact],
    wrapToolCall: (request, handler) => {
      const thread = threadOf(request.runtime.configurable?.thread_id);
      if (request.toolCall.name === name) return thread.fetch(request.toolCall);
      return thread.call(request, handler);
    },
    wrapModelCall: async (request, handler) => {
      const thread = threadOf(request.runtime.configurable?.thread_id);
      const reply = await handler({ ...request, messages: await thread.messagesFor(request) });
      thread.usage(reply);
      return reply;
    },
    afterAgent: async ({ messages }, { configurable }) => {
      await threadOf(configurable?.thread_id).end(messages);
    },
  };
  // What `createMiddleware` makes.
  return { [Symbol.for('AgentMiddleware')]: true, ...middleware } as AgentMiddleware;
}

const TOO_OLD =
  'Spillway needs LangChain 1, which has middleware: npm install langchain@latest @langchain/core@latest.';

const MOST_THREADS = 1_000;

/** How a LangChain agent uses Spillway. */
export interface LangChainOptions
  extends Partial<Pick<RequestOptions, 'reserve' | 'mediaTokens' | 'model' | 'cache' | 'onCompaction'>> {
  /** In tokens. Default: `maxInputTokens` of the model. Without either, nothing is compacted. */
  readonly window?: number;
  /**
   * What the state of the agent, and so its checkpointer, keeps of a result. `capture` (default):
   * what the model reads. `send`: all of it; results are bounded when they are sent.
   */
  readonly mode?: 'capture' | 'send';
}

interface ModelCall {
  readonly model: object;
  readonly messages: readonly BaseMessage[];
  readonly systemPrompt: string;
  readonly systemMessage?: object;
  readonly tools: readonly object[];
  readonly runtime: { readonly signal?: AbortSignal };
}

class Thread {
  readonly agent: Agent<ShapeName>;
  readonly #options: LangChainOptions;
  /** The window of the last request, and what it took of it. */
  #window: ContextWindow | undefined;

  constructor(agent: Agent<ShapeName>, options: LangChainOptions) {
    this.agent = agent;
    this.#options = options;
  }

  /** Answers a call of `get_artifact`. */
  async fetch({ id = '', name, args }: ToolCallRequest['toolCall']): Promise<ToolMessage> {
    return new ToolMessage({ content: await this.agent.fetch(args), tool_call_id: id, name });
  }

  /** Runs a tool. Without us a middleware that wraps tools lets an error end the run. */
  async call(
    request: ToolCallRequest,
    handler: (request: ToolCallRequest) => Returned | Promise<Returned>,
  ): Promise<Returned> {
    const { toolCall, runtime } = request;
    const { id: callId, name: tool, args: input } = toolCall;
    if (callId === undefined) return handler(request);
    const { signal } = runtime;
    try {
      const returned = await this.agent.answer({ callId, tool, input }, async () => handler(request), {
        signal,
        // A command need not hold a result.
        result: (value) => read(callId, value)?.result ?? { kind: 'text', text: '' },
        outcome: (value) => read(callId, value)?.outcome,
        passes: isForTheGraph,
      });
      return this.#options.mode === 'send' ? returned : await this.#bounded(returned, request);
    } catch (error) {
      if (isForTheGraph(error) || signal?.aborted === true) throw error;
      const content = error instanceof Error ? error.message : String(error);
      return new ToolMessage({ content, tool_call_id: callId, name: tool, status: 'error' });
    }
  }

  /** What to send of the messages of the state. */
  async messagesFor(request: ModelCall): Promise<BaseMessage[]> {
    const { messages, model, runtime } = request;
    const wait = { signal: runtime.signal };
    const { window = maxInputTokens(model), mode: _, ...options } = this.#options;
    if (window === undefined) return this.#project(messages, wait);
    await this.#keep(messages, wait);
    const beside = this.#tokensBeside(request);
    const { agent } = this;
    const made = await agent.session.request({ about: agent.about, ...options, ...wait, window, beside });
    this.#window = { tokens: window, used: made.numbers.tokens };
    const { messages: written } = writeAs('langchain', made.messages);
    const marks = { given: messages, cache: options.cache, beside: countMarks(request.systemMessage) };
    return mapStoredMessagesToChatMessages(
      markCache('langchain', written, marks) as unknown as StoredMessage[],
    );
  }

  /** What the provider counted for the last request. */
  usage(reply: unknown): void {
    if (this.#window !== undefined) this.agent.usage(reply, SHAPES.langchain);
  }

  /** The last words of a run belong to the session, if it keeps what was said. */
  async end(messages: readonly BaseMessage[]): Promise<void> {
    if (this.#window !== undefined) await this.#keep(messages, {});
  }

  async #keep(messages: readonly BaseMessage[], wait: WaitOptions): Promise<void> {
    await this.agent.take(messages, { shape: 'langchain', given: 'whole', ...wait });
  }

  /** Results as the model reads them; calls that were made together share what is left. */
  async #bounded(returned: Returned, { state }: ToolCallRequest): Promise<Returned> {
    const messages = toolMessagesIn(returned);
    const calls = callsOf(state.messages);
    const room = this.#window && {
      tokens: this.#window.tokens / calls,
      used: this.#window.used / calls,
    };
    const bounded = await this.#project(messages, room === undefined ? {} : { room });
    const replaced = new Map<BaseMessage, BaseMessage>(
      messages.map((message, i) => [message, bounded[i] ?? message]),
    );
    return withMessages(returned, replaced);
  }

  /** Messages with bounded results; those that fit stay the objects that they are. */
  async #project(messages: readonly BaseMessage[], options: object): Promise<BaseMessage[]> {
    const { agent } = this;
    const shown = await agent.session.project('langchain', messages, { about: agent.about, ...options });
    const bounded = messages.map(async (message, i) => {
      if (shown[i] === message || !ToolMessage.isInstance(message)) return message;
      const { data } = shown[i] as { readonly data: Pick<ToolMessage, 'content'> };
      return this.#copy(message, data.content);
    });
    return Promise.all(bounded);
  }

  /** A message with other content. Its handle goes to `artifact`, unless the tool put something there. */
  async #copy(message: ToolMessage, content: ToolMessage['content']): Promise<ToolMessage> {
    const { tool_call_id, name, id, status, metadata, additional_kwargs, response_metadata } = message;
    const { spillway, session } = this.agent;
    const output = await spillway.store.find({ ...session.name, callId: tool_call_id });
    const artifact = message.artifact ?? (output === undefined ? undefined : { artifact_id: output.id });
    const fields = { name, id, status, metadata, artifact, additional_kwargs, response_metadata };
    const there = Object.entries(fields).filter(([, value]) => value !== undefined);
    return new ToolMessage({ content, tool_call_id, ...Object.fromEntries(there) });
  }

  #tokensBeside({ systemPrompt, tools }: ModelCall): number {
    const described = tools.map((tool) => JSON.stringify(describe(tool)));
    return [systemPrompt, ...described].reduce((sum, text) => sum + this.agent.spillway.countTokens(text), 0);
  }
}

/** Interrupts and commands to a parent graph are thrown, and are no failures. */
function isForTheGraph(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'is_bubble_up' in error && error.is_bubble_up === true
  );
}

function callsOf(messages: readonly BaseMessage[]): number {
  const last = messages.findLast((message) => AIMessage.isInstance(message));
  return Math.max(1, last?.tool_calls?.length ?? 1);
}

function maxInputTokens(model: object): number | undefined {
  return (model as { readonly profile?: { readonly maxInputTokens?: number } }).profile?.maxInputTokens;
}

function describe(tool: object): unknown {
  return 'name' in tool && 'schema' in tool
    ? convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0])
    : tool;
}

type Returned = Awaited<ReturnType<ToolCallHandler>>;
type Command = Exclude<Returned, ToolMessage>;

function toolMessagesIn(returned: Returned): ToolMessage[] {
  if (ToolMessage.isInstance(returned)) return [returned];
  return updatesOf(returned).flatMap(([, value]) =>
    [value].flat().filter((each) => ToolMessage.isInstance(each)),
  );
}

function withMessages(returned: Returned, replaced: ReadonlyMap<BaseMessage, BaseMessage>): Returned {
  const other = (value: unknown): unknown => replaced.get(value as BaseMessage) ?? value;
  if (ToolMessage.isInstance(returned)) return other(returned) as ToolMessage;
  const update = updatesOf(returned).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.map(other) : other(value),
  ]);
  const { graph, goto, resume } = returned;
  const given = {
    graph,
    goto,
    resume,
    update: Array.isArray(returned.update) ? update : Object.fromEntries(update),
  };
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  // The class of the command that was given: an application may have several versions of it.
  return Reflect.construct(returned.constructor, [Object.fromEntries(there)]);
}

function read(callId: string, returned: Returned) {
  const message = toolMessagesIn(returned).find(({ tool_call_id }) => tool_call_id === callId);
  const { messages } = SHAPES.langchain.read(message === undefined ? [] : [message]);
  return messages.flatMap(({ parts }) => parts).find((part) => part.type === 'result');
}

function updatesOf({ update }: Command): [string, unknown][] {
  return Array.isArray(update) ? update : Object.entries(update ?? {});
}
