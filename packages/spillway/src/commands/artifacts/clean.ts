/** `spillway artifacts clean`: handles and plain copies go; with --purge what was stored goes too. */
import { bytesForPeople, counted } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { withStore } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'purge', doc: 'Remove the stored outputs too. They cannot be brought back.' },
    { name: 'dry-run', doc: 'Only say what would go.' },
    JSON_FLAG,
  ],
  examples: ['spillway artifacts clean', 'spillway artifacts clean --purge'],
};

export async function run(given: Given): Promise<number> {
  return withStore(async ({ workspace, spillway }) => {
    const { scope } = workspace;
    const how = given.has('purge') ? 'purge' : 'revoke';
    const dryRun = given.has('dry-run');
    const goes = await spillway.retire({ how, scope, preview: true });
    const outputs = counted(goes.outputs, how === 'purge' ? 'stored output' : 'output');
    const what =
      how === 'purge'
        ? `${outputs} (${bytesForPeople(goes.bytesFreed)})`
        : `the handles of ${outputs}; what was stored stays (--purge removes it)`;
    tell(`${dryRun ? 'Would remove' : 'Removing'} ${what}.`);
    const removed = dryRun ? goes : await spillway.retire({ how, scope });
    if (given.has('json')) {
      await print(
        `${JSON.stringify({ outputs: removed.outputs, bytes_freed: removed.bytesFreed, how, dry_run: dryRun })}\n`,
      );
    }
    return 0;
  });
}
