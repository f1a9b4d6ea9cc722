/**
 * OpenAI Agents: a filter that every request passes on its way to the model. It bounds the results
 * of all tools, those of MCP servers and hosted ones too, while the library's own session keeps
 * them whole. Functions become tools with `tool`, in place of the library's own: what they throw is
 * stored as well, and a call that is given up is recorded as cancelled.
 */
import {
  type AgentInputItem,
  type CallModelInputFilter,
  type CallModelInputFilterArgs,
  type FunctionTool,
  type FunctionToolCustomDataContext,
  type RunContext,
  type ToolOptions,
  tool,
} from '@openai/agents';
import { type RequestOptions, SHAPES } from '../history/index.ts';
import type { Agent, ShapeName, ToolCall } from '../index.ts';
import { Conversation, isStream, resultIn } from './conversation.ts';

/** What a run is given. */
export interface OpenAiAgents {
  /** The same as the library's own, and what it makes is stored and bounded. */
  readonly tool: typeof tool;
  /** The tool `get_artifact`: give it to the agent beside its own. */
  readonly getArtifact: FunctionTool;
  /** For `run` and `Runner`. */
  readonly callModelInputFilter: CallModelInputFilter;
}

/** One conversation with Spillway: the session is that of the agent. */
export function spillway(agent: Agent<ShapeName>, options: OpenAiAgentsOptions = {}): OpenAiAgents {
  const conversation = new Conversation(agent, 'openai_agents', options);
  const functions = new Functions(agent);
  const { name, description, inputSchema } = agent.getArtifact;
  return {
    tool: ((given: Parameters<typeof tool>[0]) => tool(functions.wrap(given))) as typeof tool,
    getArtifact: tool({
      name,
      description,
      parameters: inputSchema as {
        type: 'object';
        properties: object;
        required: [];
        additionalProperties: true;
      },
      strict: false,
      execute: (args) => agent.fetch(args),
    }) as unknown as FunctionTool,
    callModelInputFilter: async (given) => ({
      ...given.modelData,
      input: await inputFor(agent, conversation, given),
    }),
  };
}

/** How a run uses Spillway. */
export interface OpenAiAgentsOptions
  extends Partial<Pick<RequestOptions, 'reserve' | 'mediaTokens' | 'model' | 'onCompaction'>> {
  /**
   * The window of the model, in tokens: requests fit, and are compacted where they have to be.
   * Without it results are bounded and nothing else; leave it out where the server keeps the
   * conversation (`conversationId`, `previousResponseId`).
   */
  readonly window?: number;
}

type Item = AgentInputItem;

async function inputFor(
  agent: Agent<ShapeName>,
  conversation: Conversation,
  { modelData, agent: { tools } }: CallModelInputFilterArgs,
): Promise<AgentInputItem[]> {
  const { input, instructions } = modelData;
  const known = await Promise.all(input.map((item) => withCancelled(agent, item)));
  const described = tools.map((tool) => {
    if (tool.type !== 'function') return tool.name;
    const { name, description, parameters } = tool;
    return { name, description, parameters };
  });
  const beside = () => ({ sent: [instructions, ...described] });
  return inPlace(input, (await conversation.messages(known, beside, {})) as readonly Item[]);
}

/** A call that was given up: the output recorded as cancelled replaces the library's own words. */
async function withCancelled({ spillway, session }: Agent<ShapeName>, item: Item): Promise<Item> {
  if (item.type !== 'function_call_result' || item.status !== 'incomplete') return item;
  const found = await spillway.store.find({ ...session.name, callId: item.callId });
  return found === undefined || 'purgedAt' in found || found.outcome.status !== 'cancelled'
    ? item
    : { ...item, output: { type: 'text', text: found.id } };
}

/** Items to send, each in the copy that the library knows it by. */
function inPlace(given: readonly Item[], sent: readonly Item[]): AgentInputItem[] {
  const copies = new Map<string, Item[]>();
  for (const item of given)
    for (const key of keysOf(item)) copies.set(key, [...(copies.get(key) ?? []), item]);
  const taken = new Set<Item>();
  const take = (key: string, from: 'first' | 'last'): Item | undefined => {
    const free = (copies.get(key) ?? []).filter((item) => !taken.has(item));
    const found = free.at(from === 'first' ? 0 : -1);
    if (found !== undefined) taken.add(found);
    return found;
  };
  // From the end: of equal words, the latest are those that are still sent.
  const same = sent
    .toReversed()
    .map((item) => take(keysOf(item)[0] ?? '', 'last'))
    .reverse();
  return sent.map((item, i) => {
    const copy = same[i] ?? take(keysOf(item)[1] ?? '', 'last') ?? take(ANSWERED, 'first');
    // Also where nothing else is said: the order of fields is part of what is sent again.
    return copy === undefined ? item : become(copy, item);
  });
}

/** Any item that answers a call: the library does not keep it for what a run was given. */
const ANSWERED = 'answered';

/** What an item can be known by: all of it, the call that it belongs to, that it answers one. */
function keysOf(item: Item): string[] {
  const whole = `whole ${sorted(item)}`;
  return 'callId' in item ? [whole, `${item.type} ${item.callId}`, ANSWERED] : [whole];
}

/** JSON that does not depend on the order of fields. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function become(copy: Item, item: Item): Item {
  const fields = { ...item };
  for (const name of Object.keys(copy)) Reflect.deleteProperty(copy, name);
  return Object.assign(copy, fields);
}

type Options = ToolOptions<never>;
type Details = {
  readonly toolCall?: { readonly callId: string; readonly name: string; readonly arguments: string };
  readonly signal?: AbortSignal;
};
type Execute = (input: unknown, context?: RunContext, details?: Details) => unknown;

class Functions {
  readonly #agent: Agent<ShapeName>;
  /** Errors whose message is bounded and whose text is stored. */
  readonly #stored = new WeakSet<object>();

  constructor(agent: Agent<ShapeName>) {
    this.#agent = agent;
  }

  /** The options of a tool, with everything that is recorded. */
  wrap<T extends object>(given: T): T {
    const { execute, errorFunction, outputSchema, customDataExtractor } = given as Partial<Options> & {
      execute: Execute;
    };
    const ownErrors = errorFunction !== undefined || outputSchema !== undefined;
    return {
      ...given,
      execute: (input: unknown, context?: RunContext, details?: Details) => {
        // What the provider counted for the request that made this call.
        const read = context?.usage?.requestUsageEntries?.at(-1)?.inputTokens;
        if (read !== undefined) this.#agent.usage(read);
        return this.#run(() => execute(input, context, details), details);
      },
      ...(ownErrors
        ? {}
        : {
            errorFunction: (_: RunContext, error: unknown, details?: Details) =>
              this.#errorText(error, details),
          }),
      customDataExtractor: async (of: FunctionToolCustomDataContext) => {
        const own = await (customDataExtractor as ((of: object) => unknown) | undefined)?.(of);
        const artifact_id = await this.#record(of);
        return { ...(own as object | undefined), ...(artifact_id === null ? {} : { artifact_id }) };
      },
    };
  }

  async #run(execute: () => unknown, details: Details | undefined): Promise<unknown> {
    const call = callOf(details);
    if (call === null) return execute();
    let text = '';
    const read = async function* (stream: AsyncIterable<string | Uint8Array>) {
      const decoder = new TextDecoder();
      for await (const chunk of stream) {
        text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
        yield chunk;
      }
    };
    try {
      const value = await this.#agent.answer(call, async () => execute(), {
        signal: details?.signal,
        result: (returned) =>
          isStream<string | Uint8Array>(returned) ? { kind: 'text', text: read(returned) } : null,
      });
      return isStream(value) ? text : value;
    } catch (error) {
      if (typeof error === 'object' && error !== null) this.#stored.add(error);
      throw error;
    }
  }

  /** What the model reads of an error; those of the library's own checks are stored here. */
  async #errorText(error: unknown, details: Details | undefined): Promise<string> {
    const call = callOf(details);
    const isStored = typeof error === 'object' && error !== null && this.#stored.has(error);
    const failure = () => Promise.reject(error);
    const bounded =
      isStored || call === null ? error : await this.#agent.answer(call, failure).catch((e: unknown) => e);
    return bounded instanceof Error ? bounded.message : String(bounded);
  }

  /** Records what the library hands on, unless the call has its output; gives the handle. */
  async #record({ toolCall, rawItem }: FunctionToolCustomDataContext): Promise<string | null> {
    const call = callOf({ toolCall });
    const { spillway, session } = this.#agent;
    if (call === null) return null;
    const known = () => spillway.store.find({ ...session.name, callId: call.callId });
    if ((await known()) === undefined)
      await this.#agent.answer(call, () => rawItem, {
        result: () => resultIn(SHAPES.openai_agents, [rawItem]),
      });
    return (await known())?.id ?? null;
  }
}

function callOf({ toolCall }: Details = {}): ToolCall | null {
  if (toolCall === undefined) return null;
  const { callId, name: tool, arguments: text } = toolCall;
  try {
    return { callId, tool, input: JSON.parse(text) };
  } catch {
    // The library tells the model; the text is what there is.
    return { callId, tool, input: text };
  }
}
