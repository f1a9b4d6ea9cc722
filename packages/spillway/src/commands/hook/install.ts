/** `spillway hook install`: puts the hook into an agent's settings. */
import { existsSync, readFileSync } from 'node:fs';
import { type CommandDetails, type Given, usageError } from '../../flags.ts';
import { type FileChange, installation } from '../../hook/install/change.ts';
import { print } from '../../output.ts';
import { ownProgram } from '../../own-program.ts';
import { removeFile, replaceFile } from '../../replaced-file.ts';
import { shellWord } from '../command-hint.ts';
import { AGENT_FILE_FLAGS, agentFileOf } from './agent-file.ts';

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
  const program = ownProgram(use);
  const tool = given.value('tool-name');
  if (tool !== undefined && 'lines' in target.format)
    throw usageError(`The plugin for ${target.title} takes no --tool-name.`, 'hook install');
  const words = [...program, 'hook', target.format.agent];
  const command = [...words, ...(tool === undefined ? [] : ['--tool-name', tool])].map(shellWord).join(' ');
  const change = installation(file, target, { program, command, use });
  const isThere = existsSync(file) && change.text === readFileSync(file, 'utf8');
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
  const { removed, added } = change;
  const changed = removed.length + added.length > 0;
  const done = { file, changed, removed, added, backup: null, dry_run: given.has('dry-run') };
  if (!changed || done.dry_run) return done;
  if (change.isOwn && change.text === null) removeFile(file);
  else return { ...done, backup: replaceFile(file, change.text, new Date()) };
  return done;
}

export async function tellChange(done: DoneChange, unchanged: string): Promise<void> {
  await print(`${done.file}\n`);
  if (!done.changed) return print(`  ${unchanged} Nothing to change.\n`);
  for (const line of done.removed) await print(`  - ${line}\n`);
  for (const line of done.added) await print(`  + ${line}\n`);
  if (done.dry_run) await print('  Nothing was changed (--dry-run).\n');
  if (done.backup !== null) await print(`  The former file is kept: ${done.backup}\n`);
}
