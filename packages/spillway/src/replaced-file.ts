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
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { cannotWrite, explained, makeFolder, writeAnew } from './named-file.ts';

const BACKUP = '.backup-';

/** Writes the file anew; returns where the former one is kept, null if there was none. */
export function replaceFile(named: string, text: string, now: Date): string | null {
  if (!existsSync(named)) return created(named, text);
  return rewritten(named, text, (file) => copied(file, now));
}

/**
 * Puts back what was there before us: null removes the file, and the folders above it that are left
 * empty. What was kept of the file goes, once nothing in it is ours.
 */
export function restoreFile(named: string, text: string | null, home: string): void {
  const copies = OURS.test(text ?? '') ? [] : backupFiles(named);
  rewritten(named, text, () => null);
  for (const copy of copies) rmSync(copy, { force: true });
  if (text === null) removeEmptyFolders(dirname(named), home);
}

/** A command of ours in somebody's settings: a line, a list of words, or a program and its arguments. */
const OURS = /(?:spillway|acode)(?:\.js|\.cmd)?["',\s\\]+(?:"?args"?\s*[:=]\s*\[\s*["'])?(?:mcp|hook)\b/;

/** The folders that hold nothing any more, below the home or the project. */
export function removeEmptyFolders(from: string, home: string): void {
  const ends = [home, process.cwd()];
  for (let folder = from; ends.some((end) => folder.startsWith(end + sep)); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // Something is in it.
      return;
    }
  }
}

/** Files of settings are often links into a repository: the link stays. */
function rewritten<T>(named: string, text: string | null, keep: (file: string) => T): T {
  return explained(named, cannotWrite, () => {
    const file = realpathSync(named);
    const { mode } = statSync(file);
    if ((mode & 0o200) === 0) throw cannotWrite(named, 'it is read-only');
    const kept = keep(file);
    if (text === null) rmSync(named);
    else writeAnew(file, text, mode, mode);
    return kept;
  });
}

/** What was kept of a file, the newest first. */
export function backupsOf(named: string): string[] {
  return backupFiles(named).map((name) => readFileSync(name, 'utf8'));
}

function backupFiles(named: string): string[] {
  if (!existsSync(named)) return [];
  const file = realpathSync(named);
  const folder = dirname(file);
  const prefix = `${basename(file)}${BACKUP}`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^\d{14}(?:-\d+)?$/.test(name.slice(prefix.length)))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(folder, name));
}

function created(named: string, text: string): null {
  return explained(named, cannotWrite, () => {
    makeFolder(dirname(named), 0o777);
    writeFileSync(named, text, { flag: 'wx' });
    return null;
  });
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
