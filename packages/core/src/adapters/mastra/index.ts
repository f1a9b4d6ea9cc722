/**
 * Spillway for Mastra. Tools are stored whole; a processor makes each request to the model: results
 * bounded, the same every time, and the conversation within the window. Mastra's own messages and
 * its memory stay whole.
 */
import type { ToolsInput } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import type { ToolAction } from '@mastra/core/tools';
import { SHAPES } from '../../history/index.ts';
import { type Agent, type ShapeName, SpillwayError, type WaitOptions } from '../../index.ts';
import { Conversation, tokensOf, type WindowOptions } from '../shared/conversation.ts';
import { textResultsFor } from '../shared/text-results.ts';
import { fromPrompt, toPrompt } from './prompt.ts';
import { storedTools } from './tools.ts';

export type { WindowOptions } from '../shared/conversation.ts';

/** The tools of an agent, and the window of its model. */
export interface MastraOptions<T extends ToolsInput> extends WindowOptions {
  readonly tools?: T;
}

/** What `spillway` gives: fields of the configuration of an agent. */
export interface MastraLayer<T extends ToolsInput> {
  /** The tools, and `get_artifact`. */
  readonly tools: T & { readonly get_artifact: ToolAction<unknown, string> };
  readonly inputProcessors: [RequestProcessor];
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
  const tools = { ...storedTools(agent, given), get_artifact: readingTool(agent) };
  const inputProcessor: RequestProcessor = {
    id: 'spillway',
    processInput({ messages, messageList }) {
      if (messageList !== undefined) return messages;
      // Mastra 0 replaces the message of what a processor throws.
      process.emitWarning(TOO_OLD);
      throw new SpillwayError('unsupported', TOO_OLD);
    },
    async processLLMRequest({ prompt, model, steps, abortSignal }) {
      const messages = fromPrompt(prompt);
      const system = messages.filter(({ role }) => role === 'system');
      const others = messages.filter(({ role }) => role !== 'system');
      const described = Object.values<{ readonly description?: string }>(tools as never);
      const beside = () => ({ beside: tokensOf([system, described.map(({ description }) => description)]) });
      const { usage } = (steps.at(-1) ?? {}) as { readonly usage?: object };
      conversation.usage({ usage });
      const made = await conversation.request(others, beside, waitFor(abortSignal));
      const all = textResultsFor(model, [...system, ...(made.instructions ?? []), ...made.messages]);
      return { prompt: toPrompt(all, model.specificationVersion) as typeof prompt };
    },
  };
  const outputProcessor: ResultProcessor = {
    id: 'spillway-result',
    async processOutputResult({ messages, messageList, abortSignal }) {
      const all = fromPrompt(await messageList.get.all.aiV5.llmPrompt());
      const others = all.filter(({ role }) => role !== 'system');
      await conversation.record(others, 'whole', waitFor(abortSignal));
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
    execute: async (input, context) => agent.fetch(input, waitFor(context?.abortSignal)),
  };
}

function waitFor(signal: AbortSignal | undefined): WaitOptions {
  return signal === undefined ? {} : { signal };
}
