/**
 * `spillway store copy`: everything of this workspace from one store into another, and compared
 * there byte by byte. Begun again, it goes on where it was interrupted. The first store is not
 * changed.
 */
import { copyStore, type StoreCopy } from '@spillway/core/history';
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import { keepMemorySmall } from '../../memory.ts';
import { print } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { namedStore, scopeChange } from './named-store.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'from',
      value: 'STORE',
      doc: 'The store to read: a folder or postgres://… (default: the one in the workspace).',
    },
    { name: 'to', value: 'STORE', doc: 'The store to fill (default: the one that settings name).' },
    JSON_FLAG,
  ],
  examples: [
    'spillway store copy --to postgres://spillway@db.example.com/agents',
    'spillway store copy --from postgres://spillway@db.example.com/agents --to /backup/spillway',
  ],
};

export async function run(given: Given): Promise<number> {
  keepMemorySmall();
  const from = await namedStore(given.value('from'), 'embedded', 'store copy');
  const to = await namedStore(given.value('to'), 'configured', 'store copy');
  try {
    if (from.shown === to.shown)
      throw usageError('Both are the same store. Name another with --from or --to.', 'store copy');
    let done: StoreCopy | null = null;
    const line = () =>
      done === null ? 'Copying' : `Copied ${pluralize(done.outputs, 'output')}, ${formatBytes(done.bytes)}`;
    const copy = await withProgress({ line, quiet: given.has('json') }, (progress) =>
      copyStore(from.store, to.store, {
        scope: scopeChange(from.scope, to.scope),
        onOutput(progressed) {
          done = progressed;
          progress.step();
        },
      }),
    );
    await tellCopy(given, copy, from.shown, to.shown);
    return copy.damaged.length === 0 ? 0 : 1;
  } finally {
    await Promise.all([from.store.close(), to.store.close()]);
  }
}

async function tellCopy(given: Given, copy: StoreCopy, from: string, to: string): Promise<void> {
  if (given.has('json')) return print(`${JSON.stringify({ from, to, ...copy })}\n`);
  const { outputs, known, bytes, messages, events, damaged } = copy;
  const before = known === 0 ? '' : `, ${known.toLocaleString('en')} of them there before`;
  await print(
    `Copied and compared ${pluralize(outputs, 'output')} with ${formatBytes(bytes)}${before}, ${pluralize(messages, 'message')} and ${pluralize(events, 'event')} from ${from} to ${to}.\n`,
  );
  if (damaged.length > 0) await print(`Damaged in ${from}, and not copied: ${damaged.join(', ')}\n`);
}
