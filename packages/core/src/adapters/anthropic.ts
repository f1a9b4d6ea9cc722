/**
 * Spillway for Anthropic's SDK. Tools keep their results whole in the store and give the model a
 * bounded view, in the tool runner and in loops written by hand. Requests stay within the window:
 * the session keeps the conversation and is compacted when it has to be.
 */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { BetaRunnableToolset } from '@anthropic-ai/sdk/lib/tools/BetaRunnableToolset';
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type {
  BetaMessage,
  BetaMessageParam,
  BetaToolUnion,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { countMarks, markEnd, SHAPES } from '../history/index.ts';
import type { Agent, ShapeName, ToolCall, WaitOptions } from '../index.ts';
import { boundedCall, type CallWords, Conversation, type Ended, type WindowOptions } from './conversation.ts';

export type { WindowOptions } from './conversation.ts';

/** A tool as the tool runner takes it. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a tool with any input.
export type AnthropicTool = BetaToolUnion | BetaRunnableTool<any> | BetaRunnableToolset;

/** The tools of an agent, and the window of its model. */
export interface AnthropicOptions extends WindowOptions {
  /** Runnable ones (`betaTool`, `betaZodTool`, `mcpTools`, toolsets) and definitions of others. */
  readonly tools?: readonly AnthropicTool[];
}

/** What a model answered. */
export interface AnthropicReply {
  readonly role: 'assistant';
  /** Its blocks: texts, thoughts and calls of tools. */
  readonly content: readonly { readonly type: string }[];
}

/** Results of calls, as the message that answers them. */
export interface AnthropicResults {
  role: 'user';
  /** One block for each call, in the order of the calls. */
  content: ToolResultBlockParam[];
}

/** The part of a request that is looked at. */
export interface AnthropicParams {
  /** The conversation so far. */
  readonly messages: readonly object[];
  /** Instructions; they are counted, and come back with the summary behind them. */
  readonly system?: string | readonly object[];
  /** Definitions of tools. Default: those that `spillway` was given. */
  readonly tools?: readonly object[];
  /** Room for the answer: it is kept free in the window. */
  readonly max_tokens: number;
}

/** What a tool runner gives every turn: a message, or its stream. */
export type RunnerItem<Stream extends boolean> =
  BetaToolRunner<Stream> extends AsyncIterable<infer Item> ? Item : never;

/** What `spillway` gives. */
export interface AnthropicLayer {
  /** The tools with bounded results, and `get_artifact`: for the tool runner and for requests. */
  readonly tools: AnthropicTool[];
  /**
   * The request as it is to be sent: results bounded, the same every time; with a `window`, older
   * messages compacted when they do not fit. `get_artifact` is added.
   */
  request<P extends AnthropicParams>(params: P, wait?: WaitOptions): Promise<P>;
  /** Runs the calls of an answer. Gives the message with their results; null if there are none. */
  answer(reply: AnthropicReply, wait?: WaitOptions): Promise<AnthropicResults | null>;
  /** The turns of a tool runner, with every request made as by `request`. */
  turns<Stream extends boolean>(
    runner: BetaToolRunner<Stream>,
    wait?: WaitOptions,
  ): AsyncGenerator<RunnerItem<Stream>>;
}

/** Connects an agent with the SDK. */
export function spillway(
  agent: Agent<ShapeName>,
  { tools: given = [], ...options }: AnthropicOptions = {},
): AnthropicLayer {
  const conversation = new Conversation(agent, 'anthropic', options);
  const run: RunCall = (call, content, signal) =>
    boundedCall(agent, conversation, SHAPES.anthropic, WORDS, call, () => contentOf(content), signal);
  const reading = readingTool(agent);
  const tools = withReadingTool<AnthropicTool>(
    given.map((tool) => boundedTool(tool, run)),
    reading,
  );
  const layer: AnthropicLayer = {
    tools,
    async request(params, wait = {}) {
      const own = blocksOf(params.system);
      const all = withReadingTool<object>(params.tools ?? tools, reading);
      // What stays whatever becomes of messages is marked too, unless the host did.
      const isMarked = options.cache === undefined || countMarks([...own, ...all]) > 0;
      const first = isMarked ? params.system : own.length === 0 ? undefined : markEnd(own, 'block');
      const marked = isMarked || own.length > 0 ? all : markEnd(all, 'block');
      const beside = () => ({
        answer: params.max_tokens,
        sent: [params.system, all],
        marks: countMarks([...blocksOf(first), ...marked]),
      });
      const { system: more = [], messages } = await conversation.request(params.messages, beside, wait);
      const system = more.length === 0 ? first : [...blocksOf(first), ...more];
      return { ...params, ...(system === undefined ? {} : { system }), messages, tools: marked };
    },
    async answer(reply, wait = {}) {
      const { role, content } = reply;
      conversation.usage(reply);
      await conversation.record([{ role, content }], 'more', wait);
      const uses = content.filter(
        ({ type }) => type === 'tool_use',
      ) as unknown as readonly BetaToolUseBlock[];
      if (uses.length === 0) return null;
      const ended = uses.map((use) =>
        use.name === reading.name
          ? agent.fetch(use.input, wait).then((page) => ({ call: asCall(use), content: page }))
          : run(asCall(use), () => runTool(given, use, wait), wait.signal),
      );
      const results = { role: 'user' as const, content: (await Promise.all(ended)).map(resultBlock) };
      // Also what was given up has a result.
      await conversation.record([results], 'more');
      wait.signal?.throwIfAborted();
      return results;
    },
    async *turns(runner, wait = {}) {
      const prepare = async (messages: readonly BetaMessageParam[]): Promise<void> => {
        const { params } = runner;
        const next = await layer.request({ ...params, messages: [...messages] }, wait);
        const { messages: made, system } = next;
        if (JSON.stringify([made, system]) === JSON.stringify([messages, params.system])) return;
        runner.setMessagesParams({
          ...params,
          messages: made,
          ...(system === undefined ? {} : { system }),
        });
      };
      await prepare(runner.params.messages);
      for await (const item of runner as AsyncIterable<RunnerItem<boolean>>) {
        const sent = runner.params.messages;
        yield item as never;
        const { role, content, usage } = await replyOf(item);
        const { messages } = runner.params;
        const isSame = sent.length === messages.length && sent.every((message, i) => message === messages[i]);
        // Whoever changed the messages has put the reply where it belongs.
        if (!isSame) {
          await prepare(messages);
          continue;
        }
        conversation.usage({ usage });
        await conversation.record([{ role, content }], 'more', wait);
        const results = await runner.generateToolResponse();
        if (results !== null) await prepare([...sent, { role, content }, results]);
      }
    },
  };
  return layer;
}

function blocksOf(system: AnthropicParams['system']): readonly object[] {
  if (system === undefined) return [];
  return typeof system === 'string' ? [{ type: 'text', text: system }] : system;
}

async function replyOf(item: unknown): Promise<BetaMessage> {
  const stream = item as { readonly finalMessage?: () => Promise<BetaMessage> };
  return stream.finalMessage === undefined ? (item as BetaMessage) : stream.finalMessage();
}

/** What a tool of the SDK returns. */
type Content = NonNullable<ToolResultBlockParam['content']>;

type RunCall = (
  call: ToolCall,
  content: () => unknown,
  signal?: AbortSignal | null,
) => Promise<Ended<Content>>;

const WORDS: CallWords<Content> = {
  messages: (ended) => {
    const { callId: id, tool: name, input } = ended.call;
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [resultBlock(ended)] },
    ];
  },
  contentOf: (result) => (result as AnthropicResults).content[0]?.content ?? '',
  failure: (text) => text,
};

function resultBlock({ call, content, isError }: Ended<Content>): ToolResultBlockParam {
  const failed = isError === true ? { is_error: true } : {};
  return { type: 'tool_result', tool_use_id: call.callId, content, ...failed };
}

/** A `ToolError` has content of its own: it is the result. */
async function contentOf(run: () => unknown): Promise<Omit<Ended<Content>, 'call'>> {
  try {
    return { content: (await run()) as Content };
  } catch (error) {
    const { name, content } = error as { readonly name?: string; readonly content?: Content };
    if (name === 'ToolError' && content !== undefined) return { content, isError: true };
    throw error;
  }
}

/** The tool whose results are bounded: except for its `run` it stays what it is. */
function boundedTool<T extends AnthropicTool>(tool: T, runCall: RunCall): T {
  if (!('run' in tool)) return tool;
  const bounded = async (call: ToolCall, run: () => unknown, context: BetaToolRunContext | undefined) => {
    const { content, isError } = await runCall(call, run, context?.signal);
    if (isError !== true) return content;
    // Only an error of this class keeps its text as it is.
    const { ToolError } = await import('@anthropic-ai/sdk/lib/tools/ToolError');
    throw new ToolError(content);
  };
  if ('name' in tool) {
    const { name, run } = tool as BetaRunnableTool;
    const own: BetaRunnableTool['run'] = (args, context) => {
      const { id, input } = context?.toolUse ?? { id: `${name}/${crypto.randomUUID()}`, input: args };
      return bounded({ callId: id, tool: name, input }, () => run.call(tool, args, context), context);
    };
    return { ...tool, run: own };
  }
  const { run } = tool;
  const own: BetaRunnableToolset['run'] = async (context, use) => {
    const content = await bounded(asCall(use), () => run.call(tool, context, use), context);
    return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  };
  return { ...tool, run: own };
}

/** `get_artifact`, which reads pages of stored results. They are bounded already. */
function readingTool(agent: Agent<ShapeName>): BetaRunnableTool {
  const { name, description, inputSchema } = agent.getArtifact;
  return {
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    parse: (input) => input,
    run: (args, context) => agent.fetch(args, { signal: context?.signal ?? undefined }),
  };
}

/** Tools with `get_artifact` among them, once. */
function withReadingTool<T extends object>(tools: readonly T[], reading: T): T[] {
  const nameOf = (tool: object) => ('name' in tool ? tool.name : undefined);
  return tools.some((tool) => nameOf(tool) === nameOf(reading)) ? [...tools] : [...tools, reading];
}

/** Runs a call with the tool of its name, as the tool runner does. */
function runTool(tools: readonly AnthropicTool[], use: BetaToolUseBlock, { signal }: WaitOptions): unknown {
  const tool = tools.find((each) => 'run' in each && 'name' in each && each.name === use.name);
  if (tool === undefined) throw new Error(`Tool '${use.name}' not found`);
  const { parse, run } = tool as BetaRunnableTool;
  const input = parse === undefined ? use.input : parse.call(tool, use.input);
  return run.call(tool, input, { toolUse: use, toolUseBlock: use, signal });
}

function asCall({ id: callId, name: tool, input }: BetaToolUseBlock): ToolCall {
  return { callId, tool, input };
}
