/**
 * Runs a tool for a framework that calls tools itself. What it returns is stored whole under the
 * id of its call and passed on as it is; a request or a projection of the framework's messages
 * shows it later. What it throws is stored too, and thrown again with a bounded message. A call
 * that is given up is stored as cancelled, with what had arrived.
 */
import type { TextResult, ToolResult } from '../capture/result.ts';
import type { Spillway } from '../engine.ts';
import type { About } from '../model/about.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Call } from '../model/output.ts';
import type { WaitOptions } from '../model/store.ts';
import { abortable } from '../text/abortable.ts';
import { boundedError, endOf, type ToolEnd } from './wrap-tool.ts';

/** What is known of a call that a framework makes. */
export interface AnswerOptions<T = unknown> extends WaitOptions {
  /** The value as a result; null: the caller stores it. Default: a string is text, the rest is JSON. */
  readonly result?: (value: T) => ToolResult | null | PromiseLike<ToolResult | null>;
  /** How the call ended, where its value tells of a failure. Default: it went well. */
  readonly outcome?: (value: T) => Outcome | undefined;
  /** Whether a thrown value is not the end of the call (an interrupt): it passes and is not stored. */
  readonly passes?: (thrown: unknown) => boolean;
}

/** Where answers are stored. */
export interface AnswerContext {
  readonly spillway: Spillway;
  readonly about: About;
}

/** The value of a tool, stored. */
export async function answerCall<R>(
  context: AnswerContext,
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
    throw await storedFailure(context, call, ended);
  }
  if (!isStored) return value as Awaited<R>;
  const known = outcome?.(value as Awaited<R>);
  const given = known === undefined ? {} : { outcome: known };
  const { failure } = await context.spillway.recordOrHold(call, ended.result as TextResult, given);
  if (failure !== undefined) throw failure;
  return value as Awaited<R>;
}

/** The values of a tool that gives several, each better than the one before: the last is stored. */
export async function* answerEach<T>(
  context: AnswerContext,
  call: Call,
  values: AsyncIterable<T>,
  { signal, ...options }: AnswerOptions<T>,
): AsyncGenerator<T> {
  let last: { readonly value: T } | undefined;
  let failed: { readonly failure: unknown } | undefined = { failure: leftEarly() };
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
    if (failed !== undefined) failed = { failure: await brokenOff(context, call, last, failed.failure) };
  }
  if (failed !== undefined) throw failed.failure;
  await answerCall(context, call, () => last?.value as T, options as AnswerOptions<Awaited<T>>);
}

function leftEarly(): unknown {
  return new DOMException('The call was given up.', 'AbortError');
}

/** Stores what had arrived with the reason behind it; gives the bounded error. */
async function brokenOff<T>(
  context: AnswerContext,
  call: Call,
  last: { readonly value: T } | undefined,
  failure: unknown,
): Promise<unknown> {
  const ended = await endOf<unknown>(() => Promise.reject(failure), undefined, undefined);
  if (last === undefined) return storedFailure(context, call, ended);
  const text = typeof last.value === 'string' ? last.value : (JSON.stringify(last.value) ?? '');
  const arrived = async function* () {
    yield text;
    throw failure;
  };
  return storedFailure(context, call, { ...ended, result: { kind: 'text', text: arrived() } });
}

/** An error whose message fits stays the error that it is. */
async function storedFailure(
  { spillway, about }: AnswerContext,
  call: Call,
  { result, failure, outcome }: ToolEnd,
): Promise<unknown> {
  const { projection } = await spillway.process(call, result as TextResult, {
    policy: { notice: 'embedded' },
    about,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const { text } = projection;
  if (failure instanceof Error && failure.message === text) return failure;
  return boundedError(text, failure, outcome?.status ?? 'error');
}
