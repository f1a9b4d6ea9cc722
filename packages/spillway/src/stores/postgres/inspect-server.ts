/**
 * What the server of a store is, for people: its version, whether this role may do what the store
 * needs, and settings that would lose a result which was answered.
 */
import { Access, type AccessOptions } from './access.ts';

/** A server as it answers. */
export interface ServerFacts {
  /** As PostgreSQL says it, e.g. 17.2. */
  readonly version: string;
  /** The same as a number, e.g. 170002. */
  readonly versionNumber: number;
  readonly database: string;
  readonly role: string;
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  readonly fullPageWrites: boolean;
  /** Whether the role may make tables, which an update of Spillway may need. */
  readonly mayCreate: boolean;
  readonly tls: boolean;
  /** Whether the server only reads: a standby. */
  readonly readOnly: boolean;
  /** Whether the server shows this role the rows of its own tenant only. */
  readonly isTenant: boolean;
  /**
   * Whether every role may make functions in the schema `public`, where the statements of others
   * find them: so it was made before PostgreSQL 15.
   */
  readonly publicIsOpen: boolean;
}

/** The oldest server that the store is made for. */
export const OLDEST_SERVER = 150_000;

/** What to do where every role may create objects in `public`. */
export const CLOSE_PUBLIC =
  'The owner of the database runs: REVOKE CREATE ON SCHEMA public FROM PUBLIC; and then removes what others have put there (psql: \\df public.* and \\do public.*).';

export async function inspectServer(options: AccessOptions): Promise<ServerFacts> {
  const access = new Access({ timeoutMs: 10_000, ...options });
  try {
    return await access.look(async (db) => {
      const row = await db.get<Record<string, string | boolean>>(
        `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
          current_database() AS database, current_user AS role, current_setting('fsync') AS fsync,
          current_setting('synchronous_commit') AS sync, current_setting('full_page_writes') AS pages,
          pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
          has_database_privilege(current_database(), 'CREATE') AS may_create,
          COALESCE((SELECT row_security_active(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'spillway' AND c.relname = 'output'), false) AS is_tenant,
          EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'public' AND has_schema_privilege('public', oid, 'CREATE')) AS open,
          COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS tls`,
      );
      return {
        version: String(row?.version).split(' ')[0] ?? '',
        versionNumber: Number(row?.number),
        database: String(row?.database),
        role: String(row?.role),
        fsync: row?.fsync === 'on',
        synchronousCommit: String(row?.sync),
        fullPageWrites: row?.pages === 'on',
        mayCreate: row?.may_create === true,
        tls: row?.tls === true,
        readOnly: row?.read_only === true,
        isTenant: row?.is_tenant === true,
        publicIsOpen: row?.open === true,
      };
    });
  } finally {
    await access.close();
  }
}
