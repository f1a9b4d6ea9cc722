/**
 * What frameworks pass to a tool behind its input: the id of the call and the signal that gives it
 * up. Each has names of its own for both; they are looked for in the arguments from the second on.
 */

/** What is known of a call. */
export interface CallFacts {
  readonly callId?: string;
  readonly signal?: AbortSignal;
}

/** What a tool is told of its call by `Agent.run`: by our names, and by those of the AI SDK. */
export interface ToolContext {
  /** The id of the call. */
  readonly callId: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal;
  /** The same as `callId`. */
  readonly toolCallId: string;
  /** The same as `signal`. */
  readonly abortSignal?: AbortSignal;
}

/** The facts of a call among the arguments of a tool. */
export function callFactsOf(args: readonly unknown[]): CallFacts {
  const contexts = args.slice(1).filter(isObject);
  const callId = contexts.flatMap(idsIn).find((id) => id !== '');
  const signal = contexts
    .flatMap(({ signal: ours, abortSignal }) => [ours, abortSignal])
    .find((found) => found instanceof AbortSignal);
  return { ...(callId === undefined ? {} : { callId }), ...(signal === undefined ? {} : { signal }) };
}

/** What `Agent.run` passes on. */
export function contextOf(callId: string, signal: AbortSignal | undefined): ToolContext {
  const given = signal === undefined ? {} : { signal, abortSignal: signal };
  return { callId, toolCallId: callId, ...given };
}

/** AI SDK and ours, then LangChain and OpenAI Agents, then Anthropic. */
function idsIn(context: Readonly<Record<string, unknown>>): string[] {
  const { callId, toolCallId, toolCall, toolUse } = context;
  const nested = [toolCall, toolUse].filter(isObject).flatMap(({ callId: own, id }) => [own, id]);
  return [callId, toolCallId, ...nested].filter((id): id is string => typeof id === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
