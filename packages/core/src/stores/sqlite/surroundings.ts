/**
 * Checks the place of a store before anything there is opened, created or changed. A repository, an
 * archive or another account can plant a link, folder or pipe under each name a store uses. Nothing
 * here follows a link or waits for a pipe.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { strangerBeside, strangerRefused } from './beside.ts';
import { mustBeFolder } from './folders.ts';
import { markOf } from './marks.ts';

/** Where a store is, and what it must be to be used. */
export interface StoreLocation {
  /** The database file. */
  readonly file: string;
  /** A folder that the file must really lie in: links on the way from it are not followed. */
  readonly within?: string | undefined;
  /** The folders with the marks of this user's stores: a file without one of them is refused. */
  readonly registry?: readonly string[] | undefined;
}

const FILES = ['', '-wal', '-shm', '-journal', '-reserve'];

/** Why a store of one's own cannot be used in this place; null if it can, or if it can be made. */
export function storeObstacle({ file: path, within, registry }: StoreLocation): string | null {
  const file = resolve(path);
  try {
    mustHaveRealFolder({ file, within });
    mustHaveRealFiles(file);
    mustBeFolder(`${file}-content`);
    const mark = registry === undefined ? null : markOf(file);
    const stranger = mark === null ? null : strangerBeside(file, mark, registry ?? []);
    return stranger === null ? null : strangerRefused(stranger).message;
  } catch (error) {
    if (error instanceof SpillwayError) return error.message;
    throw error;
  }
}

export function mustHaveRealFolder({ file, within }: StoreLocation): void {
  if (within === undefined) return;
  mustBeWithin(dirname(file), resolve(within));
  const list = join(dirname(file), '.gitignore');
  if (entry(list)?.isDirectory()) throw notAFile(list);
}

export function mustHaveRealFiles(file: string): void {
  for (const end of FILES) mustBeFile(`${file}${end}`);
}

/** A workspace must not redirect its outputs. */
function mustBeWithin(folder: string, within: string): void {
  const real = realpathSync.native(within);
  for (let path = folder; path !== within && path.startsWith(within); path = dirname(path)) {
    const found = entry(path);
    if (
      found?.isSymbolicLink() ||
      (found && realpathSync.native(path) !== join(real, relative(within, path)))
    )
      throw new SpillwayError(
        'store_unavailable',
        `${path} is a link, and a workspace may not move its store: remove the link, or keep the store in a folder of your choice.`,
        { remedy: 'move_store' },
      );
    mustBeFolder(path);
  }
}

/** A file of another account in a folder that was open stays open to that account. */
function mustBeFile(file: string): void {
  const found = entry(file);
  if (found === undefined) return;
  if (!found.isFile()) throw notAFile(file);
  // In a folder of another account, its files are expected.
  if (found.uid === process.getuid?.() || found.uid === lstatSync(dirname(file)).uid) return;
  throw new SpillwayError(
    'store_unavailable',
    `${file} belongs to neither you nor the owner of its folder, so somebody else put it there: remove it, or name another file.`,
  );
}

export function notAFile(file: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${file} is a link, folder or device, not a file: move it away, or name another file.`,
  );
}

function entry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
