/**
 * `spillway artifacts clean`: handles and plain copies go; with --purge what was stored goes too. A
 * person is asked before handles of sessions go that have not ended.
 */

import { createInterface } from 'node:readline/promises';
import { formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { defined } from '../../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import { answer, tell } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { isPerson } from '../../terminal.ts';
import { spanOf } from '../durations.ts';
import { namedRecord, withStore } from './reading.ts';

export const details: CommandDetails = {
  summary:
    'Retire the handles of this workspace and remove its plain copies; the record stays unless purged.',
  operands: { usage: '[ID …]', min: 0, max: Number.POSITIVE_INFINITY, completes: 'handles' },
  flags: [
    { name: 'older-than', value: 'AGE', doc: 'Only outputs that ended longer ago: 90m, 24h, 7d, 2w.' },
    { name: 'purge', doc: 'Remove the stored outputs too. They cannot be brought back.' },
    { name: 'dry-run', doc: 'Only say what would go.' },
    { name: 'yes', doc: 'Do not ask, also where sessions have not ended.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts clean --dry-run',
    'spillway artifacts clean --older-than 7d --purge',
    'spillway artifacts clean art_1699234567_a1b2c3d4',
  ],
};

export async function run(given: Given): Promise<number> {
  const before = endedBefore(given, Date.now());
  return withStore(async (opened, store) => {
    const { spillway } = opened;
    const { scope } = opened.workspace;
    // All are looked up before the first one goes: a handle that is mistyped removes nothing.
    const named = await Promise.all(given.operands.map((typed) => namedRecord(typed, opened, store)));
    const how = given.has('purge') ? ('purge' as const) : ('retire' as const);
    const ids = named.length === 0 ? undefined : [...new Set(named.map(({ id }) => id))];
    const order = { how, ...defined({ ids, before }) };
    const dryRun = given.has('dry-run');
    const goes = await spillway.retire({ ...order, scope, preview: true });
    const outputs = pluralize(goes.outputs, how === 'purge' ? 'stored output' : 'output');
    const what =
      how === 'purge'
        ? `${outputs} (${formatBytes(goes.bytesFreed)})`
        : `the handles of ${outputs}; what was stored stays (--purge removes it)`;
    const live =
      goes.outputs - (await spillway.retire({ ...order, scope, ended: true, preview: true })).outputs;
    tell(`${dryRun ? 'Would remove' : 'Removing'} ${what}.`);
    if (live > 0 && named.length === 0) {
      tell(
        `Of these, ${formatCount(live)} ${live === 1 ? 'belongs' : 'belong'} to sessions that have not ended: an agent may still fetch them.`,
      );
      if (!dryRun && !given.has('yes') && process.stdin.isTTY && isPerson() && !(await isConfirmed()))
        return 1;
    }
    const removed = dryRun
      ? goes
      : await withProgress({ line: () => `Removing ${outputs}`, quiet: given.has('json') }, (progress) => {
          progress.step();
          return spillway.retire({ ...order, scope });
        });
    const { outputs: count, bytesFreed: bytes_freed } = removed;
    await answer(given, { outputs: count, bytes_freed, how: JSON_NAMES[how], dry_run: dryRun }, '');
    return 0;
  });
}

async function isConfirmed(): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await asking.question('Remove them? [y/N] ');
  asking.close();
  if (/^y(es)?$/i.test(typed.trim())) return true;
  tell('Nothing was removed.');
  return false;
}

/** What `--json` has called them since the first release. */
const JSON_NAMES = { retire: 'revoke', purge: 'purge' } as const;

function endedBefore(given: Given, now: number): number | undefined {
  const text = given.value('older-than');
  if (text === undefined) return undefined;
  if (given.operands.length > 0)
    throw usageError('Name handles or give --older-than, not both.', 'artifacts clean');
  const span = spanOf(text);
  if (span === undefined) throw usageError('--older-than takes 90m, 24h, 7d or 2w.', 'artifacts clean');
  return now - span;
}
