/**
 * `spillway store migrate`: makes the tables of the store, or brings them up to date, by hand: for
 * a server whose usual role may not. Safe while others use the store.
 */
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import { print } from '../../output.ts';
import { namedStore } from './named-store.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'to', value: 'STORE', doc: 'Which store, with a role that may (default: the configured one).' },
    {
      name: 'tenants',
      value: 'ROLES',
      doc: 'Keep tenants apart by row-level security: the roles of these, with commas between them. They exist already.',
    },
    JSON_FLAG,
  ],
  examples: [
    'spillway store migrate',
    'spillway store migrate --to postgres://admin@db.example.com/agents',
    'spillway store migrate --to postgres://admin@db.example.com/agents --tenants payments,search',
  ],
};

export async function run(given: Given): Promise<number> {
  const { store, shown, address } = await namedStore(given.value('to'), 'configured', 'store migrate');
  const tenants = rolesOf(given, address);
  try {
    if (address === null) await store.sessions({ limit: 1 });
    else {
      const { migrateServer } = await import('../../stores/postgres/migrating.ts');
      await migrateServer({ connectionString: address }, tenants);
    }
  } finally {
    await store.close();
  }
  const apart = tenants.length === 0 ? '' : ` Tenants kept apart: ${tenants.join(', ')}.`;
  await print(
    given.has('json')
      ? `${JSON.stringify({ store: shown, tenants })}\n`
      : `${shown} is up to date.${apart}\n`,
  );
  return 0;
}

function rolesOf(given: Given, address: string | null): readonly string[] {
  const named = given.value('tenants');
  if (named === undefined) return [];
  const roles = named.split(',').map((role) => role.trim());
  if (address !== null && !roles.includes('')) return roles;
  throw usageError(
    'Tenants are roles of a PostgreSQL server: name the server with --to, and at least one role.',
    'store migrate',
  );
}
