/**
 * Hooks as each agent writes them down. A matcher names the tools whose results can be replaced, so
 * that no other call waits for a hook.
 */
import type { HookFormat } from './hook-file.ts';

/** Agents end a hook after so long; it gives up by itself before. */
const TIMEOUT_SECONDS = 60;

export const claudeFormat: HookFormat = {
  agent: 'claude-code',
  path: ['hooks', 'PostToolUse'],
  command: 'command',
  group: 'hooks',
  entry: (command) => ({
    matcher: 'Bash|PowerShell|Read|Grep|Glob|WebFetch|mcp__.*',
    hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }],
  }),
};
