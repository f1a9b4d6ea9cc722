/**
 * `spillway sessions end`: its handles no longer resolve and its plain copies go; what was stored
 * stays, unless `retention` says otherwise.
 */
import { pluralize } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { withStore } from '../artifacts/reading.ts';
import { foundSession } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: 'ID', min: 1, max: 1, completes: 'sessions' },
  flags: [JSON_FLAG],
  examples: ['spillway sessions end run-42'],
};

export async function run(given: Given): Promise<number> {
  const [id = ''] = given.operands;
  return withStore(async ({ spillway, workspace }, store) => {
    const { scope } = await foundSession(store, workspace.scope, id);
    const { outputs, bytesFreed } = await spillway.endSession(scope, id);
    if (given.has('json')) await print(`${JSON.stringify({ id, outputs, bytes_freed: bytesFreed })}\n`);
    else
      await print(
        `Ended session ${id}: ${pluralize(outputs, 'handle')} no longer resolve${outputs === 1 ? 's' : ''}.\n`,
      );
    return 0;
  });
}
