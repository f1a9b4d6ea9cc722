/**
 * What a tenant with a role of its own can try by SQL against the others on its server, as
 * statements. The tests and the campaign run them.
 */

/** Counts content for another tenant, which then has to make room: by a trigger on a table of its own. */
export function miscounts(victim: string, schema = 'spillway'): string {
  return `CREATE TEMP TABLE content (hash text, bytes bigint, tenant text);
    CREATE TRIGGER counted AFTER INSERT ON content FOR EACH ROW EXECUTE FUNCTION ${schema}.count_content();
    INSERT INTO content VALUES ('x', 1000000000000, '${victim}')`;
}

/**
 * Functions in `public` that fit calls of a statement better than PostgreSQL's own, and make the
 * tenant a superuser as soon as one calls them.
 */
export function traps(tenant: string): string {
  const body = (result: string) =>
    `LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE ${tenant} SUPERUSER; END IF;
      ${result}; END $$`;
  const lists = ['bigint', 'text', 'bytea', 'int2'].map(
    (type) =>
      `CREATE FUNCTION public.unnest(p ${type}[]) RETURNS SETOF ${type} ${body('RETURN QUERY SELECT p[i] FROM generate_subscripts(p, 1) AS i')}`,
  );
  return [
    `CREATE FUNCTION public.hashtextextended(text, int) RETURNS bigint ${body('RETURN 1')}`,
    `CREATE FUNCTION public.has_schema_privilege(text, oid, text) RETURNS boolean ${body('RETURN false')}`,
    ...lists,
  ].join(';');
}

/** Locks that hold up whoever writes, for as long as the transaction lasts. */
export const STALLS = [
  'LOCK TABLE spillway.output IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE spillway.session IN ACCESS EXCLUSIVE MODE',
  `SELECT pg_advisory_xact_lock(hashtextextended('spillway "spillway"', 0))`,
  'LOCK TABLE spillway.message, spillway.piece IN ACCESS EXCLUSIVE MODE',
];
