/**
 * Spillway for Google's GenAI SDK. Functions keep their results whole in the store and give the
 * model a bounded view, called by the SDK or by a loop of your own. Requests stay within the window:
 * the session keeps the conversation and is compacted when it has to be.
 */
import type {
  CallableTool,
  Content,
  ContentListUnion,
  ContentUnion,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
  PartUnion,
  Tool,
} from '@google/genai';
import type { Agent, ShapeName, WaitOptions } from '../../index.ts';
import { Conversation, tokensOf, type WindowOptions } from '../shared/conversation.ts';
import { Functions, type GoogleTool, partsOf, WORDS } from './functions.ts';

export type { WindowOptions } from '../shared/conversation.ts';

export type { GoogleCallContext, GoogleFunction, GoogleTool } from './functions.ts';

/** The functions of an agent, and the window of its model. */
export interface GoogleOptions extends WindowOptions {
  /** Functions with their `run`, callable tools such as `mcpToTool`, and tools of the API. */
  readonly tools?: readonly GoogleTool[];
}

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
  const functions = new Functions(agent, given, conversation.room, () => signal);
  const ofApi = given.filter(isOfApi);
  const calling: CallableTool = {
    tool: () => functions.tool(),
    async callTool(calls) {
      const parts = await functions.callTool(calls);
      conversation.add(tokensOf(parts));
      return parts;
    },
  };
  const request: GoogleLayer['request'] = async ({ contents, config = {}, ...params }, wait = {}) => {
    signal = wait.signal ?? config.abortSignal;
    const { systemInstruction, maxOutputTokens = 0, tools = ofApi } = config;
    const beside = async () => ({
      answer: maxOutputTokens,
      beside: tokensOf([systemInstruction, tools, await functions.tool()]),
    });
    const list = contentsOf(contents);
    const isNew = (content: Content) => conversation.room() === undefined || !recorded.has(content);
    const made = await conversation.request(list.filter(isNew), beside, wait);
    const own = made.config.systemInstruction?.parts ?? [];
    const parts = [...partsOfContent(systemInstruction), ...own];
    const system = own.length === 0 ? {} : { systemInstruction: { parts } };
    const all = tools.includes(calling) ? tools : [...tools, calling];
    return { ...params, contents: made.contents, config: { ...config, ...system, tools: all } };
  };
  const answer: GoogleLayer['answer'] = async (reply, wait = {}) => {
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
    await conversation.record([WORDS.messages(ended)[1]], 'more', {});
    wait.signal?.throwIfAborted();
    const results: Content = { role: 'user', parts: partsOf(calls, ended) };
    recorded.add(results);
    return results;
  };
  return { tools: [...ofApi, calling], request, answer };
}

function isOfApi(tool: GoogleTool): tool is Tool {
  return !('run' in tool) && !('callTool' in tool);
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

/** An answer: of `generateContent`, or all pieces of `generateContentStream`. */
export type GoogleReply = GenerateContentResponse | readonly GenerateContentResponse[];

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
  const parts = [...before];
  for (const part of more) {
    const last = parts.at(-1);
    if (last !== undefined && isPlainText(last) && isPlainText(part))
      parts[parts.length - 1] = { text: `${last.text}${part.text}` };
    else parts.push(part);
  }
  return parts;
}

function isPlainText(part: Part): boolean {
  return typeof part.text === 'string' && Object.keys(part).length === 1;
}

function isContent(given: Content | PartUnion): given is Content {
  return typeof given === 'object' && 'parts' in given;
}

function asParts(given: readonly PartUnion[]): Part[] {
  return given.map((part) => (typeof part === 'string' ? { text: part } : part));
}
