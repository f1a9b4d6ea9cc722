/**
 * Spillway for Anthropic's SDK. Tools keep their results whole in the store and give the model a
 * bounded view, in the tool runner and in loops written by hand. Requests stay within the window:
 * the session keeps the conversation and is compacted when it has to be.
 */
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type { BetaToolUseBlock } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { RequestOptions } from '../../history/index.ts';
import type { Agent, ShapeName, WaitOptions } from '../../index.ts';
import { Calls, resultBlock } from './calls.ts';
import { type AnthropicParams, blocksOf, tokensBeside } from './params.ts';
import { type RunnerItem, runnerTurns } from './runner-turns.ts';
import { type AnthropicTool, boundedTool, readingTool, runTool, withReadingTool } from './tools.ts';

export type { AnthropicParams } from './params.ts';
export type { RunnerItem } from './runner-turns.ts';
export type { AnthropicTool } from './tools.ts';

/** The tools of an agent, and the window of its model. */
export interface AnthropicOptions extends Partial<Omit<RequestOptions, 'signal' | 'about'>> {
  /** Runnable ones (`betaTool`, `betaZodTool`, `mcpTools`, toolsets) and definitions of others. */
  readonly tools?: readonly AnthropicTool[];
}

/** What a model answered. */
export interface AnthropicReply {
  readonly role: 'assistant';
  readonly content: readonly { readonly type: string }[];
}

/** Results of calls, as the message that answers them. */
export interface AnthropicResults {
  role: 'user';
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
  /**
   * Runs the calls of an answer side by side. Gives the message with their results, or null where
   * nothing was called. With a `window`, both are recorded.
   */
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
  { tools: given = [], window, ...options }: AnthropicOptions = {},
): AnthropicLayer {
  let used = 0;
  const calls = new Calls(agent, () => (window === undefined ? undefined : { tokens: window, used }));
  const reading = readingTool(agent);
  const bounded = given.map((tool) => boundedTool(tool, calls));
  const tools = withReadingTool<AnthropicTool>(bounded, reading);
  const record = async (messages: readonly object[], wait: WaitOptions, how: 'whole' | 'more' = 'more') => {
    if (window !== undefined)
      await agent.take(messages as never, { shape: 'anthropic', given: how, ...wait });
  };
  const request: AnthropicLayer['request'] = async (params, wait = {}) => {
    const all = withReadingTool(params.tools ?? tools, reading);
    if (window === undefined) {
      const { session, about } = agent;
      return {
        ...params,
        messages: await session.project('anthropic', params.messages, { about, ...wait }),
        tools: all,
      };
    }
    await record(params.messages, wait, 'whole');
    const reserve = options.reserve ?? tokensBeside(params, all);
    const made = await agent.request({ ...options, reserve, window, shape: 'anthropic', ...wait });
    used = made.numbers.tokens;
    const { system = [], messages } = made.body;
    const own = system.length === 0 ? {} : { system: [...blocksOf(params.system), ...system] };
    return { ...params, ...own, messages, tools: all };
  };
  const answer: AnthropicLayer['answer'] = async ({ role, content }, wait = {}) => {
    await record([{ role, content }], wait);
    const uses = content.filter(({ type }) => type === 'tool_use') as unknown as readonly BetaToolUseBlock[];
    if (uses.length === 0) return null;
    const ended = uses.map((use) =>
      use.name === reading.name
        ? agent.fetch(use.input, wait).then((content) => ({ use, content }))
        : calls.run(use, () => runTool(given, use, wait), wait.signal),
    );
    const results: AnthropicResults = { role: 'user', content: (await Promise.all(ended)).map(resultBlock) };
    // Also what was given up has a result.
    await record([results], {});
    wait.signal?.throwIfAborted();
    return results;
  };
  return {
    tools,
    request,
    answer,
    turns: (runner, wait = {}) => runnerTurns(runner, { request, record }, wait),
  };
}
