/**
 * Where things are: the workspace is the nearest folder upwards that has `.acode` or `.git`, else the current one; the store lives in
 * `.acode/artifacts` below it unless SPILLWAY_STORE names another folder.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Workspace {
  readonly root: string;
  /** The folder of the store and of plain copies. */
  readonly artifacts: string;
  /** Whether that is a folder of the workspace itself, where a repository may have put anything. */
  readonly inside: boolean;
  /** Who may fetch what this workspace stored. A store inside the workspace moves with it; one elsewhere may serve several. */
  readonly scope: string;
}

export function findWorkspace(from: string, env: NodeJS.ProcessEnv): Workspace {
  const root = rootAbove(resolve(from));
  const elsewhere = env.SPILLWAY_STORE;
  if (elsewhere === undefined || elsewhere === '')
    return { root, artifacts: join(root, '.acode', 'artifacts'), inside: true, scope: 'workspace' };
  return {
    root,
    artifacts: resolve(root, elsewhere),
    inside: false,
    scope: `workspace:${realpathSync(root)}`,
  };
}

/** The database of the embedded store. */
export function storeFile({ artifacts }: Workspace): string {
  return join(artifacts, 'store.db');
}

/** Whether a folder lies in a workspace at all; programs without one are started anywhere. */
export function isInWorkspace(from: string): boolean {
  return markedAbove(resolve(from)) !== null;
}

/** Where what belongs to no workspace is kept. */
export function dataFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string | undefined,
): string | null {
  const data = env.XDG_DATA_HOME || (home === undefined ? undefined : join(home, '.local', 'share'));
  return data === undefined ? null : join(data, 'spillway');
}

function rootAbove(from: string): string {
  return markedAbove(from) ?? from;
}

function markedAbove(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.acode')) || existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
