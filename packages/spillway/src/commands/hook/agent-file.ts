/** Which agent, and which file of its settings, the flags name. */
import { homedir } from 'node:os';
import { didYouMean } from '@spillway/core/plugin';
import { type Flag, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import {
  type AgentFolders,
  HOOK_TARGETS,
  type HookTarget,
  SCOPES,
  type Scope,
} from '../../hook/install/targets.ts';

const NAMES = Object.keys(HOOK_TARGETS);

export const AGENT_FLAG: Flag = {
  name: 'agent',
  value: 'NAME',
  choices: {
    title: 'Agents',
    list: () => Object.entries(HOOK_TARGETS).map(([name, { title, note }]) => [name, note ?? `${title}.`]),
  },
  doc: 'Which agent.',
};

export const AGENT_FILE_FLAGS: readonly Flag[] = [
  AGENT_FLAG,
  {
    name: 'scope',
    value: 'SCOPE',
    doc: 'Whose settings: user (yours, the default), project (shared with it), local (yours for the project).',
  },
  { name: 'dry-run', doc: 'Show what would change, and change nothing.' },
  JSON_FLAG,
];

interface AgentFile {
  readonly target: HookTarget;
  readonly file: string;
  readonly scope: Scope;
}

export function agentFileOf(given: Given, command: string): AgentFile {
  const target = agentIn(given, command);
  const scope = SCOPES.find((one) => one === (given.value('scope') ?? 'user'));
  const files = filesOf(target);
  const file = scope === undefined ? undefined : files[scope];
  if (scope === undefined || file === undefined)
    throw usageError(`--scope is one of ${Object.keys(files).join(', ')} for ${target.title}.`, command);
  return { target, file, scope };
}

export function agentIn(given: Given, command: string): HookTarget {
  const name = given.value('agent');
  const target = Object.hasOwn(HOOK_TARGETS, name ?? '') ? HOOK_TARGETS[name ?? ''] : undefined;
  if (target !== undefined) return target;
  throw usageError(`--agent is one of ${NAMES.join(', ')}.${didYouMean(name, NAMES)}`, command);
}

export function filesOf(target: HookTarget): Readonly<Partial<Record<Scope, string>>> {
  return target.files(foldersHere());
}

export function foldersHere(): AgentFolders {
  return { home: process.env.HOME || homedir(), project: process.cwd(), env: process.env };
}
