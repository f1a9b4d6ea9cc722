// Folders to write in, on the disk of the system's temporary folder; what is left of them goes when the process ends.
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

export function discard(folder) {
  rmSync(folder, { recursive: true, force: true });
}
