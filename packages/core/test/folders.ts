/** Folders for tests. Each is empty, has its real path, and goes when the test file that asked for it is done. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'spillway-test-')));
  made.push(folder);
  return folder;
}
