/**
 * A store of this workspace that is named on the command line: the folder of an embedded one, or
 * the address of a server. What it holds of the workspace has a scope of its own in each.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SpillwayError, type Store } from '@spillway/core';
import { loadConfig } from '../../config/load.ts';
import { findWorkspace, hasStore, shownStore, type Workspace } from '../../find-workspace.ts';
import { usageError } from '../../flags.ts';
import { sourcesOf, storeOf } from '../../open.ts';
import { addressOf, isShared, refuseOtherAddress } from '../../shared-store.ts';

export interface NamedStore {
  readonly store: Store;
  /** Where it is, for people. */
  readonly shown: string;
  readonly scope: string;
  /** Where the server is, with the password; null for an embedded store. Never shown. */
  readonly address: string | null;
}

/** The store that settings name, or the embedded one in the folder of the workspace. */
export type UsualStore = 'configured' | 'embedded';

export async function namedStore(
  named: string | undefined,
  usual: UsualStore,
  command: string,
): Promise<NamedStore> {
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), process.env), passOver: true });
  const workspace = workspaceOf(named, usual, storage);
  if (usual === 'embedded' && !hasStore(workspace))
    throw new SpillwayError('not_found', `There is no store to read: ${shownStore(workspace)} is not there.`);
  const store = await storeOf(workspace, storage);
  if (store === null) throw usageError(`No outputs can be stored in ${shownStore(workspace)}.`, command);
  const address = workspace.shared === null ? null : addressOf(workspace.shared);
  return { store, shown: shownStore(workspace), scope: workspace.scope, address };
}

function workspaceOf(
  named: string | undefined,
  usual: UsualStore,
  storage: Parameters<typeof findWorkspace>[2],
): Workspace {
  const { SPILLWAY_STORE: _configured, ...env } = process.env;
  if (named === undefined)
    return usual === 'configured'
      ? findWorkspace(process.cwd(), process.env, storage)
      : findWorkspace(process.cwd(), env);
  refuseOtherAddress(named);
  if (isShared(named)) return findWorkspace(process.cwd(), { ...env, SPILLWAY_STORE: named }, storage);
  const own = findWorkspace(process.cwd(), env);
  const folder = resolve(named);
  if (folder === own.root || folder === own.artifacts) return own;
  const below = join(folder, '.acode', 'artifacts');
  const artifacts = existsSync(join(below, 'store.db')) ? below : folder;
  return findWorkspace(process.cwd(), { ...env, SPILLWAY_STORE: artifacts }, storage);
}

/** What scopes of one store are called in another; null for those of other workspaces. */
export function scopeChange(from: string, to: string): (scope: string) => string | null {
  return (scope) => {
    if (scope === from || scope.startsWith(`${from}:`)) return `${to}${scope.slice(from.length)}`;
    return from === 'workspace' && scope.startsWith('principal:') ? `${to}:${scope}` : null;
  };
}
