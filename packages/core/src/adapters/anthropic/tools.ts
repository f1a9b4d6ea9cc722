/**
 * Tools of the Anthropic SDK with bounded results. A tool stays what it is, except for its `run`;
 * definitions of tools that run elsewhere pass as they are.
 */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { BetaRunnableToolset } from '@anthropic-ai/sdk/lib/tools/BetaRunnableToolset';
import type { BetaToolUnion, BetaToolUseBlock } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { type Agent, GET_ARTIFACT, type ShapeName, type ToolCall, type WaitOptions } from '../../index.ts';
import type { BoundedCalls, CallWords, Ended } from '../shared/bounded-calls.ts';

type Calls = BoundedCalls<Content>;

/** A tool as the tool runner takes it. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a tool with any input.
export type AnthropicTool = BetaToolUnion | BetaRunnableTool<any> | BetaRunnableToolset;

/** The tool whose results are bounded. */
export function boundedTool<T extends AnthropicTool>(tool: T, calls: Calls): T {
  if (!('run' in tool)) return tool;
  if ('name' in tool) {
    const { name, run } = tool as BetaRunnableTool;
    const bounded: BetaRunnableTool['run'] = (args, context) =>
      boundedContent(calls, callOf(name, args, context), () => run.call(tool, args, context), context);
    return { ...tool, run: bounded };
  }
  const { run } = tool;
  const bounded: BetaRunnableToolset['run'] = async (context, use) =>
    asBlocks(await boundedContent(calls, asCall(use), () => run.call(tool, context, use), context));
  return { ...tool, run: bounded };
}

/** `get_artifact`, which reads pages of stored results. They are bounded already. */
export function readingTool(agent: Agent<ShapeName>): BetaRunnableTool {
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
export function withReadingTool<T>(tools: readonly T[], reading: T): T[] {
  const isThere = tools.some((tool) => (tool as { readonly name?: string }).name === GET_ARTIFACT.name);
  return isThere ? [...tools] : [...tools, reading];
}

/** Runs a call with the tool of its name, as the tool runner does. */
export function runTool(
  tools: readonly AnthropicTool[],
  use: BetaToolUseBlock,
  { signal }: WaitOptions,
): unknown {
  const tool = tools.find((each) => 'run' in each && 'name' in each && each.name === use.name);
  if (tool === undefined) throw new Error(`Tool '${use.name}' not found`);
  const { parse, run } = tool as BetaRunnableTool;
  const input = parse === undefined ? use.input : parse.call(tool, use.input);
  return run.call(tool, input, { toolUse: use, toolUseBlock: use, signal });
}

/** A block as a call. */
export function asCall({ id: callId, name: tool, input }: BetaToolUseBlock): ToolCall {
  return { callId, tool, input };
}

function callOf(tool: string, args: unknown, context: BetaToolRunContext | undefined): ToolCall {
  const { id, input } = context?.toolUse ?? { id: `${tool}/${crypto.randomUUID()}`, input: args };
  return { callId: id, tool, input };
}

async function boundedContent(
  calls: Calls,
  call: ToolCall,
  run: () => unknown,
  context: BetaToolRunContext | undefined,
): Promise<Content> {
  const { content, isError } = await calls.run(call, () => contentOf(run), context?.signal);
  if (isError !== true) return content;
  // Only an error of this class keeps its text as it is.
  const { ToolError } = await import('@anthropic-ai/sdk/lib/tools/ToolError');
  throw new ToolError(content);
}

function asBlocks(content: Content): Exclude<Content, string> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** What a tool of the SDK returns. */
export type Content = NonNullable<ToolResultBlockParam['content']>;

/** How the API spells calls and results. */
export const WORDS: CallWords<Content> = {
  shape: 'anthropic',
  messages: (ended) => [
    {
      role: 'assistant',
      content: ended.map(({ call: { callId: id, tool: name, input } }) => ({
        type: 'tool_use',
        id,
        name,
        input,
      })),
    },
    { role: 'user', content: ended.map(resultBlock) },
  ],
  contents: (results) =>
    (results as { readonly content: readonly ToolResultBlockParam[] }).content.map(
      ({ content = '' }) => content,
    ),
  failure: (text) => text,
};

/** As a block of a message. */
export function resultBlock({ call, content, isError }: Ended<Content>): ToolResultBlockParam {
  const failed = isError === true ? { is_error: true } : {};
  return { type: 'tool_result', tool_use_id: call.callId, content, ...failed };
}

/** A `ToolError` has content of its own: it is the result. */
export async function contentOf(run: () => unknown): Promise<Omit<Ended<Content>, 'call'>> {
  try {
    return { content: (await run()) as Content };
  } catch (error) {
    const { name, content } = error as { readonly name?: string; readonly content?: Content };
    if (name === 'ToolError' && content !== undefined) return { content, isError: true };
    throw error;
  }
}
