/**
 * Where clients keep the servers they start, and how they write them down. A client may have a file
 * of the project and one of the user.
 */
import { join } from 'node:path';

export interface ClientFolders {
  readonly home: string;
  /** The folder of the project. */
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly appData: string | undefined;
}

export interface ClientFormat {
  readonly name: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Under which key the servers stand. */
  readonly key: string;
  /** How an entry of a process is written: command and arguments apart, or as one list. */
  readonly command: 'apart' | 'list';
  /** The member that lists the only tools which are offered to a model, if there is such. */
  readonly tools?: string;
  /** Where servers of this project alone stand in the user's file, if it has such. */
  readonly inside?: (folders: ClientFolders) => readonly string[];
  readonly files: (folders: ClientFolders) => readonly string[];
}

export const CLIENTS: readonly ClientFormat[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    inside: ({ project }) => ['projects', project, 'mcpServers'],
    files: ({ home, project }) => [join(project, '.mcp.json'), join(home, '.claude.json')],
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    files: (folders) => [join(appFolder(folders), 'Claude', 'claude_desktop_config.json')],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    files: ({ home, project }) => [join(project, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    key: 'servers',
    command: 'apart',
    files: (folders) => [
      join(folders.project, '.vscode', 'mcp.json'),
      join(appFolder(folders), 'Code', 'User', 'mcp.json'),
    ],
  },
  {
    name: 'codex',
    title: 'Codex',
    tools: 'enabled_tools',
    format: 'toml',
    key: 'mcp_servers',
    command: 'apart',
    files: ({ home, project }) => [
      join(project, '.codex', 'config.toml'),
      join(home, '.codex', 'config.toml'),
    ],
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    tools: 'includeTools',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    files: ({ home, project }) => [
      join(project, '.gemini', 'settings.json'),
      join(home, '.gemini', 'settings.json'),
    ],
  },
  {
    name: 'opencode',
    title: 'opencode',
    format: 'json',
    key: 'mcp',
    command: 'list',
    files: ({ home, project }) => [
      join(project, 'opencode.json'),
      join(project, 'opencode.jsonc'),
      join(home, '.config', 'opencode', 'opencode.json'),
      join(home, '.config', 'opencode', 'opencode.jsonc'),
    ],
  },
];

/** Where applications keep their settings. */
function appFolder({ home, platform, appData }: ClientFolders): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return platform === 'win32' ? (appData ?? join(home, 'AppData', 'Roaming')) : join(home, '.config');
}
