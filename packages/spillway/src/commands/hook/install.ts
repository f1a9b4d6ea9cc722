/** `spillway hook install`: puts the hook into an agent's settings. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CommandDetails, type Given, usageError } from '../../flags.ts';
import { type FileChange, installation } from '../../hook/install/change.ts';
import { isShellFile } from '../../hook/install/shell-file.ts';
import { makeFolder } from '../../named-file.ts';
import { print } from '../../output.ts';
import { isOnLoginPath, ownProgram } from '../../own-program.ts';
import { removeEmptyFolders, replaceFile, restoreFile } from '../../replaced-file.ts';
import { shellWord } from '../command-hint.ts';
import { AGENT_FILE_FLAGS, agentFileOf, foldersHere } from './agent-file.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
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
};

export async function run(given: Given): Promise<number> {
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
  const shell = scope === 'user' && process.platform === 'linux' ? target.shell?.(foldersHere()) : undefined;
  const line = { program, command, use, ...(shell === undefined ? {} : { shell }) } as const;
  const change = installation(file, target, line);
  const isThere =
    isAs(file, change.text) && (change.script === undefined || isAs(change.script.file, change.script.text));
  const done = carriedOut(given, file, isThere ? { ...change, removed: [], added: [] } : change);
  const { agent } = target.format;
  if (given.has('json')) await print(`${JSON.stringify({ agent, ...done, note: target.note ?? null })}\n`);
  else {
    await tellChange(done, 'The hook is there already.');
    if (done.changed && !done.dry_run) await print(`  To check it: spillway hook try --agent ${agent}\n`);
    if (target.note !== undefined) await print(`  ${target.note}\n`);
  }
  return 0;
}

/** What became of a file. */
export interface DoneChange extends Pick<FileChange, 'removed' | 'added'> {
  readonly file: string;
  /** Whether it was written, or would be. */
  readonly changed: boolean;
  /** The copy of the former file, if there was one. */
  readonly backup: string | null;
  readonly dry_run: boolean;
}

export function carriedOut(given: Given, file: string, change: FileChange): DoneChange {
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

export async function tellChange(done: DoneChange, unchanged: string): Promise<void> {
  await print(`${done.file}\n`);
  if (!done.changed) return print(`  ${unchanged} Nothing to change.\n`);
  for (const line of done.removed) await print(`  - ${line}\n`);
  for (const line of done.added) await print(`  + ${line}\n`);
  if (done.dry_run) await print('  Nothing was changed (--dry-run).\n');
  if (done.backup !== null) await print(`  The former file is kept: ${done.backup}\n`);
}
