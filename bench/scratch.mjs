// Folders to write in, on the disk of the system's temporary folder; what is left of them goes when
// the process ends.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made = 0;
let root;

export function scratchFolder() {
  if (root === undefined) {
    root = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
    process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  }
  return mkdtempSync(join(root, `${made++}-`));
}

/**
 * Removes a folder and waits until the disk has nothing left to do, so that the next one does not
 * pay for it.
 */
export function discard(folder) {
  rmSync(folder, { recursive: true, force: true });
  // Where there is no such program, the figures are a little less steady.
  spawnSync('sync');
}
