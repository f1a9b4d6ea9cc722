/**
 * The commands of the program: names and summaries here, everything else in the command's own file,
 * which is loaded when it is run or its help is asked for. To add a command: a file that exports
 * `details` and `run` (or, in a group, an object with both under its name), and a line here.
 */
import { type Command, type CommandEntry, type CommandSpec, NO_OPERANDS } from '../flags.ts';

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
  ...group(
    'sessions',
    async () => ({ ...(await import('./sessions.ts')), import: await import('./import.ts') }),
    {
      list: 'List the sessions of this workspace, the one seen last first.',
      show: 'Show one session and what it stored.',
      export:
        'Write a session with everything in it as JSON Lines, or its messages in the shape of a framework.',
      import: 'Take in a session that was exported, or the messages of a framework.',
      end: 'End a session: its handles no longer resolve, its plain copies go, the record stays.',
      delete: 'Remove a session with all it stored; it cannot be brought back.',
    },
  ),
  ...group('config', () => import('./config.ts'), {
    show: 'Show the settings in force, where each comes from, and the files they were read from.',
    get: 'Print the value of one setting, for every tool or for one.',
    explain: 'Show the settings of one tool: each with its value, its level and its source.',
    validate:
      'Check all files and variables with settings, or one file; name file, line and setting of what is wrong.',
    schema:
      'Print the JSON Schema of all files with settings; name it in the first line of a file for help in editors.',
    set: "Change a setting in the workspace's .acode/config.yml, or in your own file; comments and order stay.",
    unset: 'Take a setting out of a file; comments and order stay.',
  }),
  ...group('mcp', () => import('./mcp/install.ts'), {
    install: "Put the MCP servers of a client's configuration behind the gateway.",
    uninstall: "Take the servers of a client's configuration out from behind the gateway.",
  }),
  {
    name: 'mcp',
    summary: 'Put Spillway in front of an MCP server: speaks MCP on standard input and output.',
    load: () => import('./mcp/gateway.ts'),
  },
  ...group('hook', () => import('./hook/install.ts'), {
    install: "Put the hook into an agent's settings, so that its tools' results are stored and bounded.",
    uninstall: "Take the hook out of an agent's settings.",
  }),
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
  ...group('store', () => import('./store.ts'), {
    status: 'Show which store this workspace uses, and whether one is there that is not trusted.',
    trust: 'Check a store that was made elsewhere, and use it from now on.',
    copy: 'Copy everything of this workspace into another store, and compare it there.',
    verify: 'Read everything that is stored of this workspace, and compare it with its checksums.',
    migrate: 'Make the tables of a store, or bring them up to date.',
    vacuum: 'Remove what nothing in the store refers to any more, and give its room back.',
  }),
  {
    name: 'completion',
    summary: 'Print a script that completes commands, flags, handles and sessions in a shell.',
    load: () => import('./completion.ts'),
  },
];

/** All of every command: for the reference page, completion and the manual. */
export async function commandSpecs(): Promise<CommandSpec[]> {
  return Promise.all(
    COMMANDS.map(async ({ name, summary, load }) => ({
      name,
      summary,
      operands: NO_OPERANDS,
      ...(await load()).details,
    })),
  );
}

/** Commands that begin with the same word and share a file: what it exports, and their summaries. */
function group<Name extends string>(
  word: string,
  load: () => Promise<Readonly<Record<NoInfer<Name>, Command>>>,
  summaries: Readonly<Record<Name, string>>,
): CommandEntry[] {
  return (Object.keys(summaries) as Name[]).map((name) => ({
    name: `${word} ${name}`,
    summary: summaries[name],
    load: async () => (await load())[name],
  }));
}
