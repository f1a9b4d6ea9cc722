/**
 * An extension of pi: the results of its tools are stored and bounded, those that failed too.
 *
 *     // ~/.pi/agent/extensions/spillway.js
 *     import { spillway } from 'spillway/pi';
 *     export default spillway();
 */
import { ask, type Fields, type Program } from './ask.ts';

export type { Fields, Program } from './ask.ts';

/** A result as pi tells of it. */
export interface PiToolResult {
  /** The name of the tool. */
  readonly toolName: string;
  /** The id of the call. */
  readonly toolCallId: string;
  /** What the tool was given. */
  readonly input: unknown;
  /** Blocks for the model. */
  readonly content: readonly unknown[];
  /** What the tool adds for people, such as the file with the whole text. */
  readonly details?: unknown;
  /** Whether the call failed. */
  readonly isError?: boolean;
}

/** What is used of the context of an event. */
export interface PiContext {
  /** The folder that pi works in. */
  readonly cwd: string;
  /** Names the session. */
  readonly sessionManager?: { getSessionId?: () => string };
}

/** What is used of pi. */
export interface PiApi {
  /** Adds a handler; what it returns replaces fields of the result. */
  on(
    event: 'tool_result',
    handler: (result: PiToolResult, context: PiContext) => Promise<Fields | undefined>,
  ): void;
}

/** `program`: the words that start Spillway. Default: `spillway`, found on the path. */
export function spillway(program: Program = ['spillway']): (pi: PiApi) => void {
  return (pi) =>
    pi.on('tool_result', async (result, { cwd, sessionManager }) => {
      const { toolName: tool, toolCallId: callId, input, content, isError, details } = result;
      const shown = await ask(program, 'pi', {
        tool,
        callId,
        session: sessionManager?.getSessionId?.(),
        cwd,
        input,
        file: (details as { fullOutputPath?: unknown } | null | undefined)?.fullOutputPath,
        isError,
        result: { content },
      });
      return shown === null ? undefined : { ...shown, details };
    });
}
