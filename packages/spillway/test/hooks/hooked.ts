/** A hook as an agent runs it: a process with the documented JSON on its standard input. */
import { expect } from 'vitest';
import type { Fields } from '../../src/hook/plugins/ask.ts';
import { type PiContext, type PiToolResult, spillway as pi } from '../../src/hook/plugins/pi.ts';
import type { Ran, Workspace } from '../program.ts';

/** What an agent tells of a call, without the result. */
export function claudeCall(workspace: Workspace, tool: string, input: object, response: unknown): object {
  return {
    session_id: 'a76d1361-e41e-4393-b6d2-53227d2c535f',
    transcript_path: '/home/me/.claude/projects/x/a76d1361.jsonl',
    cwd: workspace.root,
    permission_mode: 'default',
    hook_event_name: 'PostToolUse',
    tool_name: tool,
    tool_input: input,
    tool_response: response,
    tool_use_id: 'toolu_01',
    duration_ms: 85,
  };
}

export function bash(stdout: string, more: object = {}): object {
  return { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false, ...more };
}

/** What Claude Code is told to show instead; fails unless it is told something. */
export async function claudeShown<T>(
  workspace: Workspace,
  tool: string,
  input: object,
  response: unknown,
  ...flags: string[]
): Promise<T> {
  const ran = await hooked(workspace, 'claude-code', claudeCall(workspace, tool, input, response), ...flags);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const { hookSpecificOutput, ...rest } = JSON.parse(ran.stdout);
  expect([rest, hookSpecificOutput.hookEventName]).toEqual([{}, 'PostToolUse']);
  return hookSpecificOutput.updatedToolOutput;
}

export function hooked(
  workspace: Workspace,
  agent: string,
  call: object | string | Uint8Array,
  ...flags: string[]
): Promise<Ran> {
  const input = typeof call === 'string' || call instanceof Uint8Array ? call : JSON.stringify(call);
  return workspace.run(['hook', agent, ...flags], { input });
}

/** The original result passes: nothing is answered, and nothing is said. */
export const PASSED = { code: 0, stdout: '', stderr: '' };

/** What Copilot CLI 1.0 shows of a result that it kept: its size, its file, its first 500 chars. */
export function copilotPreview(file: string, text: string): string {
  return `Output too large to read at once (516.5 KB). Saved to: ${file}\nConsider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output.\n\nPreview (first 500 chars):\n${text.slice(0, 500)}\n<shellId: 0 completed with exit code 3>`;
}

/** What pi 0.87 shows of a command that failed: the end of what it kept, its file, the exit code. */
export function piPreview(file: string, text: string): string {
  return `${text.slice(-5_000).trimEnd()}\n\n[Showing lines 2501-3000 of 3000 (50.0KB limit). Full output: ${file}]\n\nCommand exited with code 3`;
}

/** Names as both agents give them to files in the temporary folder. */
export const COPILOT_FILE = '1794883074796-copilot-tool-output-6048-84d01978-909a-4b01-899f-9494abe22070.txt';
export const PI_FILE = 'pi-bash-0123456789abcdef.log';

/** A result as pi tells its extensions of it. */
export function piResult(text: string): PiToolResult {
  return {
    toolName: 'bash',
    toolCallId: 'toolu_0',
    input: { command: 'make' },
    content: [{ type: 'text', text }],
  };
}

type PiHandler = (result: PiToolResult, context: PiContext) => Promise<Fields | undefined>;

/** What our extension registers with pi. */
export function piHandler(program: readonly string[]): PiHandler {
  let handler: PiHandler | undefined;
  pi(program)({
    on(_event, given) {
      handler = given;
    },
  });
  if (handler === undefined) throw new Error('nothing was registered');
  return handler;
}
