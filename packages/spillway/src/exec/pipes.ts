/**
 * Real pipes between a command and us. Node joins parent and child by sockets, in which every small
 * write takes a place of its own: a few hundred lines fill one, and what a program that ends in a
 * hurry could not write is gone. A pipe holds 64 KB, as behind a shell. Node cannot make a pipe, so
 * it is a named one whose name is gone before the command starts. Where there is none (Windows, no
 * writable folder) or it cannot be read (Bun), sockets do.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface PipeEnds {
  readonly read: Readable;
  /** The descriptor that the command writes to. */
  readonly write: number;
}

/**
 * So many pipes; null where they cannot be made. The caller closes the ends to write to once the
 * command has them.
 */
export function makePipes(count: number): readonly PipeEnds[] | null {
  if (process.platform === 'win32' || process.versions.bun !== undefined) return null;
  let folder: string | undefined;
  const opened: number[] = [];
  try {
    folder = mkdtempSync(join(tmpdir(), 'spillway-'));
    const names = Array.from({ length: count }, (_, i) => join(folder as string, `${i}`));
    execFileSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
    const ends = names.map((name) => {
      // Without waiting for a writer; then there is a reader, and the other end need not wait
      // either.
      const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push(read);
      const write = openSync(name, constants.O_WRONLY);
      opened.push(write);
      return { read, write };
    });
    return ends.map(({ read, write }) => ({ read: new Socket({ fd: read, writable: false }), write }));
  } catch {
    for (const fd of opened) closeSync(fd);
    return null;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
