/**
 * Any function as a tool whose results are stored whole and returned bounded. What it throws is stored as well, and thrown again with a bounded
 * message.
 */
import {
  type CallSettings,
  type OutcomeStatus,
  outcomeOfFailure,
  type Spillway,
  type TextResult,
  type ValueResult,
} from '@spillway/core';

/** How a function's results are handled. */
export interface WrapToolOptions<A extends readonly unknown[]> {
  readonly spillway: Spillway;
  /** How the tool is called, in settings and notices. */
  readonly tool: string;
  /** The agent's run, and who may fetch what it stores. */
  readonly session: string;
  readonly scope: string;
  readonly policy?: CallSettings;
  /**
   * What is recorded as the tool's input. Default: the first argument. Frameworks pass more beside it that is no input:
   * the AI SDK the whole conversation, OpenAI Agents the run context with its keys.
   */
  readonly input?: (...args: A) => unknown;
  /** The host's id of the call, where it has one. */
  readonly callId?: (...args: A) => string | undefined;
}

/**
 * Wraps a function: it is called as before, and what comes back is a text for a model, within its limits. A string stays text, a stream of text is
 * read to its end, anything else becomes JSON and stays JSON when it is cut, with the notice inside.
 */
export function wrapTool<A extends readonly unknown[], R>(
  tool: (...args: A) => R,
  options: WrapToolOptions<A>,
): (...args: A) => Promise<string> {
  return async (...args) => {
    const { spillway, scope, session } = options;
    const input = options.input === undefined ? args[0] : options.input(...args);
    const callId = options.callId?.(...args);
    const call = { tool: options.tool, scope, session, input, ...(callId === undefined ? {} : { callId }) };
    const policy = { notice: 'embedded', ...options.policy };
    let result: Awaited<R>;
    try {
      result = await tool(...args);
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      const { status } = outcomeOfFailure(cause);
      // A tool that throws has ended with an error; one that was given up has not.
      const outcome = { status: status === 'crashed' ? ('error' as const) : status };
      const { projection } = await spillway.process(call, { kind: 'text', text }, { policy, outcome });
      throw boundedError(projection.text, cause, status);
    }
    const { projection, failure } = await spillway.process(call, asResult(result), { policy });
    if (failure !== undefined) throw boundedError(projection.text, failure, outcomeOfFailure(failure).status);
    return projection.text;
  };
}

/** What was given up keeps its name: hosts tell by it that nothing went wrong. */
function boundedError(message: string, cause: unknown, status: OutcomeStatus): Error {
  const error = new Error(message, { cause });
  if (status === 'cancelled' || status === 'timeout')
    error.name = cause instanceof Error ? cause.name : 'AbortError';
  return error;
}

function asResult(value: unknown): TextResult | ValueResult {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
    ? { kind: 'text', text: value as AsyncIterable<string | Uint8Array> }
    : { kind: 'value', value };
}
