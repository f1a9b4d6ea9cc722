/**
 * Vercel's AI SDK 6 and 7. `spillway` gives what `generateText`, `streamText` and `ToolLoopAgent` take:
 * the tools, bounded; with a window also the messages of each step, made to fit. The value that a
 * tool returns stays what it is, for screens and for `steps`; what a model reads of it is bounded,
 * and the same whenever the SDK converts it again. A tool's own `toModelOutput`, and that of MCP
 * tools, decides what there is to read. The framework is used by its types alone.
 */
import type {
  Instructions,
  LanguageModelMiddleware,
  ModelMessage,
  SystemModelMessage,
  Tool,
  ToolExecutionOptions,
  ToolSet,
  UIMessageChunk,
} from 'ai';
import {
  countMarks,
  type ImportedResult,
  markEnd,
  type RequestOptions,
  SHAPES,
  type TransportOptions,
} from '../history/index.ts';
import { type Agent, GET_ARTIFACT, type ShapeName, SpillwayError } from '../index.ts';
import { Conversation, isStream, takesTextResults, textResultsFor } from './conversation.ts';

/** The tool that fetches what was left out. */
export type GetArtifactTool = Tool<unknown, string>;

/** Your tools, and `get_artifact`. */
export type BoundedTools<T extends ToolSet> = T & { readonly [GET_ARTIFACT.name]: GetArtifactTool };

/** The tools of an agent. */
export interface ToolsOptions<T extends ToolSet> {
  /** Your own tools, also those of MCP clients. `get_artifact` is added to them. */
  readonly tools: T;
}

/** The tools of an agent, and the window of its model. */
export interface WindowOptions<T extends ToolSet>
  extends Omit<RequestOptions, 'about' | 'signal'>,
    ToolsOptions<T> {}

/** What a step is given. */
export interface Step {
  /** Everything said so far, as the SDK has it. */
  readonly messages: readonly ModelMessage[];
  /** The system prompt that the run began with. */
  readonly initialInstructions: Instructions | undefined;
  /** The steps before this one: the tokens of the last are learned from. */
  readonly steps?: readonly ReportedStep[];
  /** The model of the step, by its name or as an object that names its provider. */
  readonly model?: string | { readonly provider?: string };
}

/** What a step tells of the tokens that its model read. */
export interface ReportedStep {
  /** Tokens that the provider counted; undefined where it reports none. */
  readonly usage?: { readonly inputTokens: number | undefined };
}

/** How a run ended: with its last step, or, before version 7, that step itself. */
export interface RunEnd extends ReportedStep {
  /** The last step, from version 7 on. */
  readonly finalStep?: RunEnd;
  /** What was answered. */
  readonly response?: { readonly messages: readonly ModelMessage[] };
}

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
  { tools: given, beside, ...request }: ToolsOptions<T> & Partial<WindowOptions<T>>,
): Partial<Governed<T>> {
  const conversation = new Conversation(agent, 'ai_model', request);
  const tools = boundTools(agent, given, conversation);
  if (request.window === undefined) return { tools };
  const all = Object.values(tools);
  /** What the last step sent, and what the first step of the run was given. */
  let sent: readonly object[] = [];
  let initial: readonly ModelMessage[] = [];
  const usage = ({ usage }: ReportedStep = {}): void => {
    if (usage?.inputTokens !== undefined) conversation.usage(usage.inputTokens);
  };
  const prepareStep: Governed<T>['prepareStep'] = async ({
    messages,
    initialInstructions,
    steps = [],
    model,
  }) => {
    usage(steps.at(-1));
    if (steps.length === 0) initial = messages;
    // The SDK carries what a step sent over to the next one, and adds what came back. Whatever else
    // it hands over is compared with the session, which adds what is new.
    const isCarried = sent.length > 0 && sent.every((message, i) => message === messages[i]);
    await conversation.record(
      isCarried ? messages.slice(sent.length) : messages,
      isCarried ? 'more' : 'whole',
    );
    const own = asList(initialInstructions);
    const isMarked = request.cache === undefined || countMarks([...own, ...all]) > 0;
    const first = isMarked ? own : markEnd(own, 'options');
    const marks = countMarks([...first, ...all]);
    const contents = own.map(({ content }) => content);
    const textResults = takesTextResults(model);
    const made = await conversation.next(messages, { sent: contents, tokens: beside, marks, textResults });
    const { instructions = [], messages: others } = conversation.body(made);
    sent = textResultsFor(model, others);
    // System messages of the session go behind those that the run was given.
    const isOwn = instructions.length === 0 && isMarked;
    return {
      messages: [...sent] as ModelMessage[],
      ...(isOwn ? {} : { instructions: [...first, ...instructions] }),
    };
  };
  const onEnd = async ({ finalStep, ...event }: RunEnd): Promise<void> => {
    usage(finalStep ?? event);
    if (finalStep !== undefined) return conversation.record(finalStep.response?.messages ?? [], 'more');
    // Before version 7 the event is the last step, with the messages of all of them.
    return conversation.record([...initial, ...(event.response?.messages ?? [])], 'whole');
  };
  return { tools, prepareStep, onEnd, onFinish: onEnd };
}

function asList(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}

/**
 * Bounds the results in every prompt that reaches a model, also those of tools that `spillway` was
 * not given: `wrapLanguageModel({ model, middleware: spillwayMiddleware(agent) })`. Results of tools
 * that a provider ran stay as the provider gave them.
 */
export function spillwayMiddleware(agent: Agent<ShapeName>): LanguageModelMiddleware {
  const conversation = new Conversation(agent, 'ai_model', {});
  return {
    specificationVersion: 'v4',
    async transformParams({ params, model }) {
      const { prompt, abortSignal: signal } = params;
      const results = prompt.filter(({ role }) => role === 'tool');
      const shown = await conversation.messages(results, () => ({ sent: undefined }), { signal });
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

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;

/** Tools that are bounded already stay as they are, wherever they are given again. */
const bounded = new WeakSet<object>();

function boundTools<T extends ToolSet>(
  agent: Agent<ShapeName>,
  tools: T,
  conversation: Conversation,
): BoundedTools<T> {
  const own = Object.entries(tools).map(([name, tool]): [string, object] => {
    // Providers want their own results back as they gave them.
    const isRunByProvider = tool.type === 'provider' && tool.isProviderExecuted;
    if (bounded.has(tool) || isRunByProvider) return [name, tool];
    if (name === GET_ARTIFACT.name)
      throw new SpillwayError(
        'invalid_argument',
        `The tool \`${name}\` is added by spillway: leave yours out.`,
      );
    return [name, boundTool(agent, name, tool as Tool, conversation)];
  });
  const all: Record<string, object> = { ...Object.fromEntries(own), [GET_ARTIFACT.name]: getArtifact(agent) };
  for (const tool of Object.values(all)) bounded.add(tool);
  return all as BoundedTools<T>;
}

function getArtifact(agent: Agent<ShapeName>): GetArtifactTool {
  const definition = SHAPES.ai_model.toolOf?.(agent.getArtifact) as Omit<GetArtifactTool, 'execute'>;
  const execute = (args: unknown, { abortSignal }: ToolExecutionOptions<unknown>) =>
    agent.fetch(args, { signal: abortSignal });
  return { ...definition, execute } as GetArtifactTool;
}

function boundTool(agent: Agent<ShapeName>, name: string, tool: Tool, conversation: Conversation): Tool {
  const read = async (toolCallId: string, input: unknown, output: unknown): Promise<object> => {
    const plain = () =>
      typeof output === 'string'
        ? { type: 'text', value: output }
        : { type: 'json', value: jsonValueOf(output) };
    const made = (await tool.toModelOutput?.({ toolCallId, input, output })) ?? plain();
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: name, output: made }] };
  };
  const toModelOutput: Tool['toModelOutput'] = async (given) => {
    // Version 5 gives the output alone: no result can be told from another.
    if (typeof given !== 'object' || given?.toolCallId === undefined)
      throw new SpillwayError('unsupported', 'Spillway needs the AI SDK 6 or 7: npm install ai@latest.');
    const { toolCallId, input, output } = given;
    const [shown] = await conversation.bounded(toolCallId, [await read(toolCallId, input, output)]);
    return (shown as { readonly content: readonly [{ readonly output: ModelOutput }] }).content[0].output;
  };
  if (tool.execute === undefined) return { ...tool, toModelOutput } as Tool;
  const run = tool.execute as Execute;
  // Not async: the SDK looks at once whether values come one after the other.
  const execute: Execute = (input, options) => {
    const { toolCallId: callId, abortSignal } = options;
    const call = { callId, tool: name, input };
    let outcome: ImportedResult['outcome'];
    conversation.begin(callId);
    const result = async (value: unknown) => {
      const made = resultOf(await read(callId, input, value));
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

function jsonValueOf(output: unknown): unknown {
  const json = JSON.stringify(output);
  return json === undefined ? null : JSON.parse(json);
}
