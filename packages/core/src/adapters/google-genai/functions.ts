/**
 * The functions of a Gemini agent behind one callable tool: those with a `run` of their own, those
 * of callable tools such as `mcpToTool`, and `get_artifact`.
 */
import type {
  CallableTool,
  FunctionCall,
  FunctionDeclaration,
  FunctionResponse,
  Part,
  Tool,
} from '@google/genai';
import { SHAPES } from '../../history/index.ts';
import type { Agent, ShapeName, ToolCall, WaitOptions } from '../../index.ts';
import { BoundedCalls, type CallWords, type Ended, type Room } from '../shared/bounded-calls.ts';

/** What a function is told about its call. */
export interface GoogleCallContext extends WaitOptions {
  /** The id of the call. We make one where the model gave none. */
  readonly callId: string;
}

/** A function for the model. `run` gives a text, a value, or `{ response, parts }`. */
export interface GoogleFunction extends FunctionDeclaration {
  readonly name: string;
  /** Called with the arguments of the model. */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are what the declaration asks for.
  readonly run: (args: any, context: GoogleCallContext) => unknown;
}

/** A function, functions of somebody else, or a tool of the API. */
export type GoogleTool = GoogleFunction | CallableTool | Tool;

/** What a function answered, as the API has it. */
export type Answer = Pick<FunctionResponse, 'response' | 'parts'>;

/** How the API spells calls and results. */
export const WORDS: CallWords<Answer> = {
  shape: 'google',
  messages: (ended) => [
    {
      role: 'model',
      parts: ended.map(({ call: { callId: id, tool: name, input: args } }) => ({
        functionCall: { id, name, args },
      })),
    },
    {
      role: 'user',
      parts: ended.map(({ call: { callId: id, tool: name }, content }) => ({
        functionResponse: { id, name, ...content },
      })),
    },
  ],
  contents: (results) =>
    (results as { readonly parts: readonly Part[] }).parts.map(({ functionResponse }) => ({
      ...(functionResponse?.response === undefined ? {} : { response: functionResponse.response }),
      ...(functionResponse?.parts === undefined ? {} : { parts: functionResponse.parts }),
    })),
  failure: (error) => ({ response: { error } }),
};

type Run = (call: FunctionCall, context: GoogleCallContext) => unknown;

/** Declares and runs functions. */
export class Functions implements CallableTool {
  readonly #agent: Agent<ShapeName>;
  readonly #own: readonly GoogleFunction[];
  readonly #callable: readonly CallableTool[];
  readonly #calls: BoundedCalls<Answer>;
  readonly #signal: () => AbortSignal | undefined;
  #runs: ReadonlyMap<string, Run> = new Map();

  constructor(
    agent: Agent<ShapeName>,
    tools: readonly GoogleTool[],
    room: Room,
    signal: () => AbortSignal | undefined,
  ) {
    this.#agent = agent;
    this.#own = tools.filter((tool): tool is GoogleFunction => 'run' in tool);
    this.#callable = tools.filter((tool): tool is CallableTool => 'callTool' in tool);
    this.#calls = new BoundedCalls(agent, WORDS, room);
    this.#signal = signal;
  }

  /** All declarations, with `get_artifact` once. */
  async tool(): Promise<{ functionDeclarations: FunctionDeclaration[] }> {
    const { name, description, inputSchema } = this.#agent.getArtifact;
    const declared = new Map<string, FunctionDeclaration>();
    const runs = new Map<string, Run>();
    for (const tool of this.#callable)
      for (const declaration of (await tool.tool()).functionDeclarations ?? []) {
        declared.set(declaration.name ?? '', declaration);
        runs.set(declaration.name ?? '', (call) => tool.callTool([call]).then(answerIn));
      }
    for (const { run, ...declaration } of this.#own) {
      declared.set(declaration.name, declaration);
      runs.set(declaration.name, ({ args }, context) => run(args ?? {}, context));
    }
    declared.set(name, { name, description, parametersJsonSchema: inputSchema });
    this.#runs = runs;
    return { functionDeclarations: [...declared.values()] };
  }

  /** Answers calls for the SDK. */
  async callTool(calls: readonly FunctionCall[]): Promise<Part[]> {
    return partsOf(calls, await this.answer(calls, { signal: this.#signal() }));
  }

  /** Answers calls, in their order. Those without an id get one. */
  async answer(calls: readonly FunctionCall[], { signal }: WaitOptions): Promise<readonly Ended<Answer>[]> {
    if (this.#runs.size === 0) await this.tool();
    const parts = calls.map((functionCall): Part => ({ functionCall }));
    const [message] = SHAPES.google.read([{ role: 'model', parts }]).messages;
    const ids = (message?.parts ?? []).flatMap((part) => (part.type === 'call' ? [part.callId] : []));
    return Promise.all(
      calls.map((call, i) =>
        this.#answer(call, { callId: ids[i] ?? '', tool: call.name ?? '', input: call.args ?? {} }, signal),
      ),
    );
  }

  #answer(call: FunctionCall, known: ToolCall, signal: AbortSignal | undefined): Promise<Ended<Answer>> {
    if (known.tool === this.#agent.getArtifact.name)
      return this.#agent
        .fetch(known.input, { signal })
        .then((output) => ({ call: known, content: { response: { output } } }));
    const run = this.#runs.get(known.tool);
    return this.#calls.run(
      known,
      async () => {
        if (run === undefined) throw new Error(`There is no function ${known.tool}.`);
        const content = answerOf(await run(call, { callId: known.callId, signal }));
        return { content, isError: Object.keys(content.response ?? {}).join() === 'error' };
      },
      signal,
    );
  }
}

/** Responses as the model gets them: without an id where its call has none. */
export function partsOf(calls: readonly FunctionCall[], ended: readonly Ended<Answer>[]): Part[] {
  return ended.map(({ content }, i) => {
    const { id, name = '' } = calls[i] ?? {};
    return { functionResponse: { ...(id === undefined ? {} : { id }), name, ...content } };
  });
}

function answerIn(parts: readonly Part[]): Answer {
  const answer = parts.find((part) => part.functionResponse !== undefined)?.functionResponse;
  if (answer === undefined) throw new Error('The tool gave no response.');
  return answer;
}

function answerOf(value: unknown): Answer {
  const { response, parts } = (value ?? {}) as Partial<Answer>;
  if (typeof response !== 'object' || response === null) return { response: { output: value ?? '' } };
  return { response, ...(parts === undefined ? {} : { parts }) };
}
