/**
 * The part of `pg` this store uses, by its shape: a pool of pg, of pg-native or of something that
 * speaks like them. `pg` itself is loaded when the store is first used and no pool was given.
 * Columns of bigint and numeric come back as strings; `Connection` makes numbers of them.
 */
import { type Query, SpillwayError, type SqlValue } from '@spillway/core/store';

/** What a statement may bind. */
export type PgValue = SqlValue;

/** Runs one statement; the rows are named by column. */
export interface PgQueryable {
  /** Runs it with values for `$1`, `$2` … */
  query(
    text: string,
    values?: PgValue[],
  ): Promise<{
    readonly rows: unknown[];
    readonly rowCount: number | null;
    /** The columns, by the number of their type. */
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }>;
}

interface PgEmitter {
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

/** A connection taken out of a pool; `release(true)` throws it away. */
export interface PgClient extends PgQueryable, PgEmitter {
  /** Gives it back to the pool. */
  release(destroy?: boolean): void;
}

/** A pool of connections, e.g. `new Pool()` of pg. */
export interface PgPool {
  /** Takes a connection out of the pool. */
  connect(): Promise<PgClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Adds a listener for errors of idle connections. */
  readonly on?: PgPoolListening;
  /** Removes it. */
  readonly off?: PgPoolListening;
}

/** Begins or ends to listen to a pool: to connections that broke, and to new ones. */
export interface PgPoolListening {
  (event: 'error', listener: () => void): unknown;
  (event: 'connect', listener: (client: PgClient) => void): unknown;
}

export async function pgPool(connectionString: string): Promise<PgPool> {
  // Bundlers leave it alone: most users of a bundle have no `pg`.
  const { default: pg } = await import(/* webpackIgnore: true */ 'pg').catch((cause: unknown) => {
    throw new SpillwayError(
      'store_unavailable',
      'The PostgreSQL store needs the package `pg`: install it beside spillway, or pass a pool.',
      { cause },
    );
  });
  // pg leaves the socket of a failed login open, which would keep the process alive.
  class Client extends pg.Client {
    override connect(done?: (error: never, client: never) => void): never {
      const ended = (error: unknown, client?: unknown) => {
        if (error instanceof Error) this.end().catch(() => undefined);
        done?.(error as never, client as never);
      };
      return super.connect(ended) as never;
    }
  }
  // Longer than the time-outs of access.ts; then the socket is closed.
  const connectionTimeoutMillis = 6_000;
  return new pg.Pool({ connectionString, connectionTimeoutMillis, keepAlive: true, Client: Client as never });
}

/** Types whose values are whole numbers below 2^53 in this store: bigint, and numeric sums of it. */
const NUMBERS = new Set([20, 1700]);

/**
 * Statements on one schema: `@table` in their text is a table or a function of it, `@name` its name
 * as a text, and `?` the next value.
 */
export class Connection {
  readonly #on: PgQueryable;
  readonly #schema: string;

  constructor(on: PgQueryable, schema: string) {
    this.#on = on;
    this.#schema = schema;
  }

  async ask<T>(query: Query<T>): Promise<T> {
    let step = query.next();
    while (step.done !== true) {
      const { sql, values, wants } = step.value;
      step = query.next(wants === 'rows' ? await this.all(sql, ...values) : await this.run(sql, ...values));
    }
    return step.value;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    const { rows, fields } = await this.#query(sql, values);
    const numbers = fields.filter(({ dataTypeID }) => NUMBERS.has(dataTypeID)).map(({ name }) => name);
    for (const row of rows as Record<string, unknown>[])
      for (const name of numbers) if (row[name] !== null) row[name] = Number(row[name]);
    return rows as Row[];
  }

  async get<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  #query(sql: string, values: SqlValue[]): ReturnType<PgQueryable['query']> {
    const named = sql.replace(/@(\w+)/g, (_, table) =>
      table === 'name' ? literal(this.#schema) : `${this.#schema}.${table}`,
    );
    let next = 0;
    return this.#on.query(values.length === 0 ? named : named.replaceAll('?', () => `$${++next}`), values);
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
