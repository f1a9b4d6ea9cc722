/**
 * `spillway store migrate`: makes the tables of the store, or brings them up to date, by hand: for
 * a server whose usual role may not. Safe while others use the store.
 */
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { namedStore } from './named-store.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'to', value: 'STORE', doc: 'Which store, with a role that may (default: the configured one).' },
    JSON_FLAG,
  ],
  examples: ['spillway store migrate', 'spillway store migrate --to postgres://admin@db.example.com/agents'],
};

export async function run(given: Given): Promise<number> {
  const { store, shown } = await namedStore(given.value('to'), 'configured', 'store migrate');
  try {
    // The first use makes and changes what is needed.
    await store.sessions({ limit: 1 });
  } finally {
    await store.close();
  }
  await print(given.has('json') ? `${JSON.stringify({ store: shown })}\n` : `${shown} is up to date.\n`);
  return 0;
}
