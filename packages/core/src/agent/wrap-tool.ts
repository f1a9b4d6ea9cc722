/**
 * Any function as a tool whose results are stored whole and returned bounded. What it throws is
 * stored as well, and thrown again with a bounded message. A call that is given up is stored as
 * cancelled, with what had arrived until then.
 */
import { abortableResult, type TextResult, type ToolResult } from '../capture/result.ts';
import type { Spillway } from '../engine.ts';
import type { About } from '../model/about.ts';
import { type OutcomeStatus, outcomeOfFailure } from '../model/outcome.ts';
import type { SettingsInput } from '../model/policy.ts';
import { abortReason, untilAborted } from '../text/abortable.ts';

/** How a function's results are handled. */
export interface WrapToolOptions<A extends readonly unknown[], R = unknown> {
  /** Stores and projects the results. */
  readonly spillway: Spillway;
  /** How the tool is called, in settings and notices. */
  readonly tool: string;
  /** The agent's run. */
  readonly session: string;
  /** Who may fetch what it stores. */
  readonly scope: string;
  /** Settings of this tool, above those of the session. */
  readonly policy?: SettingsInput;
  /** What the agent is after when the tool is called. */
  readonly about?: () => About;
  /** What is recorded as input. Default: the first argument; frameworks pass more. */
  readonly input?: (...args: A) => unknown;
  /** The host's id of the call. Default: the one that the framework passes behind the input. */
  readonly callId?: (...args: A) => string | undefined;
  /** The value as a result. Default: a string or a stream is text, anything else is JSON. */
  readonly result?: (value: Awaited<R>) => ToolResult;
}

/**
 * Wraps a function: it is called as before, and what comes back is a text for a model, within its
 * limits. A string stays text, a stream of text is read to its end, anything else becomes JSON and
 * stays JSON when it is cut, with the notice inside.
 */
export function wrapTool<A extends readonly unknown[], R>(
  tool: (...args: A) => R,
  options: WrapToolOptions<A, R>,
): (...args: A) => Promise<string> {
  return async (...args) => {
    const { spillway, scope, session } = options;
    const facts = callFactsOf(args);
    const input = options.input === undefined ? args[0] : options.input(...args);
    const callId = options.callId === undefined ? facts.callId : options.callId(...args);
    const call = { tool: options.tool, scope, session, input, ...(callId === undefined ? {} : { callId }) };
    const policy: SettingsInput = { notice: 'embedded', ...options.policy };
    const ended = await endOf(() => tool(...args), facts.signal, options.result);
    const { outcome } = ended;
    const { projection, failure } = await spillway.process(call, ended.result as TextResult, {
      policy,
      ...(options.about === undefined ? {} : { about: options.about() }),
      ...(outcome === undefined ? {} : { outcome }),
    });
    const cause = failure ?? ended.failure;
    if (cause !== undefined) throw boundedError(projection.text, cause, outcomeOfFailure(cause).status);
    return projection.text;
  };
}

/** How a tool ended: with a result, or with a failure that is told as one. */
export interface ToolEnd {
  readonly result: ToolResult;
  readonly failure?: unknown;
  readonly outcome?: { readonly status: OutcomeStatus };
}

/** Runs a tool until it ends or is given up. Never rejects. */
export async function endOf<R>(
  run: () => R,
  signal: AbortSignal | undefined,
  asResult: ((value: Awaited<R>) => ToolResult | PromiseLike<ToolResult>) | undefined,
): Promise<ToolEnd> {
  try {
    if (signal?.aborted === true) throw abortReason(signal);
    const value = await untilAborted<Awaited<R>>(run() as PromiseLike<Awaited<R>>, signal);
    const result = asResult === undefined ? resultOf(value) : await asResult(value);
    return { result: abortableResult(result, signal) };
  } catch (failure) {
    const text = failure instanceof Error ? failure.message : String(failure);
    const { status } = outcomeOfFailure(failure);
    // A tool that throws has ended with an error; one that was given up has not.
    const outcome = { status: status === 'crashed' ? ('error' as const) : status };
    return { result: { kind: 'text', text }, failure: failure ?? new Error(text), outcome };
  }
}

function resultOf(value: unknown): ToolResult {
  return isStream(value) ? { kind: 'text', text: value } : { kind: 'value', value };
}

function isStream(value: unknown): value is AsyncIterable<string | Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** What was given up keeps its name: hosts tell by it that nothing went wrong. */
export function boundedError(message: string, cause: unknown, status: OutcomeStatus): Error {
  const error = new Error(message, { cause });
  if (status === 'cancelled' || status === 'timeout')
    error.name = cause instanceof Error ? cause.name : 'AbortError';
  return error;
}

interface CallFacts {
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

function callFactsOf(args: readonly unknown[]): CallFacts {
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
