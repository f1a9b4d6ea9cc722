/**
 * Spillway for Google's GenAI SDK. Functions keep their results whole in the store and give the
 * model a bounded view, called by the SDK or by a loop of your own: those with a `run`, those of
 * callable tools such as `mcpToTool`, and `get_artifact`. Requests stay within the window: the
 * session keeps the conversation and is compacted when it has to be.
 */
import type {
  CallableTool,
  Content,
  ContentListUnion,
  ContentUnion,
  FunctionCall,
  FunctionDeclaration,
  FunctionResponse,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
  PartUnion,
  Tool,
} from '@google/genai';
import { SHAPES } from '../history/index.ts';
import type { Agent, ShapeName, ToolCall, WaitOptions } from '../index.ts';
import { boundedCall, type CallWords, Conversation, type Ended, type WindowOptions } from './conversation.ts';

export type { WindowOptions } from './conversation.ts';

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

/** The functions of an agent, and the window of its model. */
export interface GoogleOptions extends WindowOptions {
  /** Functions with their `run`, callable tools such as `mcpToTool`, and tools of the API. */
  readonly tools?: readonly GoogleTool[];
}

/** An answer: of `generateContent`, or all pieces of `generateContentStream`. */
export type GoogleReply = GenerateContentResponse | readonly GenerateContentResponse[];

/** What `spillway` gives. */
export interface GoogleLayer {
  /** One callable tool with all functions and `get_artifact`, and the tools of the API. */
  readonly tools: (CallableTool | Tool)[];
  /**
   * The request as it is to be sent: results bounded, the same every time; with a `window`, older
   * contents compacted when they do not fit. `tools` are added. The SDK calls functions by itself,
   * unless `config.automaticFunctionCalling` forbids it.
   */
  request(params: GenerateContentParameters, wait?: WaitOptions): Promise<GenerateContentParameters>;
  /** Records an answer, and runs calls. Gives results the model has not seen; null if none. */
  answer(reply: GoogleReply, wait?: WaitOptions): Promise<Content | null>;
}

/** Connects an agent with the SDK. */
export function spillway(
  agent: Agent<ShapeName>,
  { tools: given = [], ...options }: GoogleOptions = {},
): GoogleLayer {
  let signal: AbortSignal | undefined;
  /** Contents with results that are recorded: alone, those without ids belong to no call. */
  const recorded = new WeakSet<Content>();
  const conversation = new Conversation(agent, 'google', options);
  const functions = new Functions(agent, given, conversation);
  const ofApi = given.filter((tool): tool is Tool => !('run' in tool) && !('callTool' in tool));
  const calling: CallableTool = {
    tool: () => functions.tool(),
    callTool: async (calls) => partsOf(calls, await functions.answer(calls, { signal })),
  };
  return {
    tools: [...ofApi, calling],
    async request({ contents, config = {}, ...params }, wait = {}) {
      signal = wait.signal ?? config.abortSignal;
      const { systemInstruction, maxOutputTokens = 0, tools = ofApi } = config;
      const beside = async () => ({
        answer: maxOutputTokens,
        sent: [systemInstruction, tools, await functions.tool()],
      });
      const isNew = (content: Content) => conversation.window === undefined || !recorded.has(content);
      const made = await conversation.request(contentsOf(contents).filter(isNew), beside, wait);
      const own = made.config.systemInstruction?.parts ?? [];
      const parts = [...partsOfContent(systemInstruction), ...own];
      const system = own.length === 0 ? {} : { systemInstruction: { parts } };
      const all = tools.includes(calling) ? tools : [...tools, calling];
      return { ...params, contents: made.contents, config: { ...config, ...system, tools: all } };
    },
    async answer(reply, wait = {}) {
      const { contents, how } = answersOf(reply);
      // Of a run in which the SDK called functions, the figures are those of a later request.
      if (how === 'more') conversation.usage(Array.isArray(reply) ? reply.at(-1) : reply);
      await conversation.record(contents, how, wait);
      const last = contents.at(-1);
      // A run of the SDK that was at its limit ends with results that the model has not seen.
      if (last?.role === 'user') return last;
      const calls = (last?.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
      if (calls.length === 0) return null;
      const ended = await functions.answer(calls, wait);
      // Also what was given up has a result.
      await conversation.record([{ role: 'user', parts: ended.map(responseOf) }], 'more');
      wait.signal?.throwIfAborted();
      const results: Content = { role: 'user', parts: partsOf(calls, ended) };
      recorded.add(results);
      return results;
    },
  };
}

function contentsOf(given: ContentListUnion): Content[] {
  const list: readonly (Content | PartUnion)[] = Array.isArray(given) ? given : [given];
  if (list.every(isContent)) return [...list];
  return [{ role: 'user', parts: asParts(list as readonly PartUnion[]) }];
}

function partsOfContent(given: ContentUnion | undefined): Part[] {
  if (given === undefined) return [];
  if (Array.isArray(given)) return asParts(given);
  return isContent(given) ? [...(given.parts ?? [])] : asParts([given]);
}

function isContent(given: Content | PartUnion): given is Content {
  return typeof given === 'object' && 'parts' in given;
}

function asParts(given: readonly PartUnion[]): Part[] {
  return given.map((part) => (typeof part === 'string' ? { text: part } : part));
}

/** What a model answered: pieces of a stream are joined, and results of the SDK kept. */
function answersOf(reply: GoogleReply): {
  readonly contents: readonly Content[];
  readonly how: 'whole' | 'more';
} {
  const responses = (Array.isArray(reply) ? reply : [reply]) as readonly GenerateContentResponse[];
  const given = responses.flatMap((response) => response.candidates?.[0]?.content ?? []);
  const history = responses.at(-1)?.automaticFunctionCallingHistory ?? [];
  if (history.length > 0) {
    const isThere = given.every((content) => history.includes(content));
    return { contents: isThere ? history : [...history, ...given], how: 'whole' };
  }
  const contents: Content[] = [];
  for (const content of given) {
    const last = contents.at(-1);
    if (last !== undefined && last.role === content.role) last.parts = joined(last.parts, content.parts);
    else contents.push({ ...content, parts: [...(content.parts ?? [])] });
  }
  return { contents, how: 'more' };
}

/** Texts that were cut into pieces are one text again. */
function joined(before: readonly Part[] = [], more: readonly Part[] = []): Part[] {
  const isPlain = (part: Part) => typeof part.text === 'string' && Object.keys(part).length === 1;
  const parts = [...before];
  for (const part of more) {
    const last = parts.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(part))
      parts[parts.length - 1] = { text: `${last.text}${part.text}` };
    else parts.push(part);
  }
  return parts;
}

/** What a function answered, as the API has it. */
type Answer = Pick<FunctionResponse, 'response' | 'parts'>;

const WORDS: CallWords<Answer> = {
  messages: (ended) => {
    const { callId: id, tool: name, input: args } = ended.call;
    return [
      { role: 'model', parts: [{ functionCall: { id, name, args } }] },
      { role: 'user', parts: [responseOf(ended)] },
    ];
  },
  contentOf: (result) => {
    const { response, parts } = (result as Content).parts?.[0]?.functionResponse ?? {};
    return { ...(response === undefined ? {} : { response }), ...(parts === undefined ? {} : { parts }) };
  },
  failure: (error) => ({ response: { error } }),
};

function responseOf({ call: { callId: id, tool: name }, content }: Ended<Answer>): Part {
  return { functionResponse: { id, name, ...content } };
}

/** Responses as the model gets them: without an id where its call has none. */
function partsOf(calls: readonly FunctionCall[], ended: readonly Ended<Answer>[]): Part[] {
  return ended.map(({ content }, i) => {
    const { id, name = '' } = calls[i] ?? {};
    return { functionResponse: { ...(id === undefined ? {} : { id }), name, ...content } };
  });
}

type Run = (call: FunctionCall, context: GoogleCallContext) => unknown;

class Functions {
  readonly #agent: Agent<ShapeName>;
  readonly #given: readonly GoogleTool[];
  readonly #conversation: Conversation;
  #runs: ReadonlyMap<string, Run> = new Map();

  constructor(agent: Agent<ShapeName>, given: readonly GoogleTool[], conversation: Conversation) {
    this.#agent = agent;
    this.#given = given;
    this.#conversation = conversation;
  }

  async tool(): Promise<{ functionDeclarations: FunctionDeclaration[] }> {
    const { name, description, inputSchema } = this.#agent.getArtifact;
    const declared = new Map<string, FunctionDeclaration>();
    const runs = new Map<string, Run>();
    for (const tool of this.#given) {
      if (!('callTool' in tool)) continue;
      for (const declaration of (await tool.tool()).functionDeclarations ?? []) {
        declared.set(declaration.name ?? '', declaration);
        runs.set(declaration.name ?? '', (call) => tool.callTool([call]).then(answerIn));
      }
    }
    for (const tool of this.#given) {
      if (!('run' in tool)) continue;
      const { run, ...declaration } = tool;
      declared.set(declaration.name, declaration);
      runs.set(declaration.name, ({ args }, context) => run(args ?? {}, context));
    }
    declared.set(name, { name, description, parametersJsonSchema: inputSchema });
    this.#runs = runs;
    return { functionDeclarations: [...declared.values()] };
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

  async #answer(
    call: FunctionCall,
    known: ToolCall,
    signal: AbortSignal | undefined,
  ): Promise<Ended<Answer>> {
    const agent = this.#agent;
    if (known.tool === agent.getArtifact.name)
      return { call: known, content: { response: { output: await agent.fetch(known.input, { signal }) } } };
    const run = async () => {
      const own = this.#runs.get(known.tool);
      if (own === undefined) throw new Error(`There is no function ${known.tool}.`);
      const content = answerOf(await own(call, { callId: known.callId, signal }));
      return { content, isError: Object.keys(content.response ?? {}).join() === 'error' };
    };
    return boundedCall(agent, this.#conversation, SHAPES.google, WORDS, known, run, signal);
  }
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
