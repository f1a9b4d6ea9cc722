/**
 * Hooks as each agent writes them down. A matcher names the tools whose results can be replaced, so
 * that no other call waits for a hook.
 */
import type { HookFormat } from './hook-file.ts';
import { SHELL_PREFIX } from './shell-file.ts';

/** Agents end a hook after so long; it gives up by itself before. */
const TIMEOUT_SECONDS = 60;

export const claudeFormat: HookFormat = {
  agent: 'claude-code',
  path: ['hooks', 'PostToolUse'],
  command: 'command',
  group: 'hooks',
  shell: ['env', SHELL_PREFIX],
  entry: (command) => ({
    matcher: 'Bash|PowerShell|Read|Grep|Glob|WebFetch|mcp__.*',
    hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }],
  }),
};

export const geminiFormat: HookFormat = {
  agent: 'gemini',
  path: ['hooks', 'AfterTool'],
  command: 'command',
  group: 'hooks',
  entry: (command) => ({
    matcher: '*',
    hooks: [{ name: 'spillway', type: 'command', command, timeout: TIMEOUT_SECONDS * 1_000 }],
  }),
};

export const codexFormat: HookFormat = {
  agent: 'codex',
  path: ['hooks', 'PostToolUse'],
  command: 'command',
  group: 'hooks',
  entry: (command) => ({
    matcher: '^(Bash|mcp__.*)$',
    hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }],
  }),
};

export const copilotFormat: HookFormat = {
  agent: 'copilot',
  path: ['hooks', 'postToolUse'],
  base: { version: 1 },
  command: 'bash',
  entry: (command) => ({ type: 'command', bash: command, powershell: command, timeoutSec: TIMEOUT_SECONDS }),
};

export const cursorFormat: HookFormat = {
  agent: 'cursor',
  path: ['hooks', 'postToolUse'],
  base: { version: 1 },
  command: 'command',
  entry: (command) => ({ command, matcher: '^MCP:', timeout: TIMEOUT_SECONDS }),
};
