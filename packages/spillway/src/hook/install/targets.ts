/** Where each agent keeps its hooks, and how it writes them down. */
import { join } from 'node:path';
import { claudeFormat } from './formats.ts';
import type { HookFormat } from './hook-file.ts';

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
  readonly format: HookFormat;
  /** The file of each scope that the agent has. */
  readonly files: (folders: AgentFolders) => Readonly<Partial<Record<Scope, string>>>;
}

export const HOOK_TARGETS: Readonly<Record<string, HookTarget>> = {
  'claude-code': {
    title: 'Claude Code',
    format: claudeFormat,
    files: ({ home, project, env }) => ({
      user: join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
      project: join(project, '.claude', 'settings.json'),
      local: join(project, '.claude', 'settings.local.json'),
    }),
  },
};
