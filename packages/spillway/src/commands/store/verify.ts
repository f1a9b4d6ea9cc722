/**
 * `spillway store verify`: reads everything that is stored of this workspace, and compares it with
 * its checksums. Changes nothing.
 */
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { type ReadBack, readBack } from '../../doctor/read-back.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { withStore } from '../artifacts/reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway store verify', 'spillway store verify --json'],
};

export async function run(given: Given): Promise<number> {
  return withStore(async ({ workspace }, store) => {
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
    return found.damaged.length === 0 ? 0 : 1;
  });
}

function inWords({ read, bytes, damaged }: ReadBack): string {
  const what = `Read ${pluralize(read, 'output')} with ${formatBytes(bytes)}`;
  return damaged.length === 0
    ? `${what}: all as they were stored.\n`
    : `${what}. Damaged: ${damaged.join(', ')}\nRestore the store from a backup; all others can be fetched as before.\n`;
}
