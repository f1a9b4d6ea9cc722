/**
 * The token of a gateway over HTTP that was given none: made up once for a workspace and kept in a
 * file of the user that nobody else can read, so that clients still know it after a restart. It is
 * not kept in the workspace, which others may have written.
 */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenToOthers, isOwn } from '../accounts.ts';
import { homeOf } from '../config/locations.ts';
import { ownFolders, writableFolder } from '../own-folders.ts';

const SHAPE = /^[\w-]{32}$/;

/** The token for a workspace; one that is not kept where the user has no folder. */
export function keptToken(root: string, env: Readonly<Record<string, string | undefined>>): string {
  const made = randomBytes(24).toString('base64url');
  const folder = writableFolder(ownFolders(env, homeOf(env)));
  if (folder === undefined) return made;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
  const file = join(folder, 'tokens', name);
  return read(file) ?? write(folder, file, made) ?? made;
}

/** Null if it is not there, or not the user's alone. */
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

/** Null if it cannot be kept: the token then holds for this run. */
function write(folder: string, file: string, token: string): string | null {
  try {
    mkdirSync(join(folder, 'tokens'), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch {
    // Another gateway of this workspace may have been faster.
    return read(file);
  }
}
