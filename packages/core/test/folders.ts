/** Empty folders for tests, by their real paths. They go when the run is over. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'test-')));
}

/** Removes a folder early, as a process that has just ended may still be writing into it. */
export function removed(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The path of a store in a folder of its own; nothing is there yet. */
export async function storeFile(): Promise<string> {
  return join(await temporaryFolder(), 'store.db');
}
