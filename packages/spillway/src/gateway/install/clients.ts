/**
 * Where clients keep their server lists, and in which form. A client may have a file of the project
 * and one of the user.
 */
import { join } from 'node:path';

export interface ClientFolders {
  readonly home: string;
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
  readonly key: string;
  /** How an entry of a process is written: command and arguments apart, or as one list. */
  readonly command: 'apart' | 'list';
  /** The member that lists the only tools which are offered to a model, if there is such. */
  readonly tools?: string;
  /** The member with the variables of a process. Default: `env`. */
  readonly env?: string;
  readonly remote: RemoteFormat;
  /** Whether the model writes programs that read results: these are then not cut. */
  readonly runsPrograms?: boolean;
  /** Where servers of this project alone stand in the user's file, if it has such. */
  readonly inside?: (folders: ClientFolders) => readonly string[];
  readonly files: (folders: ClientFolders) => readonly string[];
}

const JSON_FILE = { format: 'json', key: 'mcpServers', command: 'apart', remote: WITH_TYPE } as const;

export const CLIENTS: readonly ClientFormat[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    ...JSON_FILE,
    inside: ({ project }) => ['projects', project, 'mcpServers'],
    files: ({ home, project }) => [join(project, '.mcp.json'), join(home, '.claude.json')],
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    ...JSON_FILE,
    files: (folders) => [join(appFolder(folders), 'Claude', 'claude_desktop_config.json')],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    ...JSON_FILE,
    remote: WITHOUT_TYPE,
    files: inBoth('.cursor', 'mcp.json'),
  },
  {
    name: 'vscode',
    title: 'VS Code',
    ...JSON_FILE,
    key: 'servers',
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
    files: inBoth('.codex', 'config.toml'),
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    tools: 'includeTools',
    ...JSON_FILE,
    remote: { url: ['httpUrl', 'url'], headers: 'headers' },
    files: inBoth('.gemini', 'settings.json'),
  },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    tools: 'tools',
    ...JSON_FILE,
    remote: { url: ['url'], headers: 'headers', type: { process: 'local', http: 'http', sse: 'sse' } },
    files: ({ home }) => [join(home, '.copilot', 'mcp-config.json')],
  },
  {
    name: 'opencode',
    title: 'opencode',
    ...JSON_FILE,
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

function inBoth(...path: string[]): ClientFormat['files'] {
  return ({ home, project }) => [project, home].map((folder) => join(folder, ...path));
}

function appFolder({ home, platform, appData }: ClientFolders): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return platform === 'win32' ? (appData ?? join(home, 'AppData', 'Roaming')) : join(home, '.config');
}
