/**
 * How many bytes the store holds, without looking at every row: triggers count what content is
 * added and removed, in the transaction that does it. They run when it commits, so a counter is the
 * last thing that a transaction locks, and each connection has one of 64: writers seldom meet. They
 * run as the owner of the tables: nobody else writes counters, and everybody may read them. So they
 * count for this table only, and nobody else may put them on another.
 * Invariant: the sums of `kept` and `open` are the bytes of content with and without a hash.
 */
import { plpgsql } from './settings.ts';

/** The table and its triggers; what is there already is counted once they are in force. */
export const COUNTERS = `
CREATE TABLE @counter (shard int PRIMARY KEY, kept bigint NOT NULL, open bigint NOT NULL) WITH (fillfactor = 50);
GRANT SELECT ON @counter TO PUBLIC;
CREATE CONSTRAINT TRIGGER content_added AFTER INSERT ON @content DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION @count_content();
CREATE CONSTRAINT TRIGGER content_changed AFTER UPDATE ON @content DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.bytes <> NEW.bytes OR OLD.hash IS DISTINCT FROM NEW.hash) EXECUTE FUNCTION @count_content();
CREATE CONSTRAINT TRIGGER content_removed AFTER DELETE ON @content DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION @count_content();
INSERT INTO @counter SELECT -1, coalesce(sum(bytes) FILTER (WHERE hash IS NOT NULL), 0),
  coalesce(sum(bytes) FILTER (WHERE hash IS NULL), 0) FROM @content;
INSERT INTO @meta VALUES ('oldest', 6);
`;

/** Where tenants are kept apart, each has counters of its own, whoever removes its content. */
export function countContent(hasTenants: boolean): readonly string[] {
  const [column, value] = hasTenants ? [', tenant', ', coalesce(NEW.tenant, OLD.tenant)'] : ['', ''];
  return [
    `
CREATE OR REPLACE FUNCTION @count_content() RETURNS trigger SECURITY DEFINER ${plpgsql()} AS $$
DECLARE
  v_kept bigint := 0;
  v_open bigint := 0;
BEGIN
  IF TG_RELID <> (@name || '.content')::regclass THEN
    RAISE EXCEPTION 'counts the content of the store only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.hash IS NULL THEN v_open := NEW.bytes; ELSE v_kept := NEW.bytes; END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    IF OLD.hash IS NULL THEN v_open := v_open - OLD.bytes; ELSE v_kept := v_kept - OLD.bytes; END IF;
  END IF;
  INSERT INTO @counter AS c (shard, kept, open${column}) VALUES (pg_backend_pid() % 64, v_kept, v_open${value})
    ON CONFLICT ON CONSTRAINT counter_pkey DO UPDATE SET kept = c.kept + v_kept, open = c.open + v_open;
  RETURN NULL;
END $$`,
    'REVOKE ALL ON FUNCTION @count_content() FROM PUBLIC',
  ];
}
