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
      const facts = await db.get<ServerFacts>(
        `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
          current_setting('server_version_num')::int AS "versionNumber",
          current_database()::text AS database, current_user::text AS role,
          current_setting('fsync') = 'on' AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
          current_setting('full_page_writes') = 'on' AS "fullPageWrites",
          pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "readOnly",
          has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
          COALESCE((SELECT row_security_active(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'spillway' AND c.relname = 'output'), false) AS "isTenant",
          EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'public' AND has_schema_privilege('public', oid, 'CREATE')) AS "publicIsOpen",
          COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS tls`,
      );
      return facts as ServerFacts;
    });
  } finally {
    await access.close();
  }
}
