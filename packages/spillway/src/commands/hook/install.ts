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
  await print(`${file}\n`);
  if (isThere) await print('  The hook is there already. Nothing to change.\n');
  else {
    await carryOut(given, file, change);
    if (!given.has('dry-run'))
      await print(`  To check it: spillway hook try --agent ${target.format.agent}\n`);
  }
  if (target.note !== undefined) await print(`  ${target.note}\n`);
  return 0;
}

export async function carryOut(given: Given, file: string, change: FileChange): Promise<void> {
  for (const line of change.removed) await print(`  - ${line}\n`);
  for (const line of change.added) await print(`  + ${line}\n`);
  if (given.has('dry-run')) return print('  Nothing was changed (--dry-run).\n');
  if (change.isOwn && change.text === null) removeFile(file);
  else {
    const backup = replaceFile(file, change.text, new Date());
    if (backup !== null) await print(`  The former file is kept: ${backup}\n`);
  }
}
