/**
 * Spillway for Anthropic's SDK. Tools keep their results whole in the store and give the model a
 * bounded view, in the tool runner and in loops written by hand. Requests stay within the window:
 * the session keeps the conversation and is compacted when it has to be.
 */
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type {
  BetaMessage,
  BetaMessageParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { countMarks, markEnd } from '../../history/index.ts';
import type { Agent, ShapeName, WaitOptions } from '../../index.ts';
import { BoundedCalls } from '../shared/bounded-calls.ts';
import { Conversation, tokensOf, type WindowOptions } from '../shared/conversation.ts';
import {
  type AnthropicTool,
  asCall,
  boundedTool,
  contentOf,
  readingTool,
  resultBlock,
  runTool,
  WORDS,
  withReadingTool,
} from './tools.ts';

export type { WindowOptions } from '../shared/conversation.ts';

export type { AnthropicTool } from './tools.ts';

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
  const calls = new BoundedCalls(agent, WORDS, conversation.room);
  const reading = readingTool(agent);
  const bounded = given.map((tool) => boundedTool(tool, calls));
  const tools = withReadingTool<AnthropicTool>(bounded, reading);
  const request: AnthropicLayer['request'] = async (params, wait = {}) => {
    const own = blocksOf(params.system);
    const all = withReadingTool<object>(params.tools ?? tools, reading);
    // What stays whatever becomes of messages is marked too, unless the host did.
    const isMarked = options.cache === undefined || countMarks([...own, ...all]) > 0;
    const given = isMarked ? params.system : own.length === 0 ? undefined : markEnd(own, 'block');
    const marked = isMarked || own.length > 0 ? all : markEnd(all, 'block');
    const beside = () => ({
      answer: params.max_tokens,
      beside: tokensOf([params.system, all]),
      marks: countMarks([...blocksOf(given), ...marked]),
    });
    const { system: more = [], messages } = await conversation.request(params.messages, beside, wait);
    const system = more.length === 0 ? given : [...blocksOf(given), ...more];
    return { ...params, ...(system === undefined ? {} : { system }), messages, tools: marked };
  };
  const answer: AnthropicLayer['answer'] = async (reply, wait = {}) => {
    const { role, content } = reply;
    conversation.usage(reply);
    await conversation.record([{ role, content }], 'more', wait);
    const uses = content.filter(({ type }) => type === 'tool_use') as unknown as readonly BetaToolUseBlock[];
    if (uses.length === 0) return null;
    const ended = uses.map((use) =>
      use.name === reading.name
        ? agent.fetch(use.input, wait).then((page) => ({ call: asCall(use), content: page }))
        : calls.run(asCall(use), () => contentOf(() => runTool(given, use, wait)), wait.signal),
    );
    const results: AnthropicResults = { role: 'user', content: (await Promise.all(ended)).map(resultBlock) };
    // Also what was given up has a result.
    await conversation.record([results], 'more', {});
    wait.signal?.throwIfAborted();
    return results;
  };
  const record: TurnSteps['record'] = ({ role, content, usage }, wait) => {
    conversation.usage({ usage });
    return conversation.record([{ role, content }], 'more', wait);
  };
  const turns: AnthropicLayer['turns'] = (runner, wait = {}) =>
    runnerTurns(runner, { request, record }, wait);
  return { tools, request, answer, turns };
}

function blocksOf(system: AnthropicParams['system']): readonly object[] {
  if (system === undefined) return [];
  return typeof system === 'string' ? [{ type: 'text', text: system }] : system;
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

interface TurnSteps {
  readonly request: <P extends AnthropicParams>(params: P, wait?: WaitOptions) => Promise<P>;
  /** Records a reply behind the messages of the last request. */
  readonly record: (reply: BetaMessage, wait: WaitOptions) => Promise<void>;
}

async function* runnerTurns<Stream extends boolean>(
  runner: BetaToolRunner<Stream>,
  { request, record }: TurnSteps,
  wait: WaitOptions,
): AsyncGenerator<RunnerItem<Stream>> {
  const prepare = async (messages: readonly BetaMessageParam[]): Promise<void> => {
    const { params } = runner;
    const next = await request({ ...params, messages: [...messages] }, wait);
    const isSame = JSON.stringify(next.messages) === JSON.stringify(messages);
    if (isSame && JSON.stringify(next.system) === JSON.stringify(params.system)) return;
    const { messages: made, system } = next;
    runner.setMessagesParams({ ...params, messages: made, ...(system === undefined ? {} : { system }) });
  };
  await prepare(runner.params.messages);
  for await (const item of runner as AsyncIterable<RunnerItem<Stream>>) {
    const sent = runner.params.messages;
    yield item;
    const reply = await replyOf(item);
    const { role, content } = reply;
    // Whoever changed the messages has put the reply where it belongs.
    const isChanged = !isSameList(sent, runner.params.messages);
    if (isChanged) {
      await prepare(runner.params.messages);
      continue;
    }
    await record(reply, wait);
    const results = await runner.generateToolResponse();
    if (results !== null) await prepare([...sent, { role, content }, results]);
  }
}

async function replyOf(item: unknown): Promise<BetaMessage> {
  const stream = item as { readonly finalMessage?: () => Promise<BetaMessage> };
  return stream.finalMessage === undefined ? (item as BetaMessage) : stream.finalMessage();
}

function isSameList(before: readonly BetaMessageParam[], after: readonly BetaMessageParam[]): boolean {
  return before.length === after.length && before.every((message, i) => message === after[i]);
}
