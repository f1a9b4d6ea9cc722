// The environment variables that the packages read: one table for the manual page and for
// docs/reference/environment.md. `variableProblems` compares it with the sources, in both
// directions.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Groups in the order of the page; `manual` marks those that the manual page has too. */
export const VARIABLE_GROUPS = [
  {
    title: 'Where outputs are stored',
    manual: true,
    variables: {
      SPILLWAY_STORE:
        'The folder of the store, in place of .acode/artifacts in the workspace; or the address of a PostgreSQL server, postgres://USER@HOST/DATABASE.',
      SPILLWAY_WORKSPACE: 'On a server: the name of the workspace. Default: the git remote origin.',
      SPILLWAY_TENANT: 'On a server: whose workspace it is. Default: none.',
      SPILLWAY_PASSWORD_FILE: 'The file with the password of the server.',
      SPILLWAY_SAFE_WORKSPACES:
        'Workspaces that are believed although another account owns them: folders, separated as in PATH, or *.',
    },
  },
  {
    title: 'Settings',
    manual: true,
    variables: {
      'TRUNCATION_*':
        'Any setting or its alias in upper case, e.g. TRUNCATION_INLINE_LIMIT=4000; see spillway config show.',
    },
  },
  {
    title: 'What is shown on a terminal',
    manual: true,
    variables: {
      NO_COLOR: 'No colours, if it is not empty.',
      SPILLWAY_PROGRESS: 'off: no progress on the terminal; now: from the first moment on.',
      TERM: 'dumb: no colours and no progress.',
    },
  },
  {
    title: 'Logs, metrics and servers',
    manual: true,
    variables: {
      SPILLWAY_LOG:
        'Writes a line of JSON for each event to standard error, from this level on: info for what happens, warn for what could not be stored.',
      SPILLWAY_LOG_FILE: 'Writes these lines to this file instead.',
      SPILLWAY_METRICS_PORT:
        'mcp and serve: the port to serve metrics on for Prometheus. 0: any that is free.',
      SPILLWAY_METRICS_HOST: 'The address to serve metrics on. Default: 127.0.0.1.',
      SPILLWAY_TOKEN:
        'serve: the bearer token that clients must send. It is not passed on to upstream servers.',
    },
  },
  {
    title: 'Folders',
    manual: true,
    variables: {
      XDG_CONFIG_HOME: 'Where settings of your own are: spillway/config.yml. Default: ~/.config.',
      XDG_DATA_HOME:
        'Where the marks of your stores are, and outputs of workspaces whose store is not used. Default: ~/.local/share.',
      XDG_CACHE_HOME: 'Where compiled code is kept between runs, if the folder is there. Default: ~/.cache.',
      HOME: 'The folder that ~ stands for in this table.',
      TMPDIR: 'Where marks and stores are kept if neither home nor data folder can be written.',
      LOCALAPPDATA: 'On Windows: where compiled code is kept.',
      APPDATA: 'On Windows: where mcp install finds the file of Claude Desktop.',
    },
  },
  {
    title: 'Of other programs',
    variables: {
      CLAUDE_CONFIG_DIR: 'Where hook install finds the settings of Claude Code. Default: ~/.claude.',
      CLAUDE_CODE_SESSION_ID: 'The session of Claude Code in which a command has failed.',
      SHELL: 'The login shell, in which hook install looks for spillway.',
      CODEX_HOME: 'Where it finds those of Codex. Default: ~/.codex.',
      COPILOT_HOME: 'Where it finds those of Copilot CLI. Default: ~/.copilot.',
      PI_CODING_AGENT_DIR: 'Where it puts the extension of pi. Default: ~/.pi/agent.',
      PATH: 'Where exec finds commands, and where an installed spillway is looked for.',
      SUDO_UID: 'Under sudo: the account whose workspace settings apply.',
      NODE_ENV:
        'production: a broken promise of the history is counted; otherwise it is thrown (see [history](../history.md)).',
      SSH_CONNECTION: 'As SSH_CLIENT, SSH_TTY and CI: if it is set, inspect opens no browser.',
    },
  },
];

/** What the sources read and the table lacks, and what the table has and nobody reads. */
export function variableProblems() {
  const text = sourceText();
  const read = new Set([
    ...[...text.matchAll(/\benv\.([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name),
    ...[...text.matchAll(/\{([^{}]*)\} = (?:process\.)?env\b/g)].flatMap(([, names]) =>
      [...names.matchAll(/(?:^|,)\s*([A-Z][A-Z0-9_]+)/g)].map(([, name]) => name),
    ),
    ...[...text.matchAll(/\bSPILLWAY_[A-Z_]+\b/g)].map(([name]) => name),
  ]);
  const listed = new Set(VARIABLE_GROUPS.flatMap(({ variables }) => Object.keys(variables)));
  return [
    ...[...read].filter((name) => !listed.has(name)).map((name) => `${name} is read and not listed`),
    ...[...listed]
      .filter((name) => !text.includes(name.replace(/\*$/, '')))
      .map((name) => `${name} is listed and not read`),
  ].map((problem) => `scripts/variables.mjs: ${problem}`);
}

function sourceText() {
  return ['core/src', 'spillway/src', 'spillway/bin']
    .flatMap((folder) =>
      readdirSync(join(root, 'packages', folder), { recursive: true, withFileTypes: true }),
    )
    .filter((entry) => entry.isFile() && /\.(?:ts|js)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}
