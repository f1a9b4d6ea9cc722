/**
 * Tools whose results are stored whole under the ids of their calls. The value that a tool returns
 * stays what it is, for screens and for `steps`; what a model reads of it is bounded, and the same
 * whenever the SDK converts it again. A tool's own `toModelOutput`, and that of MCP tools, decides
 * what there is to read; we bound what it gives.
 */
import type { Tool, ToolExecutionOptions, ToolSet } from 'ai';
import { type ImportedResult, SHAPES } from '../../history/index.ts';
import { type Agent, GET_ARTIFACT, type ShapeName, SpillwayError } from '../../index.ts';
import type { Batch, ModelOutput, ResultMessage } from './step-messages.ts';

/** The tool that fetches what was left out. */
export type GetArtifactTool = Tool<unknown, string>;

/** Your tools, and `get_artifact`. */
export type BoundedTools<T extends ToolSet> = T & { readonly [GET_ARTIFACT.name]: GetArtifactTool };

type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;

/** Tools that are bounded already stay as they are, wherever they are given again. */
const bounded = new WeakSet<object>();

/** Bounds every tool, and adds `get_artifact`. */
export function boundTools<T extends ToolSet>(
  agent: Agent<ShapeName>,
  tools: T,
  batch: Batch,
): BoundedTools<T> {
  const own = Object.entries(tools).map(([name, tool]): [string, object] => {
    if (bounded.has(tool) || isRunByProvider(tool)) return [name, tool];
    if (name === GET_ARTIFACT.name)
      throw new SpillwayError(
        'invalid_argument',
        `The tool \`${name}\` is added by spillway: leave yours out.`,
      );
    return [name, boundTool(agent, name, tool as Tool, batch)];
  });
  const all: Record<string, object> = { ...Object.fromEntries(own), [GET_ARTIFACT.name]: getArtifact(agent) };
  for (const tool of Object.values(all)) bounded.add(tool);
  return all as BoundedTools<T>;
}

/** Providers want their own results back as they gave them. */
function isRunByProvider(tool: ToolSet[string]): boolean {
  return tool.type === 'provider' && tool.isProviderExecuted;
}

function getArtifact(agent: Agent<ShapeName>): GetArtifactTool {
  const definition = SHAPES.ai_model.toolOf?.(agent.getArtifact) as Omit<GetArtifactTool, 'execute'>;
  const execute = (args: unknown, { abortSignal }: ToolExecutionOptions<unknown>) =>
    agent.fetch(args, { signal: abortSignal });
  return { ...definition, execute } as GetArtifactTool;
}

function boundTool(agent: Agent<ShapeName>, name: string, tool: Tool, batch: Batch): Tool {
  const read = async (toolCallId: string, input: unknown, output: unknown): Promise<ModelOutput> => {
    if (tool.toModelOutput !== undefined) return tool.toModelOutput({ toolCallId, input, output });
    return typeof output === 'string'
      ? { type: 'text', value: output }
      : { type: 'json', value: jsonValueOf(output) };
  };
  const toModelOutput: Tool['toModelOutput'] = async (given) => {
    // Version 5 gives the output alone: no result can be told from another.
    if (typeof given !== 'object' || given?.toolCallId === undefined)
      throw new SpillwayError('unsupported', 'Spillway needs the AI SDK 6 or 7: npm install ai@latest.');
    const { toolCallId, input, output } = given;
    return batch.shown(messageOf(name, toolCallId, await read(toolCallId, input, output)));
  };
  if (tool.execute === undefined) return { ...tool, toModelOutput } as Tool;
  const run = tool.execute as Execute;
  // Not async: the SDK looks at once whether values come one after the other.
  const execute: Execute = (input, options) => {
    const { toolCallId: callId, abortSignal } = options;
    const call = { callId, tool: name, input };
    let outcome: ImportedResult['outcome'];
    const result = async (value: unknown) => {
      const message = messageOf(name, callId, await read(callId, input, value));
      batch.add(message);
      const made = resultOf(message);
      outcome = isMcpFailure(value) ? { status: 'error' } : made.outcome;
      return made.result;
    };
    const how = { result, outcome: () => outcome, signal: abortSignal };
    let returned: unknown;
    try {
      returned = run.call(tool, input, options);
    } catch (failure) {
      return agent.answer(call, () => Promise.reject(failure), how);
    }
    return isStream(returned)
      ? agent.answerEach(call, returned, how)
      : agent.answer(call, () => returned, how);
  };
  return { ...tool, execute, toModelOutput } as Tool;
}

function messageOf(toolName: string, toolCallId: string, output: ModelOutput): ResultMessage {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
}

function resultOf(message: object): Pick<ImportedResult, 'result' | 'outcome'> {
  const [part] = SHAPES.ai_model.read([message]).messages.flatMap(({ parts }) => parts);
  return part as ImportedResult;
}

/** A result of an MCP tool that failed: what the SDK makes of it for a model no longer says so. */
function isMcpFailure(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { content, isError } = value as { readonly content?: unknown; readonly isError?: unknown };
  return isError === true && Array.isArray(content);
}

function jsonValueOf(output: unknown): never {
  const json = JSON.stringify(output);
  return (json === undefined ? null : JSON.parse(json)) as never;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
