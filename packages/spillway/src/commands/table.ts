/**
 * The commands of the program: names and summaries here, everything else in the command's own file,
 * which is loaded when it is run or its help is asked for. To add a command: a file that exports
 * `details` and `run`, and a line here.
 */
import type { CommandEntry, CommandSpec } from '../flags.ts';

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'truncate',
    summary: 'Store a text and print what a model should read of it.',
    whenRefused: 'Nothing was read or stored.',
    load: () => import('./truncate.ts'),
  },
  {
    name: 'exec',
    summary: 'Run a command, store all it says and print what a model should read of it.',
    whenRefused: 'Nothing was run or stored.',
    load: () => import('./exec.ts'),
  },
  {
    name: 'artifacts list',
    summary: 'List stored outputs whose handle was told to a model.',
    load: () => import('./artifacts/list.ts'),
  },
  {
    name: 'artifacts show',
    summary: 'Print a page of a stored output; where to go on is told on standard error.',
    load: () => import('./artifacts/show.ts'),
  },
  {
    name: 'artifacts grep',
    summary: 'Search stored outputs, or one of them, for lines that match a pattern (RE2 syntax).',
    load: () => import('./artifacts/grep.ts'),
  },
  {
    name: 'artifacts export',
    summary: 'Write stored outputs to files: records, parts byte for byte, and what the model was shown.',
    load: () => import('./artifacts/export.ts'),
  },
  {
    name: 'artifacts clean',
    summary:
      'Retire the handles of this workspace and remove its plain copies; the record stays unless purged.',
    load: () => import('./artifacts/clean.ts'),
  },
  {
    name: 'sessions list',
    summary: 'List the sessions of this workspace, the one seen last first.',
    load: async () => (await import('./sessions.ts')).list,
  },
  {
    name: 'sessions show',
    summary: 'Show one session and what it stored.',
    load: async () => (await import('./sessions.ts')).show,
  },
  {
    name: 'sessions export',
    summary:
      'Write a session with everything in it as JSON Lines, or its messages in the shape of a framework.',
    load: async () => (await import('./sessions.ts')).exported,
  },
  {
    name: 'sessions import',
    summary: 'Take in a session that was exported, or the messages of a framework.',
    load: () => import('./import.ts'),
  },
  {
    name: 'sessions end',
    summary: 'End a session: its handles no longer resolve, its plain copies go, the record stays.',
    load: async () => (await import('./sessions.ts')).end,
  },
  {
    name: 'sessions delete',
    summary: 'Remove a session with all it stored; it cannot be brought back.',
    load: async () => (await import('./sessions.ts')).remove,
  },
  {
    name: 'config show',
    summary: 'Show the settings in force, where each comes from, and the files they were read from.',
    load: async () => (await import('./config.ts')).show,
  },
  {
    name: 'config get',
    summary: 'Print the value of one setting, for every tool or for one.',
    load: async () => (await import('./config.ts')).get,
  },
  {
    name: 'config explain',
    summary: 'Show the settings of one tool: each with its value, its level and its source.',
    load: async () => (await import('./config.ts')).explain,
  },
  {
    name: 'config validate',
    summary:
      'Check all files and variables with settings, or one file; name file, line and setting of what is wrong.',
    load: async () => (await import('./config.ts')).validate,
  },
  {
    name: 'config schema',
    summary:
      'Print the JSON Schema of all files with settings; name it in the first line of a file for help in editors.',
    load: async () => (await import('./config.ts')).schema,
  },
  {
    name: 'config set',
    summary:
      "Change a setting in the workspace's .acode/config.yml, or in your own file; comments and order stay.",
    load: async () => (await import('./config.ts')).set,
  },
  {
    name: 'config unset',
    summary: 'Take a setting out of a file; comments and order stay.',
    load: async () => (await import('./config.ts')).unset,
  },
  {
    name: 'mcp install',
    summary: "Put the MCP servers of a client's configuration behind the gateway.",
    load: async () => (await import('./mcp/install.ts')).install,
  },
  {
    name: 'mcp uninstall',
    summary: "Take the servers of a client's configuration out from behind the gateway.",
    load: async () => (await import('./mcp/install.ts')).uninstall,
  },
  {
    name: 'mcp',
    summary: 'Put Spillway in front of an MCP server: speaks MCP on standard input and output.',
    load: () => import('./mcp/gateway.ts'),
  },
  {
    name: 'hook install',
    summary: "Put the hook into an agent's settings, so that its tools' results are stored and bounded.",
    load: async () => (await import('./hook/install.ts')).install,
  },
  {
    name: 'hook uninstall',
    summary: "Take the hook out of an agent's settings.",
    load: async () => (await import('./hook/install.ts')).uninstall,
  },
  {
    name: 'hook try',
    summary:
      "Feed documented JSON through the hook that is in an agent's settings, and say what would happen.",
    load: () => import('./hook/try.ts'),
  },
  {
    name: 'hook shell',
    summary: 'Store what a command of Claude Code printed that failed, and leave what the model should read.',
    load: () => import('./hook/shell.ts'),
  },
  {
    name: 'hook',
    summary:
      'Answer the hook of an agent: store what a tool returned, and say what the model should read of it.',
    codeWhenRefused: 1,
    load: () => import('./hook/hook.ts'),
  },
  {
    name: 'serve',
    summary: 'Offer the gateway in front of an MCP server over HTTP, and the inspector, on this machine.',
    load: () => import('./serve.ts'),
  },
  {
    name: 'inspect',
    summary: 'Show in a browser what models were given of each output, and what they were not.',
    load: () => import('./inspect.ts'),
  },
  {
    name: 'stats',
    summary:
      'Show what was cut, saved, fetched again and perhaps lost, by tool, and which limit would be better.',
    load: () => import('./stats.ts'),
  },
  {
    name: 'discover',
    summary:
      'Read the histories that agents keep on this machine, and say what they missed and what it cost.',
    load: () => import('./discover.ts'),
  },
  {
    name: 'doctor',
    summary:
      'Check the installation: what is configured and where, whether the store is healthy, and how to fix it.',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'store status',
    summary: 'Show which store this workspace uses, and whether one is there that is not trusted.',
    load: async () => (await import('./store.ts')).status,
  },
  {
    name: 'store trust',
    summary: 'Check a store that was made elsewhere, and use it from now on.',
    load: async () => (await import('./store.ts')).trust,
  },
  {
    name: 'store copy',
    summary: 'Copy everything of this workspace into another store, and compare it there.',
    load: async () => (await import('./store.ts')).copy,
  },
  {
    name: 'store verify',
    summary: 'Read everything that is stored of this workspace, and compare it with its checksums.',
    load: async () => (await import('./store.ts')).verify,
  },
  {
    name: 'store migrate',
    summary: 'Make the tables of a store, or bring them up to date.',
    load: async () => (await import('./store.ts')).migrate,
  },
  {
    name: 'store vacuum',
    summary: 'Remove what nothing in the store refers to any more, and give its room back.',
    load: async () => (await import('./store.ts')).vacuum,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands, flags, handles and sessions in a shell.',
    load: () => import('./completion.ts'),
  },
];

/** All of every command: for the reference page, completion and the manual. */
export async function commandSpecs(): Promise<CommandSpec[]> {
  return Promise.all(
    COMMANDS.map(async ({ name, summary, load }) => ({ name, summary, ...(await load()).details })),
  );
}
