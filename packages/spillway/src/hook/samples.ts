/**
 * A call of each agent as its documentation has it, with a text of our own as the result, and what
 * its model would read of an answer. For `spillway hook try`, and for tests.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, isFields } from '../fields.ts';

export interface HookSample {
  /** The tool that is called, as the agent's matchers name it. */
  readonly tool: string;
  call(text: string, cwd: string): Fields;
  /** The text in an answer; undefined if the answer has another shape than the agent reads. */
  shown(answer: Fields): unknown;
}

export const HOOK_SAMPLES: Readonly<Record<string, HookSample>> = {
  'claude-code': {
    tool: 'Bash',
    call: (text, cwd) =>
      claudeCall(cwd, 'PostToolUse', 'Bash', {
        stdout: text,
        stderr: '',
        interrupted: false,
        isImage: false,
        noOutputExpected: false,
      }),
    shown: (answer) => inside(answer, 'hookSpecificOutput', 'updatedToolOutput', 'stdout'),
  },
  gemini: {
    tool: 'run_shell_command',
    call: (text, cwd) =>
      claudeCall(cwd, 'AfterTool', 'run_shell_command', { llmContent: text, returnDisplay: text }),
    shown(answer) {
      const file = inside(answer, 'hookSpecificOutput', 'tailToolCallRequest', 'args', 'file_path');
      return typeof file === 'string' ? readFileSync(file, 'utf8') : answer.reason;
    },
  },
  codex: {
    tool: 'Bash',
    call: (text, cwd) => claudeCall(cwd, 'PostToolUse', 'Bash', text),
    shown: (answer) => (answer.decision === 'block' ? answer.reason : undefined),
  },
  copilot: {
    tool: 'bash',
    call: (text, cwd) => ({
      sessionId: 'spillway-try',
      timestamp: 1_794_807_877_105,
      cwd,
      toolName: 'bash',
      toolArgs: { ...INPUT, mode: 'sync' },
      toolResult: { resultType: 'success', textResultForLlm: text },
    }),
    shown: (answer) => inside(answer, 'modifiedResult', 'textResultForLlm'),
  },
  cursor: {
    tool: 'MCP:list_issues',
    call: (text, cwd) => ({
      conversation_id: 'spillway-try',
      hook_event_name: 'postToolUse',
      workspace_roots: [cwd],
      tool_name: 'MCP:list_issues',
      tool_input: '{}',
      tool_output: JSON.stringify({ content: [{ type: 'text', text }] }),
      tool_use_id: 'call_0',
    }),
    shown: (answer) => blockTexts(inside(answer, 'updated_mcp_tool_output', 'content')),
  },
  opencode: {
    tool: 'bash',
    call: (text, cwd) => pluginCall(cwd, { output: text }),
    shown: ({ output }) => output,
  },
  pi: {
    tool: 'bash',
    call: (text, cwd) => pluginCall(cwd, { content: [{ type: 'text', text }] }),
    shown: ({ content }) => blockTexts(content),
  },
};

const INPUT = { command: 'make test', description: 'Run the tests' };

/** As Claude Code calls its hooks, and agents that took its form over. */
function claudeCall(cwd: string, event: string, tool: string, response: unknown): Fields {
  return {
    session_id: 'spillway-try',
    transcript_path: transcript(cwd),
    cwd,
    permission_mode: 'default',
    hook_event_name: event,
    tool_name: tool,
    tool_input: INPUT,
    tool_response: response,
    tool_use_id: 'call_0',
  };
}

/** How Codex writes down that a command has ended. */
const CODEX_ENDED = JSON.stringify({
  type: 'event_msg',
  payload: { type: 'item_completed', item: { type: 'CommandExecution', id: 'call_0', exit_code: 0 } },
});

/** A transcript where the agent would have it. */
function transcript(cwd: string): string {
  const folder = join(cwd, '.spillway-try', 'chats');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'session.jsonl'), `${CODEX_ENDED}\n`);
  return join(folder, 'session.jsonl');
}

function pluginCall(cwd: string, result: Fields): Fields {
  return { tool: 'bash', session: 'spillway-try', callId: 'call_0', cwd, input: INPUT, result };
}

function inside(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), value);
}

function blockTexts(blocks: unknown): unknown {
  if (!Array.isArray(blocks)) return undefined;
  return blocks.map((block) => (isFields(block) ? block.text : undefined)).join('');
}
