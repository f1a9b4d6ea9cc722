/** A hook as an agent runs it: a process with the documented JSON on its standard input. */
import { expect } from 'vitest';
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
