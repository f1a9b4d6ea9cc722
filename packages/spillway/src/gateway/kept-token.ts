/**
 * The token of an HTTP gateway that was given none: created once per workspace and kept in a
 * private file of the user, so that clients still know it after a restart. Not kept in the
 * workspace, which others may have written.
 */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOpenToOthers, isOwn } from '../accounts.ts';
import { homeOf } from '../config/locations.ts';
import { ownFolders, writableFolder } from '../own-folders.ts';

const SHAPE = /^[\w-]{32}$/;

/** Not persisted if the user has no folder. */
export function keptToken(root: string, env: Readonly<Record<string, string | undefined>>): string {
  const made = randomBytes(24).toString('base64url');
  const file = ownFileFor(root, env, 'tokens');
  return file === null ? made : (read(file) ?? write(file, made) ?? made);
}

/** A file of the user that belongs to one workspace; null if no folder of the user can be written. */
export function ownFileFor(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  kind: string,
): string | null {
  const folder = writableFolder(ownFolders(env, homeOf(env)));
  if (folder === undefined) return null;
  return join(folder, kind, createHash('sha256').update(root).digest('hex').slice(0, 32));
}

function read(file: string): string | null {
  try {
    const found = lstatSync(file);
    if (!found.isFile() || !isOwn(file) || isOpenToOthers(found)) return null;
    const token = readFileSync(file, 'utf8').trim();
    return SHAPE.test(token) ? token : null;
  } catch {
    return null;
  }
}

function write(file: string, token: string): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch {
    // Another gateway of this workspace was faster.
    return read(file);
  }
}
