/**
 * The commands of the program by name. Each says everything about itself in its own file, which is
 * loaded when it is run or its help is asked for. To add a command: a file that exports `details`
 * and `run` (or, in a group, an object with both under its name), and its name here.
 */
import { type Command, type CommandEntry, type CommandSpec, NO_OPERANDS } from '../flags.ts';

export const COMMANDS: readonly CommandEntry[] = [
  { name: 'truncate', load: () => import('./truncate.ts') },
  { name: 'exec', load: () => import('./exec.ts') },
  { name: 'artifacts list', load: () => import('./artifacts/list.ts') },
  { name: 'artifacts show', load: () => import('./artifacts/show.ts') },
  { name: 'artifacts grep', load: () => import('./artifacts/grep.ts') },
  { name: 'artifacts export', load: () => import('./artifacts/export.ts') },
  { name: 'artifacts clean', load: () => import('./artifacts/clean.ts') },
  ...group('sessions', () => import('./sessions.ts'), ['list', 'show', 'export', 'import', 'end', 'delete']),
  ...group('config', () => import('./config.ts'), [
    'show',
    'get',
    'explain',
    'validate',
    'schema',
    'set',
    'unset',
  ]),
  ...group('mcp', () => import('./mcp/install.ts'), ['install', 'uninstall']),
  { name: 'mcp', load: () => import('./mcp/gateway.ts') },
  ...group('hook', () => import('./hook/install.ts'), ['install', 'uninstall']),
  { name: 'hook try', load: () => import('./hook/try.ts') },
  { name: 'hook shell', load: () => import('./hook/shell.ts') },
  { name: 'hook', load: () => import('./hook/hook.ts') },
  { name: 'serve', load: () => import('./serve.ts') },
  { name: 'inspect', load: () => import('./inspect.ts') },
  { name: 'stats', load: () => import('./stats.ts') },
  { name: 'discover', load: () => import('./discover.ts') },
  { name: 'doctor', load: () => import('./doctor.ts') },
  ...group('store', () => import('./store.ts'), ['status', 'trust', 'copy', 'verify', 'migrate', 'vacuum']),
  { name: 'completion', load: () => import('./completion.ts') },
];

/** Commands with all they take: for help, completion, the reference page and the manual. */
export async function commandSpecs(commands: readonly CommandEntry[] = COMMANDS): Promise<CommandSpec[]> {
  return Promise.all(
    commands.map(async ({ name, load }) => ({ name, operands: NO_OPERANDS, ...(await load()).details })),
  );
}

/** Commands that begin with the same word and share a file. */
function group<Name extends string>(
  word: string,
  load: () => Promise<Readonly<Record<NoInfer<Name>, Command>>>,
  names: readonly Name[],
): CommandEntry[] {
  return names.map((name) => ({ name: `${word} ${name}`, load: async () => (await load())[name] }));
}
