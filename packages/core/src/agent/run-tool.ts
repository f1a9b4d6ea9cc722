/**
 * Runs tools. What one returns is stored whole, and what it throws is stored as well and thrown
 * again with a bounded message. A call that is given up is stored as cancelled, with what had
 * arrived until then. `wrapTool` gives a bounded text for a model; `answerCall` and `answerEach`
 * serve frameworks that call tools themselves: values pass on as they are, and a request or a
 * projection of the framework's messages shows them later.
 */

import { abortableResult, type TextResult, type ToolResult } from '../capture/result.ts';
import { holdingOf } from '../engine/holding.ts';
import type { Spillway } from '../engine.ts';
import type { About } from '../model/about.ts';
import { type Outcome, type OutcomeStatus, outcomeOfFailure } from '../model/outcome.ts';
import type { Call } from '../model/output.ts';
import type { SettingsInput } from '../model/policy.ts';
import type { WaitOptions } from '../model/store.ts';
import { abortable, abortReason, untilAborted } from '../text/abortable.ts';

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
    const { spillway, scope, session, policy, about } = options;
    const facts = callFactsOf(args);
    const input = options.input === undefined ? args[0] : options.input(...args);
    const callId = options.callId === undefined ? facts.callId : options.callId(...args);
    const call = { tool: options.tool, scope, session, input, ...(callId === undefined ? {} : { callId }) };
    const ended = await endOf(() => tool(...args), facts.signal, options.result);
    const { text, failure } = await processed({ spillway, policy, about: about?.() }, call, ended);
    if (failure !== undefined) throw failure;
    return text;
  };
}

/** What is known of a call that a framework makes. */
export interface AnswerOptions<T = unknown> extends WaitOptions {
  /** The value as a result; null: the caller stores it. Default: a string is text, the rest is JSON. */
  readonly result?: (value: T) => ToolResult | null | PromiseLike<ToolResult | null>;
  /** How the call ended, where its value tells of a failure. Default: it went well. */
  readonly outcome?: (value: T) => Outcome | undefined;
  /** Whether a thrown value is not the end of the call (an interrupt): it passes and is not stored. */
  readonly passes?: (thrown: unknown) => boolean;
}

interface Storing {
  readonly spillway: Spillway;
  readonly about: About | undefined;
  readonly policy?: SettingsInput | undefined;
}

/** The value of a tool, stored. */
export async function answerCall<R>(
  storing: Storing,
  call: Call,
  run: () => R,
  { signal, result, outcome, passes }: AnswerOptions<Awaited<R>>,
): Promise<Awaited<R>> {
  let value: Awaited<R> | undefined;
  let isStored = true;
  const ended = await endOf(run, signal, async (returned) => {
    value = returned;
    const made = result === undefined ? undefined : await result(returned);
    isStored = made !== null;
    return made ?? { kind: 'value', value: returned };
  });
  if (ended.failure !== undefined) {
    if (passes?.(ended.failure) === true) throw ended.failure;
    throw (await processed(storing, call, ended)).failure;
  }
  if (!isStored) return value as Awaited<R>;
  const known = outcome?.(value as Awaited<R>);
  const given = known === undefined ? {} : { outcome: known };
  const { failure } = await holdingOf(storing.spillway).recordOrHold(call, ended.result as TextResult, given);
  if (failure !== undefined) throw failure;
  return value as Awaited<R>;
}

/** The values of a tool that gives several, each better than the one before: the last is stored. */
export async function* answerEach<T>(
  storing: Storing,
  call: Call,
  values: AsyncIterable<T>,
  { signal, ...options }: AnswerOptions<T>,
): AsyncGenerator<T> {
  let last: { readonly value: T } | undefined;
  let failed: { readonly failure: unknown } | undefined = {
    failure: new DOMException('The call was given up.', 'AbortError'),
  };
  try {
    for await (const value of signal === undefined ? values : abortable(values, signal)) {
      last = { value };
      yield value;
    }
    failed = undefined;
  } catch (failure) {
    failed = { failure };
  } finally {
    // Also when whoever reads the values stops before the last one.
    if (failed !== undefined) failed = { failure: await brokenOff(storing, call, last, failed.failure) };
  }
  if (failed !== undefined) throw failed.failure;
  await answerCall(storing, call, () => last?.value as T, options as AnswerOptions<Awaited<T>>);
}

/** Stores what had arrived with the reason behind it; gives the bounded error. */
async function brokenOff<T>(
  storing: Storing,
  call: Call,
  last: { readonly value: T } | undefined,
  reason: unknown,
): Promise<unknown> {
  const ended = await endOf<unknown>(() => Promise.reject(reason), undefined, undefined);
  if (last === undefined) return (await processed(storing, call, ended)).failure;
  const text = typeof last.value === 'string' ? last.value : (JSON.stringify(last.value) ?? '');
  const arrived = async function* () {
    yield text;
    throw reason;
  };
  return (await processed(storing, call, { ...ended, result: { kind: 'text', text: arrived() } })).failure;
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
  const isStream = isObject(value) && Symbol.asyncIterator in value;
  return isStream
    ? { kind: 'text', text: value as unknown as AsyncIterable<string | Uint8Array> }
    : { kind: 'value', value };
}

async function processed(
  { spillway, about, policy }: Storing,
  call: Call,
  { result, failure: thrown, outcome }: ToolEnd,
): Promise<{ readonly text: string; readonly failure: unknown }> {
  const { projection, failure } = await spillway.process(call, result as TextResult, {
    policy: { notice: 'embedded', ...policy },
    ...(about === undefined ? {} : { about }),
    ...(outcome === undefined ? {} : { outcome }),
  });
  const { text } = projection;
  const cause = thrown ?? failure;
  // An error whose message fits stays the error that it is.
  const isSame = cause === undefined || (cause instanceof Error && cause.message === text);
  return { text, failure: isSame ? cause : boundedError(text, cause) };
}

/** What was given up keeps its name: hosts tell by it that nothing went wrong. */
function boundedError(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  const { status } = outcomeOfFailure(cause);
  if (status === 'cancelled' || status === 'timeout')
    error.name = cause instanceof Error ? cause.name : 'AbortError';
  return error;
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

/** What `Agent.run` passes on. */
export function contextOf(callId: string, signal: AbortSignal | undefined): ToolContext {
  const given = signal === undefined ? {} : { signal, abortSignal: signal };
  return { callId, toolCallId: callId, ...given };
}

function callFactsOf(args: readonly unknown[]): {
  callId?: string | undefined;
  signal?: AbortSignal | undefined;
} {
  const contexts = args.slice(1).filter(isObject);
  const signals = contexts.flatMap(({ signal, abortSignal }) => [signal, abortSignal]);
  return {
    callId: contexts.flatMap(idsIn).find((id) => id !== ''),
    signal: signals.find((found) => found instanceof AbortSignal),
  };
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
