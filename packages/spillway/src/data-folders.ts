/**
 * The one rule that says where outputs of a folder lie, for the program, hooks and stdio gateways of
 * one user. A folder is known by its real path. New outputs go to one place (find-workspace.ts):
 *
 * 1. the store that the user named: SPILLWAY_STORE, or `spillway.store` in the user's own file;
 * 2. else `.acode/artifacts` of the workspace, which is the nearest folder upwards with `.acode` or
 *    `.git`. Where there is none, the program and hooks make the folder itself one. A gateway,
 *    which clients start anywhere, uses the user's data folder instead;
 * 3. where that store is foreign or cannot be written, a folder below the user's data folder.
 *
 * Handles are looked up in all places of the second and third kind, by the scopes that the folder
 * and the root of its workspace have there. So a handle is still found after `git init` or
 * `config set`, and another folder does not find it. A store that the user named stands alone.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from './config/locations.ts';
import {
  folderNameOf,
  insideFolder,
  type StoreFolder,
  scopeOf,
  storeFile,
  type Workspace,
} from './find-workspace.ts';
import { ownFolders } from './own-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where else outputs of the folder were stored. Nothing is made; only what is there is named. */
export function otherFolders(workspace: Workspace, env: Environment): readonly StoreFolder[] {
  const { shared, folder, root, artifacts, scope, named } = workspace;
  if (shared !== null) return [];
  const scopes = [...new Set([folder, root])].filter(existsSync);
  const own: StoreFolder = workspace;
  const folders = named
    ? scopes.map((one) => ({ ...own, scope: scopeOf(one) }))
    : [
        ...insideFolder(workspace, env),
        ...ownFolders(env, homeOf(env)).flatMap((data) =>
          scopes.flatMap((one) => [
            aside(root, data, one),
            aside(root, join(data, 'workspaces', folderNameOf(one)), one),
          ]),
        ),
      ];
  return folders.filter(
    (one) => !(one.artifacts === artifacts && one.scope === scope) && existsSync(storeFile(one)),
  );
}

function aside(root: string, artifacts: string, folder: string): StoreFolder {
  return { root, artifacts, inside: false, scope: scopeOf(folder), registry: null };
}
