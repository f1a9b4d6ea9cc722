/**
 * Marks for plain copies that a notice names and that are not written yet: a file for each,
 * `{id}.{pid}` in a folder of their own, which holds where the copy goes. A mark of a process that
 * is gone tells of a copy that was not written. All of it is best effort; links are not followed.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ArtifactId, isArtifactId } from '@spillway/core';

const FOLDER = '.copies';
const MARK = /^(art_\d{1,15}_[0-9A-Za-z]{4,64})\.(\d{1,10})$/;
/** A mark is a scope and a path. */
const MOST_BYTES = 65_536;

/** A copy that was announced: whose it is, and where it goes. */
export interface AnnouncedCopy {
  readonly scope: string;
  readonly id: ArtifactId;
  readonly path: string;
}

export class AnnouncedCopies {
  readonly #folder: string;

  constructor(artifacts: string) {
    this.#folder = join(artifacts, FOLDER);
  }

  announce({ scope, id, path }: AnnouncedCopy): void {
    makePrivateFolder(this.#folder);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const file = openSync(this.#markOf(id, process.pid), flags, 0o600);
    writeSync(file, JSON.stringify([scope, path]));
    closeSync(file);
  }

  /** Takes the marks of an output away: those of this process, and of processes that are gone. */
  settle(id: ArtifactId): void {
    for (const [name, marked, pid] of this.#marks())
      if (marked === id && (pid === process.pid || !isAlive(pid)))
        rmSync(join(this.#folder, name), { force: true });
    try {
      rmdirSync(this.#folder);
    } catch {
      // Others have marks there, or it is gone.
    }
  }

  /** Announced by processes that are gone, and not there. */
  unwritten(): AnnouncedCopy[] {
    return this.#marks().flatMap(([name, id, pid]) => {
      if (pid === process.pid || isAlive(pid)) return [];
      const mark = this.#read(name);
      if (mark !== null && !existsSync(mark.path)) return [{ ...mark, id }];
      this.settle(id);
      return [];
    });
  }

  #marks(): readonly (readonly [name: string, id: ArtifactId, pid: number])[] {
    try {
      if (!lstatSync(this.#folder).isDirectory()) return [];
      return readdirSync(this.#folder).flatMap((name) => {
        const [, id, pid] = MARK.exec(name) ?? [];
        return isArtifactId(id) ? [[name, id, Number(pid)] as const] : [];
      });
    } catch {
      // There are none.
      return [];
    }
  }

  #read(name: string): Omit<AnnouncedCopy, 'id'> | null {
    try {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = openSync(join(this.#folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const found = fstatSync(file);
        if (!found.isFile() || found.size > MOST_BYTES) return null;
        const [scope, path]: unknown[] = JSON.parse(readFileSync(file, 'utf8'));
        return typeof scope === 'string' && typeof path === 'string' ? { scope, path } : null;
      } finally {
        closeSync(file);
      }
    } catch {
      // Half written, or gone meanwhile: nothing can be told from it.
      return null;
    }
  }

  #markOf(id: ArtifactId, pid: number): string {
    return join(this.#folder, `${id}.${pid}`);
  }
}

/** Whether a process with this number runs, whoever owns it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The folder above is the store's and is there by now. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!lstatSync(folder).isDirectory()) throw new Error('not a folder');
}
