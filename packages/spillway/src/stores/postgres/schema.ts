/**
 * The tables of the store (`tableStatements` of the core) with what PostgreSQL has of its own: names
 * are looked up by their SHA-256, because a name may be of any length and hold anything, and a key
 * of an index may not; content has no hash while it is being written; triggers count its bytes.
 */
import { otherVersion, SpillwayError, STORE_VERSION, tableStatements } from '@spillway/core/store';
import type { Connection } from './driver.ts';
import { COUNTERS, functions } from './functions.ts';

/** Characters of the names of a session by which it is found. */
export const NAMES_INDEXED = 300;

const STATEMENTS: readonly string[] = [
  ...tableStatements({
    id: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    key: 'bytea',
    data: 'bytea',
    inKeyOrder: '',
    content: ', written_at timestamptz NOT NULL DEFAULT now()',
    session: ', names text NOT NULL',
    event: '',
    pieceOf: ' REFERENCES @content ON DELETE CASCADE',
    partOf: ' REFERENCES @content',
  }),
  'ALTER TABLE @piece ALTER data SET STORAGE EXTERNAL',
  'CREATE INDEX part_content ON @part (content)',
  'CREATE INDEX content_open ON @content (written_at) WHERE hash IS NULL',
  `CREATE INDEX session_names ON @session (left(names, ${NAMES_INDEXED}) text_pattern_ops)`,
  // Triggers need their function first; functions find their tables when they run.
  ...functions(false),
  ...COUNTERS,
];

/** Whether the tables are there. Those of another version are refused. */
export async function isCurrent(db: Connection, schema: string): Promise<boolean> {
  const isMade = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'";
  if ((await db.get(isMade, unquoted(schema))) === undefined) return false;
  const found = await db.get<{ value: number }>("SELECT value FROM @meta WHERE name = 'schema'");
  if (found?.value === STORE_VERSION) return true;
  throw new SpillwayError(
    'store_unavailable',
    `${otherVersion('What the schema holds', found?.value ?? 0)} or name another schema to begin a new store.`,
  );
}

/** Creates the tables where there are none. Runs under the store's lock. */
export async function ensureSchema(db: Connection, schema: string): Promise<void> {
  if (await isCurrent(db, schema)) return;
  const known = await db.get('SELECT 1 FROM pg_namespace WHERE nspname = $1', unquoted(schema));
  if (known === undefined) await db.run(`CREATE SCHEMA ${schema}`);
  for (const sql of STATEMENTS) await db.run(sql);
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function unquoted(identifier: string): string {
  return identifier.slice(1, -1).replaceAll('""', '"');
}
