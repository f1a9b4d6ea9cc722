/**
 * The tables of this store (../sql/schema.ts), and the check that a file has exactly these: foreign
 * tables, views or triggers would run with our statements.
 */
import { SpillwayError } from '../../model/errors.ts';
import { otherVersion, STORE_VERSION, tableStatements } from '../sql/schema.ts';
import type { Connection } from './driver.ts';

/**
 * `content.refs` of content that nothing refers to any more: its rows are deleted later, in small
 * steps. The second says that this is durable, so that its file may go first.
 */
export const GARBAGE = -1;
export const GARBAGE_WITHOUT_FILE = -2;

const STATEMENTS: readonly string[] = [
  ...tableStatements({
    // Ids of content are never used again: a reader that lost its content must not find another's.
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    key: 'text',
    data: 'blob',
    inKeyOrder: ' WITHOUT ROWID',
    // The file (content-files.ts) that holds a large part from byte `file_start` on.
    content: ', file text, file_start bigint',
    session: '',
    // The latest time noted so far: it only grows with seq, so a point in time is found by it.
    event: ', high double precision NOT NULL',
    pieceOf: '',
    partOf: '',
  }),
  `CREATE INDEX content_garbage ON @content (id) WHERE refs < 0`,
  // Outputs that are being written, and by whom.
  `CREATE TABLE @draft (
  id text PRIMARY KEY, draft text NOT NULL, host text NOT NULL, pid bigint NOT NULL, started_at bigint NOT NULL,
  instance text NOT NULL, touched_at bigint NOT NULL)`,
  `CREATE TABLE @draft_part (
  draft text NOT NULL, idx bigint NOT NULL, spec text NOT NULL, content bigint NOT NULL, PRIMARY KEY (draft, idx)) WITHOUT ROWID`,
  "INSERT INTO @meta VALUES ('open_bytes', 0), ('kept_bytes', 0)",
].map((sql) => sql.replaceAll('@', ''));

const DECLARED: readonly string[] = STATEMENTS.filter((sql) => sql.startsWith('CREATE')).sort();

/** Makes the tables in a new file. */
export function makeTables(db: Connection): void {
  db.exec(`BEGIN; ${STATEMENTS.join(';\n')}; COMMIT`);
}

/**
 * Compares the tables of a file with ours. This is done in each transaction, because another program
 * may add a trigger at any time. Nothing is read or changed before it.
 */
export class SchemaCheck {
  readonly #file: string;
  #known: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  mustBeOurs(db: Connection): void {
    // A connection uses a changed schema only if this number has changed.
    const found = db.pragma('schema_version');
    if (found === this.#known) return;
    const declared = db
      .all<SchemaRow>('SELECT type, name, sql FROM sqlite_schema')
      .filter(isDeclared)
      .map(({ sql }) => sql ?? '')
      .sort();
    const isEqual = declared.length === DECLARED.length && declared.every((sql, i) => sql === DECLARED[i]);
    const version = recordedVersion(db, declared);
    if (!isEqual || version !== STORE_VERSION)
      throw new SpillwayError('store_unavailable', refusal(this.#file, version));
    this.#known = found;
  }
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** SQLite adds indexes of keys, which have no SQL, and the sequence table. */
function isDeclared({ type, name, sql }: SchemaRow): boolean {
  if (sql === null) return !(type === 'index' && name.startsWith('sqlite_autoindex_'));
  return sql !== 'CREATE TABLE sqlite_sequence(name,seq)';
}

/** As this version has it, and as earlier ones had it. */
const META = [
  'CREATE TABLE meta (name text PRIMARY KEY, value bigint NOT NULL) WITHOUT ROWID',
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
];

function recordedVersion(db: Connection, declared: readonly string[]): number | undefined {
  if (!META.some((sql) => declared.includes(sql))) return undefined;
  return db.get<{ value: number }>("SELECT value FROM meta WHERE name = 'schema'")?.value;
}

function refusal(file: string, version: number | undefined): string {
  if (version === undefined) return `${file} is a database of something else: name another file.`;
  if (version !== STORE_VERSION)
    return `${otherVersion(file, version)} or move the file away, with those beside it whose names begin with its name, to begin a new store.`;
  return `${file} holds tables, views or triggers that Spillway did not make, so somebody changed it: restore it from a copy, or move it away to begin a new one.`;
}
