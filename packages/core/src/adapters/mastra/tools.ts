/**
 * Tools of Mastra whose results are stored under the ids of their calls. Results pass as they are:
 * Mastra keeps them whole, and the processor bounds what a model reads.
 */
import type { ToolsInput } from '@mastra/core/agent';
import { SHAPES } from '../../history/index.ts';
import type { Agent, ShapeName, ToolResult } from '../../index.ts';
import { fromOutput } from './prompt.ts';

/** The part of a tool that is used. */
interface MastraTool {
  readonly execute?: (input: unknown, context?: MastraCallContext) => unknown;
  readonly toModelOutput?: (output: unknown) => unknown;
}

/** What Mastra tells a tool about its call, as far as it matters here. */
interface MastraCallContext {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
  readonly agent?: { readonly toolCallId?: string; readonly suspend?: Suspend };
}

type Suspend = (...args: readonly unknown[]) => unknown;

/** All tools, each stored. */
export function storedTools<T extends ToolsInput>(agent: Agent<ShapeName>, tools: T): T {
  const all = Object.entries(tools).map(([name, tool]) => [
    name,
    storedTool(agent, name, tool as MastraTool),
  ]);
  return Object.fromEntries(all) as T;
}

function storedTool(agent: Agent<ShapeName>, name: string, tool: MastraTool): MastraTool {
  const { execute } = tool;
  if (execute === undefined) return tool;
  const stored: MastraTool['execute'] = async (input, context) => {
    const callId = context?.agent?.toolCallId ?? context?.toolCallId ?? `${name}/${crypto.randomUUID()}`;
    const signal = context?.abortSignal;
    try {
      return await agent.answer({ callId, tool: name, input }, () => ended(tool, execute, input, context), {
        result: (value) => resultOf(tool, value),
        passes: (thrown) => thrown instanceof Suspended,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (thrown) {
      if (thrown instanceof Suspended) return thrown.value;
      throw thrown;
    }
  };
  // The class of a tool tells Mastra how to call it.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute: stored });
}

/** Thrown where a call waits for a person: it has no result yet. */
class Suspended {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

async function ended(
  tool: MastraTool,
  execute: NonNullable<MastraTool['execute']>,
  input: unknown,
  context: MastraCallContext | undefined,
): Promise<unknown> {
  const suspend = context?.agent?.suspend;
  if (suspend === undefined) return execute.call(tool, input, context);
  let isSuspended = false;
  const noted: Suspend = (...args) => {
    isSuspended = true;
    return suspend(...args);
  };
  const noting = { ...context, agent: { ...context?.agent, suspend: noted } };
  const value = await execute.call(tool, input, noting);
  if (isSuspended) throw new Suspended(value);
  return value;
}

/** A value as a model would read it whole. */
async function resultOf({ toModelOutput }: MastraTool, value: unknown): Promise<ToolResult> {
  const plain = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value ?? null };
  const output = fromOutput((await toModelOutput?.(value)) ?? plain);
  const result = { type: 'tool-result', toolCallId: 'call', toolName: 'tool', output };
  const { messages } = SHAPES.ai_model.read([{ role: 'tool', content: [result] }]);
  const [read] = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'result' ? [part] : [])),
  );
  return read?.result ?? { kind: 'value', value };
}
