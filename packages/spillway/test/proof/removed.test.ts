// A store that is removed under a running host: nothing that happens to it may end or hang the
// host.
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';

const HOST = fileURLToPath(new URL('./removed-process.mjs', import.meta.url));

test.each([
  ['four writers of one store', 'shared'],
  ['four stores of one file', 'several'],
  ['four writers of a store in a thread', 'thread'],
])(
  'a folder that is removed under %s costs no answer and does not end the host',
  async (_, kind) => {
    const root = await temporaryFolder();
    await mkdir(join(root, '.git'));
    const ran = await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      HOST,
      root,
      kind,
    ]);
    expect(ran.stderr).toBe('');
    const { stored } = JSON.parse(ran.stdout);
    // The last one at least: by then the folder stays.
    expect(stored).toBeGreaterThan(0);
    await rm(root, { recursive: true, force: true });
  },
  60_000,
);
