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

interface RemoteFormat {
  /** The members that hold a URL; the last is written for the former transport (SSE). */
  readonly url: readonly string[];
  readonly headers: string;
  /** What the member `type` says of a process, and of a server by its transport; without it, none. */
  readonly type?: { readonly process: string; readonly http: string; readonly sse: string };
}

const WITH_TYPE: RemoteFormat = {
  url: ['url'],
  headers: 'headers',
  type: { process: 'stdio', http: 'http', sse: 'sse' },
};
const WITHOUT_TYPE: RemoteFormat = { url: ['url'], headers: 'headers' };

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
  /** The member with the variables of a process. Default: `env`. */
  readonly env?: string;
  /** How a server is written that is reached by a URL. */
  readonly remote: RemoteFormat;
  /** Whether the model writes programs that read results: these are then not cut. */
  readonly runsPrograms?: boolean;
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
    remote: WITH_TYPE,
    files: ({ home, project }) => [join(project, '.mcp.json'), join(home, '.claude.json')],
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    remote: WITH_TYPE,
    files: (folders) => [join(appFolder(folders), 'Claude', 'claude_desktop_config.json')],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    remote: WITHOUT_TYPE,
    files: ({ home, project }) => [join(project, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    key: 'servers',
    command: 'apart',
    remote: WITH_TYPE,
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
    remote: { url: ['url'], headers: 'http_headers' },
    runsPrograms: true,
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
    remote: { url: ['httpUrl', 'url'], headers: 'headers' },
    files: ({ home, project }) => [
      join(project, '.gemini', 'settings.json'),
      join(home, '.gemini', 'settings.json'),
    ],
  },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    tools: 'tools',
    format: 'json',
    key: 'mcpServers',
    command: 'apart',
    remote: { url: ['url'], headers: 'headers', type: { process: 'local', http: 'http', sse: 'sse' } },
    files: ({ home }) => [join(home, '.copilot', 'mcp-config.json')],
  },
  {
    name: 'opencode',
    title: 'opencode',
    format: 'json',
    key: 'mcp',
    command: 'list',
    env: 'environment',
    remote: { url: ['url'], headers: 'headers', type: { process: 'local', http: 'remote', sse: 'remote' } },
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
