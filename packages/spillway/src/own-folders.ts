/**
 * The folder where Spillway keeps what belongs to the user and not to a workspace: the marks of the
 * stores that the user made, and the stores of workspaces that are not believed. It is below
 * XDG_DATA_HOME or the home; where neither can be used (a home that cannot be written, a container
 * without one) it is a folder of this account below the temporary one, which lasts as long as the
 * machine does.
 */
import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { found, isOpenToOthers, isOwn } from './accounts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where what belongs to no workspace is kept. A relative XDG_DATA_HOME is passed over, as XDG says.
 */
function dataFolder(env: Environment, home: string | null): string | null {
  const { XDG_DATA_HOME: base = '' } = env;
  if (isAbsolute(base)) return join(base, 'spillway');
  return home === null ? null : join(home, '.local', 'share', 'spillway');
}

/** The folders of the user that can be used here, the best first. Nothing is made. */
export function ownFolders(env: Environment, home: string | null): readonly string[] {
  const data = dataFolder(env, home);
  const folders = [data !== null && isUsable(data, home) ? data : null, temporaryFolder(env)];
  return folders.filter((folder) => folder !== null);
}

/** The one of them that takes what is stored. */
export function writableFolder(folders: readonly string[]): string | undefined {
  return folders.find(isWritable);
}

/** The folders that hold the marks of the user's stores. */
export function registryOf(folders: readonly string[]): readonly string[] {
  return folders.map((folder) => join(folder, 'stores'));
}

/** Whether it lies in a folder of this account. A missing home is not created. */
function isUsable(folder: string, home: string | null): boolean {
  if (home !== null && folder.startsWith(home) && !existsSync(home)) return false;
  return isOwn(nearest(folder));
}

/** Whether a folder takes files, or can be made. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(nearest(folder), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder itself, or the first above it that is there. */
export function nearest(path: string): string {
  for (let folder = path; ; folder = dirname(folder))
    if (existsSync(folder) || folder === dirname(folder)) return folder;
}

/**
 * Any account can create a folder of that name, so an existing one must belong to this account and be
 * closed to others.
 */
function temporaryFolder(env: Environment): string | null {
  const self = process.geteuid?.();
  const folder = join(env.TMPDIR || tmpdir(), `spillway-${self ?? 'user'}`);
  const there = found(lstatSync, folder);
  if (there === undefined || self === undefined) return folder;
  return there.isDirectory() && isOwn(folder) && !isOpenToOthers(there) ? folder : null;
}
