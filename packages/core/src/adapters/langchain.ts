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
import { countMarks, type RequestOptions, SHAPES } from '../history/index.ts';
import { type Agent, type ShapeName, SpillwayError } from '../index.ts';
import { Conversation, resultIn } from './conversation.ts';

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
      thread.conversation.usage(reply);
      return reply;
    },
    afterAgent: async ({ messages }, { configurable }) => {
      // The last words of a run belong to the session, if it keeps what was said.
      await threadOf(configurable?.thread_id).conversation.record(messages, 'whole');
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
  readonly conversation: Conversation;
  readonly #mode: LangChainOptions['mode'];
  readonly #window: number | undefined;

  constructor(agent: Agent<ShapeName>, { mode, ...options }: LangChainOptions) {
    this.agent = agent;
    this.conversation = new Conversation(agent, 'langchain', options);
    this.#mode = mode;
    this.#window = options.window;
  }

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
    this.conversation.begin(callId);
    try {
      const returned = await this.agent.answer({ callId, tool, input }, async () => handler(request), {
        signal,
        // A command need not hold a result.
        result: (value) => resultIn(SHAPES.langchain, messagesOf(callId, value)),
        outcome: (value) =>
          messagesOf(callId, value)[0]?.status === 'error' ? { status: 'error' } : undefined,
        passes: isForTheGraph,
      });
      if (this.#mode === 'send') return returned;
      const messages = toolMessagesIn(returned);
      const bounded = await this.#copies(messages, await this.conversation.bounded(callId, messages));
      return withMessages(returned, new Map(messages.map((message, i) => [message, bounded[i] ?? message])));
    } catch (error) {
      if (isForTheGraph(error) || signal?.aborted === true) throw error;
      const content = error instanceof Error ? error.message : String(error);
      return new ToolMessage({ content, tool_call_id: callId, name: tool, status: 'error' });
    }
  }

  async messagesFor(request: ModelCall): Promise<BaseMessage[]> {
    const { messages, model, systemPrompt, systemMessage, tools, runtime } = request;
    const { conversation } = this;
    conversation.window = this.#window ?? maxInputTokens(model);
    const beside = () => ({
      sent: [systemPrompt, ...tools.map(describe)],
      marks: countMarks(systemMessage),
    });
    const made = await conversation.messages(messages, beside, { signal: runtime.signal });
    if (conversation.window === undefined) return this.#copies(messages, made);
    return mapStoredMessagesToChatMessages(made as StoredMessage[]);
  }

  /** Messages with bounded results; those that fit stay the objects that they are. */
  async #copies(messages: readonly BaseMessage[], shown: readonly object[]): Promise<BaseMessage[]> {
    const copies = messages.map(async (message, i) => {
      if (shown[i] === message || !ToolMessage.isInstance(message)) return message;
      const { data } = shown[i] as { readonly data: Pick<ToolMessage, 'content'> };
      return this.#copy(message, data.content);
    });
    return Promise.all(copies);
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
}

/** Interrupts and commands to a parent graph are thrown, and are no failures. */
function isForTheGraph(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'is_bubble_up' in error && error.is_bubble_up === true
  );
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

function messagesOf(callId: string, returned: Returned): readonly ToolMessage[] {
  return toolMessagesIn(returned).filter(({ tool_call_id }) => tool_call_id === callId);
}

function updatesOf({ update }: Command): [string, unknown][] {
  return Array.isArray(update) ? update : Object.entries(update ?? {});
}
