/**
 * The files that SQLite keeps beside a database. It takes in whatever lies there under the right
 * name, also what a repository brought: a planted log (`-wal`) or journal would change a store that
 * is ours. So the registry remembers which log was made by us, by its place on the disk. A log that
 * a killed process left is the one that was remembered; any other is refused. A journal is there
 * only for the moment in which an earlier version makes a store.
 */
import { closeSync, constants, fdatasyncSync, lstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { flushNames } from './folders.ts';
import { monotonicMs, pause } from './patience.ts';

/** Another process may take this long from creating a log to registering it. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 5;

export async function mustBeOursBeside(
  file: string,
  mark: string,
  registry: readonly string[],
): Promise<void> {
  for (const givenUpAt = monotonicMs() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    const stranger = strangerBeside(file, mark, registry);
    if (stranger === null) return;
    if (monotonicMs() < givenUpAt) continue;
    throw strangerRefused(stranger);
  }
}

/**
 * Once a database is open, before anything is written to it. First the name of the log is brought to
 * the disk, then what is remembered: after a loss of power the log that is there is the one that is
 * remembered, or has nothing in it.
 */
export function rememberBeside(file: string, mark: string, registry: readonly string[]): void {
  const log = fileIdentity(`${file}-wal`);
  if (log === null || isRemembered(log, mark, registry)) return;
  flushNames(dirname(file));
  for (const folder of registry) {
    try {
      remember(join(folder, mark), log);
      return;
    } catch {
      // Not writable: try the next folder.
    }
  }
}

/**
 * Written in place, because a new name would need a flush, too. A reader that is too early looks
 * again.
 */
function remember(path: string, log: string): void {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const opened = openSync(path, O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY, 0o600);
  try {
    writeSync(opened, log);
    fdatasyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

export function strangerRefused(stranger: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${stranger} was not made by you, and would change the store beside it: remove it, or check both and trust the store.`,
    { remedy: 'trust_store' },
  );
}

export function strangerBeside(file: string, mark: string, registry: readonly string[]): string | null {
  if (sizeOf(`${file}-journal`) > 0) return `${file}-journal`;
  const log = sizeOf(`${file}-wal`) > 0 ? fileIdentity(`${file}-wal`) : null;
  return log === null || isRemembered(log, mark, registry) ? null : `${file}-wal`;
}

function isRemembered(log: string, mark: string, registry: readonly string[]): boolean {
  return registry.some((folder) => textOf(join(folder, mark)) === log);
}

/** Identifies a file by more than its name: a replacement has another creation time. */
function fileIdentity(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
