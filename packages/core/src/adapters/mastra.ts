/**
 * Spillway for Mastra. Tools are stored whole; a processor makes each request to the model: results
 * bounded, the same every time, and the conversation within the window. Mastra's own messages and
 * its memory stay whole.
 */
import type { ToolsInput } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import type { ToolAction } from '@mastra/core/tools';
import { SHAPES } from '../history/index.ts';
import { type Agent, type ShapeName, SpillwayError, type ToolResult } from '../index.ts';
import {
  Conversation,
  resultIn,
  takesTextResults,
  textResultsFor,
  type WindowOptions,
} from './conversation.ts';

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
        signal,
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

async function resultOf({ toModelOutput }: MastraTool, value: unknown): Promise<ToolResult> {
  const plain = typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value ?? null };
  const output = fromOutput((await toModelOutput?.(value)) ?? plain);
  const result = { type: 'tool-result', toolCallId: 'call', toolName: 'tool', output };
  return resultIn(SHAPES.ai_model, [{ role: 'tool', content: [result] }]);
}

export type { WindowOptions } from './conversation.ts';

/** The tools of an agent, and the window of its model. */
export interface MastraOptions<T extends ToolsInput> extends WindowOptions {
  /** The agent's own tools, by name. */
  readonly tools?: T;
}

/** What `spillway` gives: fields of the configuration of an agent. */
export interface MastraLayer<T extends ToolsInput> {
  /** The tools, and `get_artifact`. */
  readonly tools: T & { readonly get_artifact: ToolAction<unknown, string> };
  /** Makes every request. Put it behind processors of your own. */
  readonly inputProcessors: [RequestProcessor];
  /** Records how a run ended. */
  readonly outputProcessors: [ResultProcessor];
}

/** Makes requests. */
export type RequestProcessor = Processor<'spillway'> & Required<Pick<Processor, 'processLLMRequest'>>;

/** Records how a run ended. */
export type ResultProcessor = Processor<'spillway-result'> & Required<Pick<Processor, 'processOutputResult'>>;

const TOO_OLD = 'Spillway needs @mastra/core 1: former versions send requests past its processors.';

/** Connects an agent of Spillway with one of Mastra. */
export function spillway<T extends ToolsInput = Record<never, never>>(
  agent: Agent<ShapeName>,
  { tools: given = {} as T, ...options }: MastraOptions<T> = {},
): MastraLayer<T> {
  const conversation = new Conversation(agent, 'ai_model', options);
  const stored = Object.entries(given).map(([name, tool]) => [
    name,
    storedTool(agent, name, tool as MastraTool),
  ]);
  const tools = { ...(Object.fromEntries(stored) as T), get_artifact: readingTool(agent) };
  const inputProcessor: RequestProcessor = {
    id: 'spillway',
    processInput({ messages, messageList }) {
      if (messageList !== undefined) return messages;
      // Mastra 0 replaces the message of what a processor throws, and may end before a warning comes.
      console.error(TOO_OLD);
      throw new SpillwayError('unsupported', TOO_OLD);
    },
    async processLLMRequest({ prompt, model, steps, abortSignal }) {
      const messages = fromPrompt(prompt);
      const system = messages.filter(({ role }) => role === 'system');
      const others = messages.filter(({ role }) => role !== 'system');
      const described = Object.values<{ readonly description?: string }>(tools as never);
      const beside = () => ({
        sent: [system, described.map(({ description }) => description)],
        textResults: takesTextResults(model),
      });
      const { usage } = (steps.at(-1) ?? {}) as { readonly usage?: object };
      conversation.usage({ usage });
      const made = await conversation.request(others, beside, { signal: abortSignal });
      const all = textResultsFor(model, [...system, ...(made.instructions ?? []), ...made.messages]);
      return { prompt: toPrompt(all, model.specificationVersion) as typeof prompt };
    },
  };
  const outputProcessor: ResultProcessor = {
    id: 'spillway-result',
    async processOutputResult({ messages, messageList, abortSignal }) {
      const all = fromPrompt(await messageList.get.all.aiV5.llmPrompt());
      const others = all.filter(({ role }) => role !== 'system');
      await conversation.record(others, 'whole', { signal: abortSignal });
      return messages;
    },
  };
  return { tools, inputProcessors: [inputProcessor], outputProcessors: [outputProcessor] };
}

function readingTool(agent: Agent<ShapeName>): ToolAction<unknown, string> {
  const definition = agent.getArtifact;
  // In the form of the AI SDK: a standard schema, which Mastra takes too.
  const { inputSchema } = (SHAPES.ai_model.toolOf?.(definition) ?? {}) as Pick<
    ToolAction<unknown, string>,
    'inputSchema'
  >;
  return {
    id: definition.name,
    description: definition.description,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    execute: async (input, context) => agent.fetch(input, { signal: context?.abortSignal }),
  };
}

/** Mastra's prompts are AI SDK model messages with its own options; v2 models spell files as `media`. */
type Fields = Readonly<Record<string, unknown>>;

function fromPrompt(prompt: readonly object[]): Fields[] {
  return prompt.map((message) => {
    const { content, ...rest } = message as Fields;
    return Array.isArray(content) ? { ...rest, content: content.map(fromPart) } : { ...rest, content };
  });
}

function toPrompt(messages: readonly object[], specification: string): Fields[] {
  if (specification !== 'v2') return [...messages] as Fields[];
  return messages.map((message) => {
    const { content, ...rest } = message as Fields;
    return Array.isArray(content) ? { ...rest, content: content.map(withMedia) } : { ...rest, content };
  });
}

/** What a model reads of a result: as `toModelOutput` gives it. */
function fromOutput(output: unknown): Fields {
  const { type, value, ...rest } = (output ?? {}) as Fields;
  if (type !== 'content' || !Array.isArray(value)) return { type, value, ...rest };
  return { type, value: value.map(asFile), ...rest };
}

function fromPart(part: Fields): Fields {
  const { providerOptions, ...rest } = part;
  const options = { ...(providerOptions as Fields | undefined) };
  delete options.mastra;
  const kept = Object.keys(options).length === 0 ? rest : { ...rest, providerOptions: options };
  if (part.type !== 'tool-result') return kept;
  const { input: _, ...result } = kept as Fields;
  return { ...result, output: fromOutput(part.output) };
}

function asFile(block: Fields): Fields {
  const { type, data, mediaType, ...rest } = block;
  if (type !== 'media' || Object.keys(rest).length > 0) return block;
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function withMedia(part: Fields): Fields {
  const { type, value, ...rest } = (part.output ?? {}) as Fields;
  if (part.type !== 'tool-result' || type !== 'content' || !Array.isArray(value)) return part;
  return { ...part, output: { type, value: value.map(asMedia), ...rest } };
}

function asMedia(block: Fields): Fields {
  const { data } = (block.data ?? {}) as Fields;
  const isFile = block.type === 'file' && typeof data === 'string';
  return isFile ? { type: 'media', data, mediaType: block.mediaType } : block;
}
