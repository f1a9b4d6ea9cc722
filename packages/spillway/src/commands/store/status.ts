/**
 * `spillway store status`: which store this workspace uses, whose it is, and where outputs go if it
 * is not used. Changes nothing.
 */
import { existsSync } from 'node:fs';
import { originOf } from '@spillway/core/store/sqlite';
import { loadConfig } from '../../config/load.ts';
import { findWorkspace, otherFolders, shownStore, storeFile, type Workspace } from '../../find-workspace.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { sourcesOf } from '../../open.ts';
import { print } from '../../output.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway store status', 'spillway store status --json'],
};

/**
 * `named`: the user named its folder. `own`: this user made it. `foreign`: another one is there,
 * and is not used. `shared`: it is on a server.
 */
type State = 'none yet' | 'own' | 'named' | 'foreign' | 'shared';

export async function run(given: Given): Promise<number> {
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), process.env), passOver: true });
  const workspace = findWorkspace(process.cwd(), process.env, storage);
  const state = stateOf(workspace);
  const { root, foreign, stores, scope, notices } = workspace;
  const store = stores ? shownStore(workspace) : null;
  const also = otherFolders(workspace, process.env).map((one) => ({
    store: storeFile(one),
    scope: one.scope,
  }));
  if (given.has('json')) {
    await print(`${JSON.stringify({ workspace: root, state, store, scope, also, foreign, notices })}\n`);
    return 0;
  }
  await print(`Workspace: ${root}\nStore: ${store ?? 'none'} (${state})\n`);
  for (const one of also) await print(`Also read: ${one.store} (${one.scope})\n`);
  if (state === 'shared') await print(`Scope: ${scope}\n`);
  for (const sentence of notices) await print(`${sentence}\n`);
  return 0;
}

function stateOf(workspace: Workspace): State {
  const file = storeFile(workspace);
  if (workspace.shared !== null) return 'shared';
  if (workspace.foreign !== null) return 'foreign';
  if (!existsSync(file)) return 'none yet';
  return workspace.registry !== null && originOf(file, workspace.registry) === 'own' ? 'own' : 'named';
}
