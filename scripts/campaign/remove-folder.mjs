// Removes a folder that a process which was just ended, or what it left behind, may still write into.
import { rmSync } from 'node:fs';

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
