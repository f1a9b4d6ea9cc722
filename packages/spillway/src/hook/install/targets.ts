/** Where each agent keeps its hooks, and how it writes them down. */
import { join } from 'node:path';
import { type HookFormat, type PluginFormat, SHELL_PREFIX } from './hook-file.ts';

export interface AgentFolders {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whose settings: the user's, those that a project shares, or the user's own for a project. */
export const SCOPES = ['user', 'project', 'local'] as const;
export type Scope = (typeof SCOPES)[number];

export interface HookTarget {
  readonly title: string;
  /** A hook among an agent's settings, or a file of its own that the agent loads. */
  readonly format: HookFormat | PluginFormat;
  /** Its folder below the home, and the variable that names another one. */
  readonly own: readonly [folder: string, variable?: string];
  /** Its file for each scope: the user's below that folder, all others below the project. */
  readonly files: Readonly<Partial<Record<Scope, string>> & Record<'user', string>>;
  /** Set where the agent runs commands in a login shell, which may set its own path. */
  readonly loginShell?: true;
  /** What a person has to do or to know besides. */
  readonly note?: string;
}

// A matcher names the tools whose results can be replaced, so that no other call waits for a hook.

/** Agents end a hook after so long; it gives up by itself before. */
const TIMEOUT_SECONDS = 60;

/** Hooks of Claude Code, and of agents that took its form over. */
function grouped(agent: string, event: string, matcher: string): HookFormat {
  return {
    agent,
    path: ['hooks', event],
    command: 'command',
    group: 'hooks',
    entry: (command) => ({ matcher, hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }] }),
  };
}

export const HOOK_TARGETS: Readonly<Record<string, HookTarget>> = {
  'claude-code': {
    title: 'Claude Code',
    format: {
      ...grouped('claude-code', 'PostToolUse', 'Bash|PowerShell|Read|Grep|Glob|WebFetch|mcp__.*'),
      shell: ['env', SHELL_PREFIX],
    },
    own: ['.claude', 'CLAUDE_CONFIG_DIR'],
    files: {
      user: 'settings.json',
      project: '.claude/settings.json',
      local: '.claude/settings.local.json',
    },
  },
  gemini: {
    title: 'Gemini CLI',
    format: {
      ...grouped('gemini', 'AfterTool', '*'),
      entry: (command) => ({
        matcher: '*',
        hooks: [{ name: 'spillway', type: 'command', command, timeout: TIMEOUT_SECONDS * 1_000 }],
      }),
    },
    own: ['.gemini'],
    files: { user: 'settings.json', project: '.gemini/settings.json' },
  },
  codex: {
    title: 'Codex',
    format: grouped('codex', 'PostToolUse', '^(Bash|mcp__.*)$'),
    own: ['.codex', 'CODEX_HOME'],
    files: { user: 'hooks.json', project: '.codex/hooks.json' },
    loginShell: true,
    note: 'Codex runs a hook once you trust it: enter /hooks there. Results that scripts of the model read (code mode) are stored and stay as they are; put MCP servers behind `spillway mcp install`.',
  },
  copilot: {
    title: 'Copilot CLI',
    format: {
      agent: 'copilot',
      path: ['hooks', 'postToolUse'],
      base: { version: 1 },
      command: 'bash',
      entry: (command) => ({
        type: 'command',
        bash: command,
        powershell: command,
        timeoutSec: TIMEOUT_SECONDS,
      }),
    },
    own: ['.copilot', 'COPILOT_HOME'],
    files: { user: 'hooks/spillway.json', project: '.github/hooks/spillway.json' },
  },
  cursor: {
    title: 'Cursor',
    format: {
      agent: 'cursor',
      path: ['hooks', 'postToolUse'],
      base: { version: 1 },
      command: 'command',
      entry: (command) => ({ command, matcher: '^MCP:', timeout: TIMEOUT_SECONDS }),
    },
    own: ['.cursor'],
    files: { user: 'hooks.json', project: '.cursor/hooks.json' },
    note: 'In Cursor a hook can replace results of MCP tools only.',
  },
  opencode: {
    title: 'opencode',
    format: {
      agent: 'opencode',
      lines: (from, program) => [
        'export const Spillway = async (context) => {',
        `  const { spillway } = await import(${from}).catch(() => ({}));`,
        `  return spillway === undefined ? {} : spillway(${program})(context);`,
        '};',
      ],
    },
    own: ['.config', 'XDG_CONFIG_HOME'],
    files: { user: 'opencode/plugin/spillway.js', project: '.opencode/plugin/spillway.js' },
  },
  pi: {
    title: 'pi',
    format: {
      agent: 'pi',
      lines: (from, program) => [
        'export default async (pi) => {',
        `  const { spillway } = await import(${from}).catch(() => ({}));`,
        `  if (spillway !== undefined) spillway(${program})(pi);`,
        '};',
      ],
    },
    own: ['.pi/agent', 'PI_CODING_AGENT_DIR'],
    files: { user: 'extensions/spillway.js', project: '.pi/extensions/spillway.js' },
  },
};

export function filesOf(
  { own: [folder, variable = ''], files }: HookTarget,
  { home, project, env }: AgentFolders,
): Readonly<Partial<Record<Scope, string>>> {
  const below = (scope: string) => (scope === 'user' ? env[variable] || join(home, folder) : project);
  return Object.fromEntries(Object.entries(files).map(([scope, file]) => [scope, join(below(scope), file)]));
}
