/**
 * `spillway store verify`: reads everything that is stored of this workspace, and compares it with
 * its checksums. Also tells if its log is gone. Changes nothing.
 */
import { existsSync, statSync } from 'node:fs';
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { type ReadBack, readBack } from '../../doctor/read-back.ts';
import { storeFile, type Workspace } from '../../find-workspace.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { withStore } from '../artifacts/reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway store verify', 'spillway store verify --json'],
};

export async function run(given: Given): Promise<number> {
  return withStore(async ({ workspace }, store) => {
    const missing = missingLog(workspace);
    if (missing !== null)
      tell(
        `spillway: ${missing} was removed while the store was in use: outputs that were stored last may be missing.`,
      );
    let seen = 0;
    const found = await withProgress(
      { line: () => `Reading: ${formatBytes(seen)}`, quiet: given.has('json') },
      (progress) =>
        readBack(store, workspace.scope, 'everything', (bytes) => {
          seen += bytes;
          progress.step();
        }),
    );
    await print(given.has('json') ? `${JSON.stringify(found)}\n` : inWords(found));
    return found.damaged.length === 0 && missing === null ? 0 : 1;
  });
}

/**
 * The log of the store, if it is gone although its index is there: SQLite removes the index first.
 * Looked at before the store is opened, which makes both anew.
 */
function missingLog(workspace: Workspace): string | null {
  const file = storeFile(workspace);
  const size = statSync(`${file}-shm`, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && !existsSync(`${file}-wal`) ? `${file}-wal` : null;
}

function inWords({ read, bytes, damaged }: ReadBack): string {
  const what = `Read ${pluralize(read, 'output')} with ${formatBytes(bytes)}`;
  return damaged.length === 0
    ? `${what}: all as they were stored.\n`
    : `${what}. Damaged: ${damaged.join(', ')}\nRestore the store from a backup; all others can be fetched as before.\n`;
}
