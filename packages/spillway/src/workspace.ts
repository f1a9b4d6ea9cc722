/**
 * Where the workspace is: the nearest folder upwards that has `.acode` or `.git`, else the current
 * one. A mark that another account of this machine owns does not count, as with git's
 * `safe.directory`: whoever can write to a folder above ours (`/tmp`) could else take our outputs
 * and give us settings.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isBelievedOwner, isNamedSafe, isOwn } from './accounts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A folder that was found, and whether what lies in it may be believed. */
export interface FoundRoot {
  /** Where it was looked from, by its real path. */
  readonly folder: string;
  readonly root: string;
  /** Whether there is a workspace at all; programs without one are started anywhere. */
  readonly marked: boolean;
  /**
   * False where another account owns the workspace: nothing in it is read, nothing is written to
   * it.
   */
  readonly believed: boolean;
  /** The folder whose mark belongs to another account, if there was one. */
  readonly stranger: string | null;
}

export function findRoot(from: string, env: Environment): FoundRoot {
  const folder = realFolder(from);
  const { root, stranger } = markedAbove(folder, env);
  // In a folder of somebody else, what is found there is theirs; in a folder of ours, their mark
  // above it is passed over.
  if (stranger !== null && !isOwn(folder))
    return { folder, root: stranger, marked: root !== null, believed: false, stranger };
  return { folder, root: root ?? folder, marked: root !== null, believed: true, stranger };
}

/** One folder is one folder, whatever links lead to it. */
function realFolder(from: string): string {
  const path = resolve(from);
  return existsSync(path) ? realpathSync(path) : path;
}

function markedAbove(from: string, env: Environment): { root: string | null; stranger: string | null } {
  let stranger: string | null = null;
  for (let folder = from; ; folder = dirname(folder)) {
    const marks = ['.acode', '.git'].map((name) => join(folder, name)).filter((path) => existsSync(path));
    if (marks.length > 0) {
      if (isNamedSafe(folder, env) || marks.every((mark) => isBelievedOwner(mark, env)))
        return { root: folder, stranger };
      stranger ??= folder;
    }
    if (folder === dirname(folder)) return { root: null, stranger };
  }
}
