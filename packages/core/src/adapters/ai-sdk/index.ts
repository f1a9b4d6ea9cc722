/**
 * Vercel's AI SDK 6 and 7. `spillway` gives what `generateText`, `streamText` and `ToolLoopAgent` take:
 * the tools, bounded; with a window also the messages of each step, made to fit. The framework is
 * used by its types alone.
 */
import type { Instructions, LanguageModelMiddleware, ModelMessage, ToolSet, UIMessageChunk } from 'ai';
import type { RequestOptions, TransportOptions } from '../../history/index.ts';
import type { Agent, ShapeName } from '../../index.ts';
import { textResultsFor } from '../shared/text-results.ts';
import { type BoundedTools, boundTools } from './bound-tools.ts';
import { Batch, type RunEnd, type Step, StepMessages } from './step-messages.ts';

export type { BoundedTools, GetArtifactTool } from './bound-tools.ts';
export type { ReportedStep, RunEnd, Step } from './step-messages.ts';

/** The tools of an agent. */
export interface ToolsOptions<T extends ToolSet> {
  /** Your own tools, also those of MCP clients. `get_artifact` is added to them. */
  readonly tools: T;
}

/** The tools of an agent, and the window of its model. */
export interface WindowOptions<T extends ToolSet>
  extends Omit<RequestOptions, 'about' | 'signal'>,
    ToolsOptions<T> {}

/** What `generateText`, `streamText` and `ToolLoopAgent` take: spread it into their options. */
export interface Governed<T extends ToolSet> {
  /** The tools with bounded results, and `get_artifact`. */
  readonly tools: BoundedTools<T>;
  /** Records what is new, and sends what fits the window. */
  readonly prepareStep: (step: Step) => Promise<PreparedStep>;
  /** Records the answer. */
  readonly onEnd: (event: RunEnd) => Promise<void>;
  /** The same, under the name that it has before version 7. */
  readonly onFinish: (event: RunEnd) => Promise<void>;
}

/** What a step sends. */
export interface PreparedStep {
  /** What the model reads in this step. */
  messages: ModelMessage[];
  /** The instructions of the run, with the summary of older messages behind them. */
  instructions?: Instructions;
}

/**
 * Puts Spillway into an agent. Every result of a tool is stored whole, and the model reads a bounded
 * view of it. With a `window`, in tokens, the agent's session keeps the conversation, and every step
 * sends what fits: give the whole conversation each time, or only what is new.
 */
export function spillway<T extends ToolSet>(agent: Agent<ShapeName>, options: WindowOptions<T>): Governed<T>;
export function spillway<T extends ToolSet>(
  agent: Agent<ShapeName>,
  options: ToolsOptions<T>,
): Pick<Governed<T>, 'tools'>;
export function spillway<T extends ToolSet>(
  agent: Agent<ShapeName>,
  { tools: given, ...request }: ToolsOptions<T> & Partial<WindowOptions<T>>,
): Partial<Governed<T>> {
  const { window } = request;
  const batch = new Batch(agent);
  const tools = boundTools(agent, given, batch);
  if (window === undefined) return { tools };
  const steps = new StepMessages(agent, batch, { ...request, window }, tools);
  const onEnd = (event: RunEnd) => steps.end(event);
  return { tools, prepareStep: (step) => steps.prepare(step), onEnd, onFinish: onEnd };
}

/**
 * Bounds the results in every prompt that reaches a model, also those of tools that `spillway` was
 * not given: `wrapLanguageModel({ model, middleware: spillwayMiddleware(agent) })`. Results of tools
 * that a provider ran stay as the provider gave them.
 */
export function spillwayMiddleware(agent: Agent<ShapeName>): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    async transformParams({ params, model }) {
      const { prompt, abortSignal } = params;
      const results = prompt.filter(({ role }) => role === 'tool');
      const shown = await agent.session.project('ai_model', results, {
        about: agent.about,
        signal: abortSignal,
      });
      const bounded = textResultsFor(model, shown as readonly (typeof prompt)[number][]).values();
      return {
        ...params,
        prompt: prompt.map((message) =>
          message.role === 'tool' ? (bounded.next().value ?? message) : message,
        ),
      };
    },
  };
}

/**
 * Bounds results on their way to a screen: `toUIMessageStream().pipeThrough(limitUIStream(agent))`.
 * What is too long becomes a flagged preview; history is not touched.
 */
export function limitUIStream<C extends UIMessageChunk>(
  agent: Agent<ShapeName>,
  options: TransportOptions = {},
): TransformStream<C, C> {
  return agent.session.limitEvents(options) as TransformStream<C, C>;
}
