/**
 * `spillway store trust`: takes the store of this workspace into use although somebody else,
 * another machine or an earlier version made it. Everything in it is looked at first; if anything
 * is not as Spillway writes it, the store stays foreign.
 */
import { existsSync } from 'node:fs';
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { trustStore } from '@spillway/core/store/sqlite';
import { isOwn } from '../../accounts.ts';
import { loadConfig } from '../../config/load.ts';
import { homeOf } from '../../config/locations.ts';
import { findWorkspace, storeFile } from '../../find-workspace.ts';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import { sourcesOf } from '../../open.ts';
import { print, tell } from '../../output.ts';
import { ownFolders, registryOf } from '../../own-folders.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway store trust', 'spillway store trust --json'],
};

export async function run(given: Given): Promise<number> {
  const { env } = process;
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), env), passOver: true });
  const workspace = findWorkspace(process.cwd(), env, storage);
  const { root, foreign: file } = workspace;
  if (file === null) return nothingToTrust(given, workspace.believed ? null : root);
  if (existsSync(file) && !isOwn(file))
    throw usageError(
      `${file} belongs to another account, which could change it at any time: make a copy of your own in its place, then try again.`,
      'store trust',
    );
  const { outputs, bytes } = await trustStore({
    file,
    within: root,
    registry: registryOf(ownFolders(env, homeOf(env))),
  });
  if (given.has('json')) await print(`${JSON.stringify({ store: file, trusted: true, outputs, bytes })}\n`);
  else
    await print(
      `Checked ${pluralize(outputs, 'output')} with ${formatBytes(bytes)}. ${file} is used from now on.\n`,
    );
  tell(`What was stored meanwhile stays in ${storeFile(workspace)}.`);
  return 0;
}

async function nothingToTrust(given: Given, stranger: string | null): Promise<number> {
  if (stranger !== null)
    throw usageError(
      `The workspace ${stranger} belongs to another account. If you trust that account, set SPILLWAY_SAFE_WORKSPACES=${stranger}`,
      'store trust',
    );
  if (given.has('json')) await print(`${JSON.stringify({ store: null, trusted: false })}\n`);
  else await print('There is no store here that is not trusted.\n');
  return 0;
}
