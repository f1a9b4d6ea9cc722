/** The agents that have a hook, by name; each is loaded when it is asked for. */
import type { HookAgent } from './hook-agent.ts';

export const HOOK_AGENTS: Readonly<Record<string, () => Promise<HookAgent>>> = {
  'claude-code': async () => (await import('./claude-code.ts')).claudeCode,
  gemini: async () => (await import('./gemini.ts')).gemini,
  codex: async () => (await import('./codex.ts')).codex,
  copilot: async () => (await import('./copilot.ts')).copilot,
  cursor: async () => (await import('./cursor.ts')).cursor,
  opencode: async () => (await import('./plugin-call.ts')).opencode,
  pi: async () => (await import('./plugin-call.ts')).pi,
};
