/**
 * What is examined of a store on a server: whether it answers, whether this role may do what is
 * needed, and whether the server really keeps what it says it has stored.
 */
import { SpillwayError } from '@spillway/core';
import { addressOf, type SharedStore } from '../shared-store.ts';
import {
  CLOSE_PUBLIC,
  inspectServer,
  OLDEST_SERVER,
  type ServerFacts,
} from '../stores/postgres/inspect-server.ts';
import { type Finding, failure, ok, warning } from './findings.ts';

/** Addresses that do not leave the machine. */
const LOCAL = /^postgres:\/\/(?:[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|\/)/;

export async function examineServer(shared: SharedStore): Promise<readonly Finding[]> {
  try {
    const facts = await inspectServer({ connectionString: addressOf(shared) });
    return [
      examineVersion(facts, shared),
      examineRights(facts),
      ...examineSchemas(facts),
      ...examineDurability(facts),
      ...examineLine(facts, shared),
    ];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [
      failure(
        'Server',
        `${shared.shown}: ${error.message}`,
        'Check the address, the network, the role and its password.',
      ),
    ];
  }
}

function examineVersion(
  { version, versionNumber, role, database }: ServerFacts,
  { shown }: SharedStore,
): Finding {
  const what = `PostgreSQL ${version} at ${shown}, role ${role}, database ${database}`;
  return versionNumber >= OLDEST_SERVER
    ? ok('Server', what)
    : failure('Server', what, 'The store needs PostgreSQL 15 or later: update the server.');
}

function examineRights({ readOnly, mayCreate, isTenant, role }: ServerFacts): Finding {
  if (readOnly)
    return failure('Rights', 'this server only reads (a standby?)', 'Name the primary in the address.');
  if (isTenant) return ok('Rights', `this role sees what belongs to the tenant ${role}, and nothing else`);
  return mayCreate
    ? ok('Rights', 'this role may make the tables')
    : ok(
        'Rights',
        'this role may not make tables: whoever may runs `spillway store migrate` before an update',
      );
}

function examineSchemas({ publicIsOpen }: ServerFacts): Finding[] {
  if (!publicIsOpen) return [];
  const detail = 'every role may create functions in the schema public, and so have them run by other roles';
  return [failure('Schemas', detail, CLOSE_PUBLIC)];
}

function examineDurability({ fsync, synchronousCommit, fullPageWrites }: ServerFacts): Finding[] {
  const lost = 'results that were answered can be lost or damaged when the server crashes';
  const findings: Finding[] = [];
  if (!fsync) findings.push(warning('Durability', `fsync is off: ${lost}`, 'Set fsync = on.'));
  if (!fullPageWrites)
    findings.push(warning('Durability', `full_page_writes is off: ${lost}`, 'Set full_page_writes = on.'));
  if (synchronousCommit === 'off')
    findings.push(
      warning(
        'Durability',
        'synchronous_commit is off: the last results before a crash of the server can be lost',
        'Set synchronous_commit = on, at least for this role: ALTER ROLE … SET synchronous_commit = on.',
      ),
    );
  return findings.length > 0
    ? findings
    : [ok('Durability', `fsync on, synchronous_commit ${synchronousCommit}`)];
}

function examineLine({ tls }: ServerFacts, { shown }: SharedStore): Finding[] {
  if (tls) return [ok('Connection', 'encrypted')];
  if (LOCAL.test(shown)) return [ok('Connection', 'not encrypted, on this machine')];
  return [
    warning('Connection', 'not encrypted', 'Add sslmode=verify-full (and sslrootcert=FILE) to the address.'),
  ];
}
