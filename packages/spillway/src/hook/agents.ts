/** The agents that have a hook, by name; each is loaded when it is asked for. */
import type { HookAgent } from './hook-agent.ts';

export const HOOK_AGENTS: Readonly<Record<string, () => Promise<HookAgent>>> = {
  'claude-code': async () => (await import('./claude-code.ts')).claudeCode,
};
