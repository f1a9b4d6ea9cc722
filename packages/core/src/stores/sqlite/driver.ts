/**
 * What this store needs of a SQLite driver, as a shape: `DatabaseSync` of node:sqlite and
 * `Database` of better-sqlite3 both fit without being imported. `Connection` adds only a cache of
 * prepared statements and row types.
 */
import { pathToFileURL } from 'node:url';
import type { ContentFiles } from './content-files.ts';

/** A database of a driver. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Lets the file go. */
  close(): unknown;
}

/** A prepared statement of a driver. */
export interface SqliteStatement {
  /** Runs it, and tells what it changed. */
  run(...values: SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  /** The first row; undefined if there is none. */
  get(...values: SqliteValue[]): unknown;
  /** All rows. */
  all(...values: SqliteValue[]): unknown[];
}

/** What a statement may bind. */
export type SqliteValue = string | number | null | Uint8Array;

/** Opens a file that exists. */
export type SqliteDriver = (file: string) => SqliteDatabase;

/**
 * Node's own SQLite. Loaded when a store is opened: importing this module costs nothing and prints
 * no warning.
 */
export function nodeSqlite(): SqliteDriver {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return (file) => defensive(new DatabaseSync(file));
}

/** Forbids changes to SQLite's own tables where this Node can. */
function defensive<Database extends SqliteDatabase>(database: Database): Database {
  const { enableDefensive } = database as { enableDefensive?: (active: boolean) => void };
  enableDefensive?.call(database, true);
  return database;
}

/**
 * For a read-only file system. In WAL mode SQLite wants to create files beside the database unless
 * it is told that nothing changes; then it does not see a -wal that was never moved into the file.
 */
export function nodeSqliteToRead(): SqliteDriver {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return (file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      database.exec('SELECT 1 FROM sqlite_schema');
      return database;
    } catch {
      database.close();
      const unchanging = pathToFileURL(file);
      unchanging.searchParams.set('immutable', '1');
      return new DatabaseSync(unchanging, { readOnly: true });
    }
  };
}

/** Statements on one database; `@name` in their text is a table of the store. */
export class Connection {
  readonly files: ContentFiles;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  #closed = false;

  constructor(database: SqliteDatabase, files: ContentFiles) {
    this.#database = database;
    this.files = files;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first row. The row type follows from the SQL next to the call. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  run(sql: string, ...values: SqliteValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  pragma(name: string): number {
    return this.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0;
  }

  insert(sql: string, ...values: SqliteValue[]): number {
    return Number(this.#prepared(sql).run(...values).lastInsertRowid);
  }

  /** Ends a failed transaction, if SQLite has not done so itself, as on a full disk. */
  rollback(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // SQLite ended the transaction itself.
    }
  }

  /** May be called twice: when the file is found gone, and when the store is closed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql.replaceAll('@', ''));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
