/** `spillway hook install` and `uninstall`: the hook in an agent's settings. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Command, type Flag, type Given, JSON_FLAG, oneOf, usageError } from '../../flags.ts';
import { type FileChange, installation, removal } from '../../hook/install/change.ts';
import { isShellFile, SHELL_FILE } from '../../hook/install/hook-file.ts';
import {
  type AgentFolders,
  filesOf,
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

export const install: Command = {
  details: {
    summary: "Put the hook into an agent's settings, so that its tools' results are stored and bounded.",
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
    const { format, note } = target;
    const use = scope === 'project' ? 'shared' : 'here';
    const byPath = use === 'here' && target.loginShell === true && !isOnLoginPath(process.env);
    const program = ownProgram(byPath ? 'by path' : use);
    const tool = given.value('tool-name');
    // A plugin is loaded from the project's own packages.
    const kind = 'lines' in format ? 'plugin' : 'program';
    if (tool !== undefined && kind === 'plugin')
      throw usageError(`The plugin for ${target.title} takes no --tool-name.`, 'hook install');
    const flags = [...(byPath ? ['--by-path'] : []), ...(tool === undefined ? [] : ['--tool-name', tool])];
    const command = [...program, 'hook', format.agent, ...flags].map(shellWord).join(' ');
    // One of another scope would be gone when the first of them is uninstalled.
    const hasShell = 'shell' in format && scope === 'user' && process.platform === 'linux';
    const shell = hasShell ? { shell: join(dirname(file), SHELL_FILE) } : {};
    const change = installation(file, target, { program, command, use, ...shell });
    const isThere = [{ file, text: change.text }, change.script].every(
      (one) => one === undefined || (existsSync(one.file) && one.text === readFileSync(one.file, 'utf8')),
    );
    const done = carriedOut(given, file, isThere ? { ...change, removed: [], added: [] } : change);
    const notes = [
      ...(use === 'shared' ? [`${neededByOthers(program, kind)}.`] : []),
      ...(note === undefined ? [] : [note]),
    ];
    const sentences = [
      inWords(done, 'The hook is there already.'),
      restartNote(done, target),
      done.changed && !done.dry_run ? `  To check it: spillway hook try --agent ${format.agent}\n` : '',
      ...notes.map((one) => `  ${one}\n`),
    ].join('');
    const facts = { agent: format.agent, ...done, note: notes.length === 0 ? null : notes.join(' ') };
    await answer(given, facts, sentences);
  },
};

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
  if (added.length === 0) restoreFile(file, text, home);
  if (script !== undefined) changeScript(script.file, script.text, home);
  // Settings that name a script come after it.
  return added.length === 0 ? done : { ...done, backup: replaceFile(file, text ?? '', new Date()) };
}

function changeScript(file: string, text: string | null, home: string): void {
  if (text === null) {
    if (!existsSync(file) || !isShellFile(readFileSync(file, 'utf8'))) return;
    rmSync(file);
    removeEmptyFolders(dirname(file), home);
    return;
  }
  makeFolder(dirname(file), 0o777);
  // One that runs now is read to its end as it was.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o755 });
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

function restartNote({ changed, dry_run }: DoneChange, { title }: HookTarget): string {
  return changed && !dry_run ? `  Restart ${title}: it reads its hooks when it starts.\n` : '';
}

export const uninstall: Command = {
  details: {
    summary: "Take the hook out of an agent's settings.",
    flags: AGENT_FILE_FLAGS,
    examples: [
      'spillway hook uninstall --agent claude-code --dry-run',
      'spillway hook uninstall --agent claude-code --scope project',
    ],
  },
  async run(given) {
    const { target, file } = agentFileOf(given, 'hook uninstall');
    const done = carriedOut(given, file, removal(file, target));
    const words = [inWords(done, 'There is no hook of ours.'), restartNote(done, target)].join('');
    await answer(given, { agent: target.format.agent, ...done }, words);
  },
};

function agentFileOf(given: Given, command: string) {
  const target = agentIn(given, command);
  const scope = SCOPES.find((one) => one === (given.value('scope') ?? 'user'));
  const files = filesHere(target);
  const file = scope === undefined ? undefined : files[scope];
  if (scope === undefined || file === undefined)
    throw usageError(`--scope is one of ${Object.keys(files).join(', ')} for ${target.title}.`, command);
  return { target, file, scope };
}

export function agentIn(given: Given, command: string): HookTarget {
  const name = oneOf(Object.keys(HOOK_TARGETS), given.value('agent'), '--agent is one of', command);
  return HOOK_TARGETS[name] as HookTarget;
}

export function filesHere(target: HookTarget): Readonly<Partial<Record<Scope, string>>> {
  return filesOf(target, foldersHere());
}

function foldersHere(): AgentFolders {
  return { home: process.env.HOME || homedir(), project: process.cwd(), env: process.env };
}
