/** Where each agent keeps its hooks, and how it writes them down. */
import { join } from 'node:path';
import { claudeFormat, codexFormat, copilotFormat, cursorFormat, geminiFormat } from './formats.ts';
import type { HookFormat } from './hook-file.ts';
import { opencodePlugin, type PluginFormat, piPlugin } from './plugin-file.ts';
import { SHELL_FILE } from './shell-file.ts';

export interface AgentFolders {
  readonly home: string;
  /** The folder of the project. */
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
  /** The file of each scope that the agent has. */
  readonly files: (folders: AgentFolders) => Readonly<Partial<Record<Scope, string>>>;
  /** The script that commands run through; not for settings that others share. */
  readonly shell?: (folders: AgentFolders) => string;
  /** Set where the agent runs commands in a login shell, which may set its own path. */
  readonly loginShell?: true;
  /** What a person has to do or to know besides. */
  readonly note?: string;
}

export const HOOK_TARGETS: Readonly<Record<string, HookTarget>> = {
  'claude-code': {
    title: 'Claude Code',
    format: claudeFormat,
    files: ({ home, project, env }) => ({
      user: join(claudeFolder({ home, project, env }), 'settings.json'),
      project: join(project, '.claude', 'settings.json'),
      local: join(project, '.claude', 'settings.local.json'),
    }),
    shell: (folders) => join(claudeFolder(folders), SHELL_FILE),
  },
  gemini: {
    title: 'Gemini CLI',
    format: geminiFormat,
    files: ({ home, project }) => ({
      user: join(home, '.gemini', 'settings.json'),
      project: join(project, '.gemini', 'settings.json'),
    }),
  },
  codex: {
    title: 'Codex',
    format: codexFormat,
    files: ({ home, project, env }) => ({
      user: join(env.CODEX_HOME || join(home, '.codex'), 'hooks.json'),
      project: join(project, '.codex', 'hooks.json'),
    }),
    loginShell: true,
    note: 'Codex runs a hook once you trust it: enter /hooks there. Results that scripts of the model read (code mode) are stored and stay as they are; put MCP servers behind `spillway mcp install`.',
  },
  copilot: {
    title: 'Copilot CLI',
    format: copilotFormat,
    files: ({ home, project, env }) => ({
      user: join(env.COPILOT_HOME || join(home, '.copilot'), 'hooks', 'spillway.json'),
      project: join(project, '.github', 'hooks', 'spillway.json'),
    }),
  },
  cursor: {
    title: 'Cursor',
    format: cursorFormat,
    files: ({ home, project }) => ({
      user: join(home, '.cursor', 'hooks.json'),
      project: join(project, '.cursor', 'hooks.json'),
    }),
    note: 'In Cursor a hook can replace results of MCP tools only.',
  },
  opencode: {
    title: 'opencode',
    format: opencodePlugin,
    files: ({ home, project, env }) => ({
      user: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'plugin', 'spillway.js'),
      project: join(project, '.opencode', 'plugin', 'spillway.js'),
    }),
  },
  pi: {
    title: 'pi',
    format: piPlugin,
    files: ({ home, project, env }) => ({
      user: join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'extensions', 'spillway.js'),
      project: join(project, '.pi', 'extensions', 'spillway.js'),
    }),
  },
};

function claudeFolder({ home, env }: AgentFolders): string {
  return env.CLAUDE_CONFIG_DIR || join(home, '.claude');
}
