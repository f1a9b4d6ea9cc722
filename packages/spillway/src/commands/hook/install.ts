/** `spillway hook install`: puts the hook into an agent's settings. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { SpillwayError } from '@spillway/core';
import { didYouMean } from '@spillway/core/plugin';
import { type CommandDetails, type Flag, type Given, usageError } from '../../flags.ts';
import { hooksIn, withHook } from '../../hook/install/hook-file.ts';
import { type AgentFolders, HOOK_TARGETS, type HookTarget, SCOPES } from '../../hook/install/targets.ts';
import { readNamedFile } from '../../named-file.ts';
import { print } from '../../output.ts';
import { ownProgram } from '../../own-program.ts';
import { replaceFile } from '../../replaced-file.ts';
import { shellWord } from '../command-hint.ts';

const NAMES = Object.keys(HOOK_TARGETS);

export const AGENT_FLAG: Flag = { name: 'agent', value: 'NAME', doc: `Which agent: ${NAMES.join(', ')}.` };

export const PLACE_FLAGS: readonly Flag[] = [
  AGENT_FLAG,
  {
    name: 'scope',
    value: 'SCOPE',
    doc: 'Whose settings: user (yours, the default), project (shared with it), local (yours for the project).',
  },
  { name: 'dry-run', doc: 'Show what would change, and change nothing.' },
];

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    ...PLACE_FLAGS,
    {
      name: 'tool-name',
      value: 'NAME',
      doc: 'The tool with which the model fetches more, if the agent has one, as `mcp__github__get_artifact`.',
    },
  ],
  examples: [
    'spillway hook install --agent claude-code --dry-run',
    'spillway hook install --agent claude-code --scope project',
  ],
};

export async function run(given: Given): Promise<number> {
  const { target, file, scope } = placeOf(given, 'hook install');
  const { format } = target;
  const text = existsSync(file) ? readNamedFile(file) : null;
  const tool = given.value('tool-name');
  const words = [...ownProgram(scope === 'project' ? 'shared' : 'here'), 'hook', format.agent];
  const command = [...words, ...(tool === undefined ? [] : ['--tool-name', tool])].map(shellWord).join(' ');
  const after = usable(file, () => withHook(text, format, command));
  await print(`${file}\n`);
  if (after === text) await print('  The hook is there already. Nothing to change.\n');
  else {
    const former = text === null ? [] : hooksIn(text, format);
    for (const { command: before } of former) await print(`  - ${before}\n`);
    await print(`  + ${command}\n`);
    await carryOut(given, file, after);
  }
  return 0;
}

/** Which agent and which of its files is meant. */
export function placeOf(given: Given, command: string) {
  const name = given.value('agent');
  const target = HOOK_TARGETS[name ?? ''];
  if (target === undefined)
    throw usageError(`--agent is one of ${NAMES.join(', ')}.${didYouMean(name, NAMES)}`, command);
  const scope = SCOPES.find((one) => one === (given.value('scope') ?? 'user'));
  const file = scope === undefined ? undefined : target.files(agentFolders())[scope];
  if (scope === undefined || file === undefined)
    throw usageError(`--scope is one of ${scopesOf(target).join(', ')} for ${target.title}.`, command);
  return { target, file, scope };
}

export function scopesOf(target: HookTarget): string[] {
  return Object.keys(target.files(agentFolders()));
}

export function agentFolders(): AgentFolders {
  return { home: process.env.HOME || homedir(), project: process.cwd(), env: process.env };
}

/** Why a file cannot be used, told with its name. */
export function usable<T>(file: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    throw new SpillwayError(
      'invalid_argument',
      `Cannot use ${JSON.stringify(file)}: ${error.message}. Nothing was changed.`,
    );
  }
}

export async function carryOut(given: Given, file: string, after: string | null): Promise<void> {
  if (given.has('dry-run')) return print('  Nothing was changed (--dry-run).\n');
  const backup = replaceFile(file, after, new Date());
  if (backup !== null) await print(`  The former file is kept: ${backup}\n`);
  else await print('  The file is new.\n');
}
