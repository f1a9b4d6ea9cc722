/**
 * A plugin of opencode: the results of its tools, and of MCP servers, are stored and bounded.
 *
 *     // .opencode/plugin/spillway.js
 *     import { spillway } from 'spillway/opencode';
 *     export const Spillway = spillway();
 */
import { ask, type Program } from './ask.ts';

export type { Program } from './ask.ts';

/** What is used of a plugin's context. */
export interface OpencodeContext {
  /** The folder that opencode works in. */
  readonly directory: string;
}

/** A call as opencode tells of it. */
export interface OpencodeCall {
  /** The name of the tool. */
  readonly tool: string;
  /** The run of the agent. */
  readonly sessionID: string;
  /** The id of the call. */
  readonly callID: string;
  /** What the tool was given. */
  readonly args: unknown;
}

/** A result of opencode: of its own tools an `output`, of MCP servers `content`. */
export interface OpencodeResult {
  /** The text of a tool of opencode. */
  output?: unknown;
  /** The blocks of an MCP server. */
  content?: unknown;
  /** Where opencode put the whole text that it cut, and the exit code. */
  readonly metadata?: { readonly outputPath?: unknown; readonly exit?: unknown } | null;
}

/** What the plugin does after each call. */
export interface OpencodeHooks {
  /** Replaces a long result by its projection. */
  readonly 'tool.execute.after': (call: OpencodeCall, result: OpencodeResult | undefined) => Promise<void>;
}

/** `program`: the words that start Spillway. Default: `spillway`, found on the path. */
export function spillway(
  program: Program = ['spillway'],
): (context: OpencodeContext) => Promise<OpencodeHooks> {
  return async ({ directory }) => ({
    async 'tool.execute.after'({ tool, sessionID, callID, args }, result) {
      if (result === undefined || result === null) return;
      const { output, content, metadata } = result;
      const shown = await ask(program, 'opencode', {
        tool,
        session: sessionID,
        callId: callID,
        cwd: directory,
        input: args,
        // opencode has cut its own results by now; it names the file that holds all of one.
        file: metadata?.outputPath,
        exitCode: metadata?.exit,
        result: { output, content },
      });
      if (shown !== null) Object.assign(result, shown);
    },
  });
}
