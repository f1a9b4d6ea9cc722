/** `spillway mcp install` and `uninstall`: the servers of a client's configuration. */

import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { didYouMean } from '@spillway/core/plugin';
import { type Command, type CommandDetails, type Given, JSON_FLAG, oneOf, usageError } from '../../flags.ts';
import { CLIENTS, type ClientFolders, type ClientFormat } from '../../gateway/install/clients.ts';
import { localPlan, type Plan, type Planning, plan } from '../../gateway/install/install.ts';
import { print } from '../../output.ts';
import { neededByOthers, ownProgram, type Program } from '../../own-program.ts';
import { replaceFile, restoreFile } from '../../replaced-file.ts';

const NAMES = CLIENTS.map(({ name }) => name);

const details: Omit<CommandDetails, 'summary'> = {
  operands: { usage: '[SERVER …]', min: 0, max: Number.POSITIVE_INFINITY },
  flags: [
    {
      name: 'client',
      value: 'NAME',
      doc: `Whose configuration: ${NAMES.join(', ')}.`,
    },
    { name: 'file', value: 'FILE', doc: 'Another file than where the client keeps its own.' },
    {
      name: 'local',
      doc: 'Leave files that a project shares as they are, and put their servers behind the gateway for you alone (claude-code).',
    },
    { name: 'dry-run', doc: 'Show what would change, and change nothing.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway mcp install --client claude-code --dry-run',
    'spillway mcp install --client cursor github filesystem',
  ],
};

export const install: Command = {
  details: { ...details, summary: "Put the MCP servers of a client's configuration behind the gateway." },
  run: (given) =>
    changeConfigurations(
      given,
      'mcp install',
      (folders) => (file) => ownProgram(isShared(file, folders) ? 'shared' : 'here'),
    ),
};

export const uninstall: Command = {
  details: {
    summary: "Take the servers of a client's configuration out from behind the gateway.",
    ...details,
    examples: [
      'spillway mcp uninstall --client claude-code --dry-run',
      'spillway mcp uninstall --client cursor github',
    ],
  },
  run: (given) => changeConfigurations(given, 'mcp uninstall', null),
};

/** Changes what the flags name; without a program, servers are taken out from behind the gateway. */
async function changeConfigurations(
  given: Given,
  command: string,
  programs: ((folders: ClientFolders) => (file: string) => Program) | null,
): Promise<void> {
  const named = oneOf(NAMES, given.value('client'), '--client is one of', command);
  const client = CLIENTS[NAMES.indexOf(named)] as ClientFormat;
  const file = given.value('file');
  // Started in the home folder, the file of the project is that of the user.
  const folders = clientFolders();
  const files = file === undefined ? [...new Set(client.files(folders))] : [resolve(file)];
  const planning = { client, folders, program: programs?.(folders) ?? null, only: given.operands };
  const isLocal = programs !== null && given.has('local');
  if (isLocal && client.inside === undefined)
    throw usageError(
      `${client.title} keeps no servers of a project for one person. Name a file of your own with --file.`,
      command,
    );
  const plans = (isLocal ? localPlans(files, planning) : files.map((one) => plan(one, planning))).filter(
    (one) => one !== null,
  );
  if (plans.length === 0)
    throw new SpillwayError(
      'not_found',
      `There is no configuration of ${client.title}. Looked for: ${files.join(', ')}.`,
    );
  refuseUnknown(given.operands, [...new Set(plans.flatMap(({ names }) => names))]);
  const done = plans.map((one) => ({ one, backup: given.has('dry-run') ? null : carriedOut(one, planning) }));
  if (given.has('json'))
    await print(`${JSON.stringify({ files: done.map(factsOf), dry_run: given.has('dry-run') })}\n`);
  else
    for (const each of done) {
      await tellChange(each, given.has('dry-run'));
      const isForOthers =
        programs !== null && each.one.changes.length > 0 && isShared(each.one.file, folders);
      if (isForOthers) await print(sharedNotice(client, given.has('dry-run')));
    }
  if (!given.has('json') && !given.has('dry-run') && plans.some(({ changes }) => changes.length > 0))
    await print(`Restart ${client.title}: it starts its servers anew.\n`);
}

function localPlans(files: readonly string[], planning: Planning): (Plan | null)[] {
  const own = files.find((one) => !isShared(one, planning.folders));
  const shared = files.filter((one) => isShared(one, planning.folders));
  return own === undefined ? [] : shared.map((one) => localPlan(one, own, planning));
}

function sharedNotice({ name, inside }: ClientFormat, isDry: boolean): string {
  const instead =
    inside === undefined
      ? 'to keep it to yourself, undo it and name a file of your own with --file.'
      : `to keep it to yourself: ${isDry ? '' : `spillway mcp uninstall --client ${name}, then `}spillway mcp install --client ${name} --local`;
  return `  ${neededByOthers(ownProgram('shared'))};\n  ${instead}\n`;
}

function refuseUnknown(asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const names = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`;
  throw new SpillwayError(
    'not_found',
    `The configuration has no server of the name ${JSON.stringify(unknown.slice(0, 60))}.${didYouMean(unknown, known)} ${names} Nothing was changed.`,
  );
}

type Done = { readonly one: Plan; readonly backup: string | null };

function carriedOut({ file, text, changes }: Plan, { program, folders }: Planning): string | null {
  if (changes.length === 0) return null;
  if (program !== null) return replaceFile(file, text, new Date());
  restoreFile(file, text, folders.home);
  return null;
}

function factsOf({ one: { file, changes, left }, backup }: Done): object {
  return {
    file,
    changes: changes.map(({ name, before, after }) => ({ server: name, before, after })),
    left: left.map(({ name, why }) => ({ server: name, why })),
    backup,
  };
}

async function tellChange({ one, backup }: Done, dryRun: boolean): Promise<void> {
  await print(`${one.file}\n`);
  for (const { name, before, after } of one.changes)
    await print(`  ${name}\n    - ${before.join(' ')}\n    + ${after.join(' ')}\n`);
  for (const { name, why } of one.left) await print(`  ${name}: left as it is (${why})\n`);
  if (one.changes.length === 0) await print('  Nothing to change.\n');
  else if (dryRun) await print('  Nothing was changed (--dry-run).\n');
  else if (backup !== null) await print(`  The former file is kept: ${backup}\n`);
}

function clientFolders(): ClientFolders {
  return {
    home: process.env.HOME || homedir(),
    project: process.cwd(),
    platform: process.platform,
    appData: process.env.APPDATA,
  };
}

/** Others share a file of the project. */
function isShared(file: string, { project, home }: ClientFolders): boolean {
  return project !== home && file.startsWith(project + sep);
}
