// A set-up of vitest: one folder for all temporary files of a run, removed when the run is over.
// Tests make folders in it, since it is the temporary folder of the processes that run them.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function useTemporaryFolder() {
  const name = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
  const before = process.env[name];
  const folder = mkdtempSync(join(tmpdir(), 'spillway-'));
  // Some tests run programs as another account, which has to get through to a folder of its own.
  chmodSync(folder, 0o711);
  process.env[name] = folder;
  return () => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
