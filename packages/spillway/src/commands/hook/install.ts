/** `spillway hook install` and `uninstall`: the hook in an agent's settings. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { type Command, type Flag, type Given, JSON_FLAG, oneOf, usageError } from '../../flags.ts';
import { type FileChange, installation, removal } from '../../hook/install/change.ts';
import { isShellFile } from '../../hook/install/shell-file.ts';
import {
  type AgentFolders,
  HOOK_TARGETS,
  type HookTarget,
  SCOPES,
  type Scope,
} from '../../hook/install/targets.ts';
import { makeFolder } from '../../named-file.ts';
import { answer } from '../../output.ts';
import { isOnLoginPath, neededByOthers, ownProgram } from '../../own-program.ts';
import { removeEmptyFolders, replaceFile, restoreFile } from '../../replaced-file.ts';
import { shellWord } from '../command-hint.ts';

export const AGENT_FLAG: Flag = {
  name: 'agent',
  value: 'NAME',
  choices: {
    title: 'Agents',
    list: () => Object.entries(HOOK_TARGETS).map(([name, { title, note }]) => [name, note ?? `${title}.`]),
  },
  doc: 'Which agent.',
};

const AGENT_FILE_FLAGS: readonly Flag[] = [
  AGENT_FLAG,
  {
    name: 'scope',
    value: 'SCOPE',
    doc: 'Whose settings: user (yours, the default), project (shared with it), local (yours for the project).',
  },
  { name: 'dry-run', doc: 'Show what would change, and change nothing.' },
  JSON_FLAG,
];

/** Puts the hook into an agent's settings. */
export const install: Command = {
  details: {
    flags: [
      ...AGENT_FILE_FLAGS,
      {
        name: 'tool-name',
        value: 'NAME',
        doc: 'The tool with which the model fetches more, if the agent has one, as mcp__github__get_artifact.',
      },
    ],
    examples: [
      'spillway hook install --agent claude-code --dry-run',
      'spillway hook install --agent claude-code --scope project',
    ],
  },
  async run(given) {
    const { target, file, scope } = agentFileOf(given, 'hook install');
    const use = scope === 'project' ? 'shared' : 'here';
    const named = ownProgram(use);
    const byPath = use === 'here' && target.loginShell === true && !isOnLoginPath(process.env);
    const program = byPath ? ownProgram('by path') : named;
    const tool = given.value('tool-name');
    if (tool !== undefined && 'lines' in target.format)
      throw usageError(`The plugin for ${target.title} takes no --tool-name.`, 'hook install');
    const words = [...program, 'hook', target.format.agent, ...(byPath ? ['--by-path'] : [])];
    const command = [...words, ...(tool === undefined ? [] : ['--tool-name', tool])].map(shellWord).join(' ');
    // One of another scope would be gone when the first of them is uninstalled.
    const shell =
      scope === 'user' && process.platform === 'linux' ? target.shell?.(foldersHere()) : undefined;
    const line = { program, command, use, ...(shell === undefined ? {} : { shell }) } as const;
    const change = installation(file, target, line);
    const isThere =
      isAs(file, change.text) &&
      (change.script === undefined || isAs(change.script.file, change.script.text));
    const done = carriedOut(given, file, isThere ? { ...change, removed: [], added: [] } : change);
    const { agent } = target.format;
    const isNew = done.changed && !done.dry_run;
    // A plugin is loaded from the project's own packages.
    const kind = 'lines' in target.format ? 'plugin' : 'program';
    const notes = [
      ...(use === 'shared' ? [`${neededByOthers(program, kind)}.`] : []),
      ...(target.note === undefined ? [] : [target.note]),
    ];
    const sentences = [
      inWords(done, 'The hook is there already.'),
      isNew ? `  To check it: spillway hook try --agent ${agent}\n` : '',
      ...notes.map((note) => `  ${note}\n`),
    ].join('');
    await answer(given, { agent, ...done, note: notes.length === 0 ? null : notes.join(' ') }, sentences);
    return 0;
  },
};

/** What became of a file. */
interface DoneChange extends Pick<FileChange, 'removed' | 'added'> {
  readonly file: string;
  /** Whether it was written, or would be. */
  readonly changed: boolean;
  /** The copy of the former file, if there was one. */
  readonly backup: string | null;
  readonly dry_run: boolean;
}

function carriedOut(given: Given, file: string, change: FileChange): DoneChange {
  const { removed, added, script, text } = change;
  const changed = removed.length + added.length > 0;
  const done = { file, changed, removed, added, backup: null, dry_run: given.has('dry-run') };
  if (!changed || done.dry_run) return done;
  const { home } = foldersHere();
  if (added.length === 0) {
    restoreFile(file, text, home);
    if (script !== undefined) removeScript(script.file, home);
    return done;
  }
  // Settings that name a script come after it.
  if (script?.text) writeScript(script.file, script.text);
  return { ...done, backup: replaceFile(file, text ?? '', new Date()) };
}

function writeScript(file: string, text: string): void {
  makeFolder(dirname(file), 0o777);
  // One that runs now is read to its end as it was.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o755 });
}

function removeScript(file: string, home: string): void {
  if (!existsSync(file) || !isShellFile(readFileSync(file, 'utf8'))) return;
  rmSync(file);
  removeEmptyFolders(dirname(file), home);
}

function isAs(file: string, text: string | null): boolean {
  return existsSync(file) && text === readFileSync(file, 'utf8');
}

function inWords({ file, changed, removed, added, dry_run, backup }: DoneChange, unchanged: string): string {
  if (!changed) return `${file}\n  ${unchanged} Nothing to change.\n`;
  const lines = [
    file,
    ...removed.map((line) => `  - ${line}`),
    ...added.map((line) => `  + ${line}`),
    ...(dry_run ? ['  Nothing was changed (--dry-run).'] : []),
    ...(backup === null ? [] : [`  The former file is kept: ${backup}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Takes the hook out of an agent's settings. */
export const uninstall: Command = {
  details: {
    flags: AGENT_FILE_FLAGS,
    examples: [
      'spillway hook uninstall --agent claude-code --dry-run',
      'spillway hook uninstall --agent claude-code --scope project',
    ],
  },
  async run(given) {
    const { target, file } = agentFileOf(given, 'hook uninstall');
    const done = carriedOut(given, file, removal(file, target));
    const words = inWords(done, 'There is no hook of ours.');
    await answer(given, { agent: target.format.agent, ...done }, words);
    return 0;
  },
};

function agentFileOf(given: Given, command: string) {
  const target = agentIn(given, command);
  const scope = SCOPES.find((one) => one === (given.value('scope') ?? 'user'));
  const files = filesOf(target);
  const file = scope === undefined ? undefined : files[scope];
  if (scope === undefined || file === undefined)
    throw usageError(`--scope is one of ${Object.keys(files).join(', ')} for ${target.title}.`, command);
  return { target, file, scope };
}

export function agentIn(given: Given, command: string): HookTarget {
  const name = oneOf(Object.keys(HOOK_TARGETS), given.value('agent'), '--agent is one of', command);
  return HOOK_TARGETS[name] as HookTarget;
}

export function filesOf(target: HookTarget): Readonly<Partial<Record<Scope, string>>> {
  return target.files(foldersHere());
}

function foldersHere(): AgentFolders {
  return { home: process.env.HOME || homedir(), project: process.cwd(), env: process.env };
}
