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
  readonly directory: string;
}

/** A call as opencode tells of it. */
export interface OpencodeCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
  readonly args: unknown;
}

/** A result of opencode: of its own tools an `output`, of MCP servers `content`. */
export interface OpencodeResult {
  output?: unknown;
  content?: unknown;
  readonly metadata?: { readonly outputPath?: unknown; readonly exit?: unknown } | null;
}

/** What the plugin does after each call. */
export interface OpencodeHooks {
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
