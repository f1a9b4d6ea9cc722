/**
 * A result whose streams end with a signal. Reading them then rejects with the signal's reason, so
 * what had arrived is kept as cancelled. What is here already is not touched.
 */
import { abortable } from '../text/abortable.ts';
import type { ToolResult } from './result.ts';
import type { Source } from './source.ts';

/** The same result; its streams end when the signal is aborted. */
export function abortableResult(result: ToolResult, signal: AbortSignal | undefined): ToolResult {
  if (signal === undefined || result === null || typeof result !== 'object') return result;
  if (result.kind === 'text') return { ...result, text: ending(result.text, signal) };
  if (result.kind === 'exec') {
    const { stdout, stderr } = result;
    return {
      ...result,
      ...(stdout === undefined ? {} : { stdout: ending(stdout, signal) }),
      ...(stderr === undefined ? {} : { stderr: ending(stderr, signal) }),
    };
  }
  if (result.kind === 'blocks' && isStream(result.blocks))
    return { ...result, blocks: abortable(result.blocks, signal) };
  if (result.kind === 'repl' && result.printed !== undefined)
    return { ...result, printed: ending(result.printed, signal) };
  return result;
}

function ending(source: Source, signal: AbortSignal): Source {
  return isStream(source) ? abortable(source, signal) : source;
}

function isStream<T>(value: T): value is T & AsyncIterable<never> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
