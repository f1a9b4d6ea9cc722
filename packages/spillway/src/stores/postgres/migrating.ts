/**
 * Table changes on request, above all row-level security for tenants: one role per tenant, which
 * sees only its own rows. Every key includes the tenant, so tenants cannot find or guess each
 * other's content. The owner of the tables sees everything. Earlier rows belong to the role that
 * turns it on.
 */
import { SpillwayError } from '@spillway/core/store';
import { Access, type AccessOptions } from './access.ts';
import type { Connection } from './driver.ts';
import { CLOSE_PUBLIC } from './inspect-server.ts';
import { countContent, ensureSchema, quoted, WRITTEN } from './schema.ts';

const TABLES = [...WRITTEN, 'counter'];

/** Changing large tables takes long, and a person waits for it. */
const TIMEOUT_MS = 86_400_000;

/**
 * Makes the tables; where roles are named, keeps tenants apart and gives these roles what a tenant
 * needs. Safe to give again.
 */
export async function migrateServer(options: AccessOptions, roles: readonly string[]): Promise<void> {
  const access = new Access({ ...options, timeoutMs: TIMEOUT_MS });
  try {
    await access.keepUp(async (db) => {
      const { schema = 'spillway' } = options;
      await ensureSchema(db, quoted(schema));
      if (roles.length > 0) {
        await refuseOpenSchemas(db, roles, schema);
        const known = await db.get("SELECT 1 FROM @meta WHERE name = 'tenants'");
        if (known === undefined) await separate(db);
      }
      for (const role of roles) await admit(db, quoted(role), schema);
    });
  } finally {
    await access.close();
  }
}

/**
 * A tenant that may create functions in a schema on others' search path could have them run by any
 * caller, up to the administrator.
 */
async function refuseOpenSchemas(db: Connection, roles: readonly string[], schema: string): Promise<void> {
  const open = await db.get<{ schema: string; role: string }>(
    `SELECT n.nspname AS schema, r.role FROM pg_namespace n, unnest($1::text[]) AS r (role)
     WHERE n.nspname IN ('public', $2) AND has_schema_privilege(r.role::name, n.oid, 'CREATE')`,
    ['public', ...roles],
    schema,
  );
  if (open === undefined) return;
  const who = open.role === 'public' ? 'Every role' : `The tenant ${quoted(open.role)}`;
  throw new SpillwayError(
    'store_unavailable',
    `${who} may create objects in the schema ${quoted(open.schema)}, and could have them run as an administrator. Nothing was changed. ${howToClose(open)}`,
  );
}

function howToClose({ schema, role }: { readonly schema: string; readonly role: string }): string {
  if (role === 'public') return CLOSE_PUBLIC;
  return `Run: REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM ${quoted(role)}. Where that is not enough, the role owns the schema or is a superuser: name a tenant that is neither.`;
}

async function separate(db: Connection): Promise<void> {
  // Waits for running seals and holds up the next: tables are locked one by one.
  await db.get('SELECT @decided()');
  for (const table of TABLES)
    await db.run(`ALTER TABLE @${table} ADD COLUMN tenant text NOT NULL DEFAULT current_user`);
  const references = [
    ['piece', ' ON DELETE CASCADE'],
    ['part', ''],
  ] as const;
  for (const [table] of references)
    await db.run(`ALTER TABLE @${table} DROP CONSTRAINT ${table}_content_fkey`);
  await db.run(KEYS);
  for (const [table, gone] of references)
    await db.run(
      `ALTER TABLE @${table} ADD CONSTRAINT ${table}_content_fkey
       FOREIGN KEY (content, tenant) REFERENCES @content (id, tenant)${gone}`,
    );
  for (const table of TABLES) {
    await db.run(`CREATE POLICY tenant ON @${table} USING (tenant = current_user::text)`);
    await db.run(`ALTER TABLE @${table} ENABLE ROW LEVEL SECURITY`);
  }
  await db.run("INSERT INTO @meta VALUES ('tenants', 1)");
  for (const sql of countContent(true)) await db.run(sql);
}

const KEYS = `
DO $$
DECLARE
  k record;
BEGIN
  FOR k IN SELECT con.conname, con.conrelid::regclass AS rel, con.contype,
      (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY c.place)
        FROM unnest(con.conkey) WITH ORDINALITY AS c (attnum, place)
        JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = c.attnum) AS columns
    FROM pg_constraint con WHERE con.connamespace = @name::regnamespace AND con.contype IN ('p', 'u')
      AND con.conname <> 'meta_pkey'
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', k.rel, k.conname);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s (%s, tenant)', k.rel, k.conname,
      CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, k.columns);
  END LOOP;
END $$`;

async function admit(db: Connection, role: string, schema: string): Promise<void> {
  const within = `IN SCHEMA ${quoted(schema)} TO ${role}`;
  await db.run(`GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${role}`);
  await db.run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${within}`);
  await db.run(`GRANT SELECT, USAGE ON ALL SEQUENCES ${within}`);
  await db.run(`REVOKE INSERT, UPDATE, DELETE ON @meta, @counter FROM ${role}`);
}
