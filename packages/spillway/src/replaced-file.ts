/**
 * Files of settings that belong to another program: one is replaced whole or not at all, where it
 * really is, and the file before the change is kept beside it, for its owner only: it may hold
 * keys.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { cannotWrite, inWords, makeFolder } from './named-file.ts';

const BACKUP = '.backup-';

/**
 * Writes the file anew, or removes it if there is no text; returns where the former one is kept,
 * null if there was none.
 */
export function replaceFile(named: string, text: string | null, now: Date): string | null {
  if (!existsSync(named)) return text === null ? null : created(named, text);
  // Files of settings are often links into a repository: the link stays.
  const file = realpathSync(named);
  const aside = `${file}.${process.pid}.tmp`;
  try {
    const { mode } = statSync(file);
    if ((mode & 0o200) === 0) throw cannotWrite(named, 'it is read-only');
    const backup = copied(file, now);
    if (text === null) rmSync(named);
    else {
      writeFileSync(aside, text, { mode });
      chmodSync(aside, mode);
      renameSync(aside, file);
    }
    return backup;
  } catch (error) {
    rmSync(aside, { force: true });
    throw error instanceof SpillwayError ? error : cannotWrite(named, inWords(error));
  }
}

/** Removes a file that holds nothing but what this program wrote. */
export function removeFile(named: string): void {
  try {
    rmSync(named);
  } catch (error) {
    throw cannotWrite(named, inWords(error));
  }
}

/** What was kept of a file, the newest first. */
export function backupsOf(named: string): string[] {
  if (!existsSync(named)) return [];
  const file = realpathSync(named);
  const folder = dirname(file);
  const prefix = `${basename(file)}${BACKUP}`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

function created(named: string, text: string): null {
  try {
    makeFolder(dirname(named), 0o777);
    writeFileSync(named, text, { flag: 'wx' });
    return null;
  } catch (error) {
    throw error instanceof SpillwayError ? error : cannotWrite(named, inWords(error));
  }
}

/** A copy beside the file; a second one in the same second gets a number. */
function copied(file: string, now: Date): string {
  const first = `${file}${BACKUP}${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
  for (let number = 1; ; number++) {
    const backup = number === 1 ? first : `${first}-${number}`;
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      chmodSync(backup, 0o600);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
