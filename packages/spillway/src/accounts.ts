/**
 * Whose files are believed. What another account of this machine owns may have been put there to be
 * found; what the administrator owns is believed, as that account can change everything anyway.
 * Systems without numbers for accounts (Windows) keep people apart by folders; there everything
 * counts as one's own.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

const ADMINISTRATOR = 0;
const OTHERS_MAY_WRITE = 0o002;

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a file or folder, links not followed, belongs to this account. */
export function isOwn(path: string): boolean {
  const self = process.geteuid?.();
  return self === undefined || found(lstatSync, path)?.uid === self;
}

/** Whether others of this machine may read it or write to it. Windows does not tell by the mode. */
export function isOpenToOthers({ mode }: Stats): boolean {
  return process.geteuid !== undefined && (mode & 0o077) !== 0;
}

/** Whether what lies there may be believed by its owner. */
export function isBelievedOwner(path: string, env: Environment): boolean {
  const self = process.geteuid?.();
  const there = found(lstatSync, path);
  return self === undefined || (there !== undefined && believed(there, self, env));
}

/**
 * Whether a file may be read for settings: by its owner, that of what a link leads to, and because
 * others may not write it.
 */
export function isBelievedFile(path: string, env: Environment): boolean {
  const self = process.geteuid?.();
  if (self === undefined) return true;
  const target = found(statSync, path);
  // Whoever reads it says what is wrong with it.
  if (target === undefined) return true;
  return isBelievedOwner(path, env) && believed(target, self, env) && (target.mode & OTHERS_MAY_WRITE) === 0;
}

/**
 * Whether the user said that a workspace is to be believed whoever owns it:
 * SPILLWAY_SAFE_WORKSPACES, folders or `*`.
 */
export function isNamedSafe(folder: string, env: Environment): boolean {
  const named = (env.SPILLWAY_SAFE_WORKSPACES ?? '').split(delimiter).filter((one) => one !== '');
  return named.some((one) => one === '*' || resolve(one) === folder);
}

/** With `sudo` the person is the same: what was theirs before is still believed. */
function believed({ uid }: Stats, self: number, env: Environment): boolean {
  if (uid === self || uid === ADMINISTRATOR) return true;
  return self === ADMINISTRATOR && /^\d+$/.test(env.SUDO_UID ?? '') && uid === Number(env.SUDO_UID);
}

/**
 * Undefined where there is nothing, or nothing that can be looked at: a folder on the way is
 * closed, a link leads to itself.
 */
export function found(look: typeof statSync, path: string): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
