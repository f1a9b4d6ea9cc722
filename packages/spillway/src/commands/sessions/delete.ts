/**
 * `spillway sessions delete`: a session with all it stored goes, after saying what goes. It cannot
 * be brought back.
 */
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { withStore } from '../artifacts/reading.ts';
import { foundSession } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: 'ID', min: 1, max: 1, completes: 'sessions' },
  flags: [{ name: 'dry-run', doc: 'Only say what would go.' }, JSON_FLAG],
  examples: ['spillway sessions delete run-42 --dry-run', 'spillway sessions delete run-42'],
};

export async function run(given: Given): Promise<number> {
  const [id = ''] = given.operands;
  const dryRun = given.has('dry-run');
  return withStore(async ({ spillway, workspace }, store) => {
    const { scope } = await foundSession(store, workspace.scope, id);
    const goes = await spillway.retire({ how: 'purge', scope, session: id, preview: true });
    tell(
      `${dryRun ? 'Would remove' : 'Removing'} session ${id} with ${pluralize(goes.outputs, 'stored output')} (${formatBytes(goes.bytesFreed)}).`,
    );
    const outputs = pluralize(goes.outputs, 'output');
    const removed = dryRun
      ? goes
      : await withProgress({ line: () => `Removing ${outputs}`, quiet: given.has('json') }, (progress) => {
          progress.step();
          return spillway.endSession(scope, id, 'purge');
        });
    if (given.has('json'))
      await print(
        `${JSON.stringify({ id, outputs: removed.outputs, bytes_freed: removed.bytesFreed, dry_run: dryRun })}\n`,
      );
    return 0;
  });
}
