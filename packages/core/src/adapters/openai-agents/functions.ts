/**
 * Functions as tools. What one returns is recorded as the library hands it on; a stream is recorded
 * as it arrives, and handed on as its text. What one throws is recorded and read by the model,
 * bounded. The handle goes to the output's `customData`, which no model is sent.
 */
import type { FunctionToolCustomDataContext, RunContext, ToolOptions } from '@openai/agents';
import { SHAPES } from '../../history/index.ts';
import type { Agent, ShapeName, ToolCall } from '../../index.ts';

type Options = ToolOptions<never>;
type Details = {
  readonly toolCall?: { readonly callId: string; readonly name: string; readonly arguments: string };
  readonly signal?: AbortSignal;
};
type Execute = (input: unknown, context?: RunContext, details?: Details) => unknown;

export class Functions {
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
        result: (returned) => (isStream(returned) ? { kind: 'text', text: read(returned) } : null),
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
    const bounded = isStored || call === null ? error : await this.#failure(call, error);
    return bounded instanceof Error ? bounded.message : String(bounded);
  }

  async #failure(call: ToolCall, error: unknown): Promise<unknown> {
    return this.#agent.answer(call, () => Promise.reject(error)).catch((bounded: unknown) => bounded);
  }

  /** Records what the library hands on, unless the call has its output; gives the handle. */
  async #record({ toolCall, rawItem }: FunctionToolCustomDataContext): Promise<string | null> {
    const call = callOf({ toolCall });
    const { spillway, session } = this.#agent;
    if (call === null) return null;
    const known = () => spillway.store.find({ ...session.name, callId: call.callId });
    const parts = SHAPES.openai_agents.read([rawItem]).messages.flatMap((message) => message.parts);
    const result = parts.find((part) => part.type === 'result');
    if (result !== undefined && (await known()) === undefined)
      await this.#agent.answer(call, () => rawItem, { result: () => result.result });
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

function isStream(value: unknown): value is AsyncIterable<string | Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
