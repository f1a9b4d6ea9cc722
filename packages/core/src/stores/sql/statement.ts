/**
 * Statements of a store, written once for every engine. A query is a generator: it yields one
 * statement at a time and gets back its rows, so a synchronous driver (SQLite) and an asynchronous
 * one (PostgreSQL) run the same code. In the text `@name` is a table of the store and `?` the next
 * value; everything from outside is bound.
 */

/** What a statement may bind; booleans only where the engine has them. */
export type SqlScalar = string | number | boolean | null | Uint8Array;
/** The same, or a list for engines that have arrays. */
export type SqlValue = SqlScalar | readonly SqlScalar[];

/** One statement of a query. */
export interface Statement {
  /** The text, with a `?` for each value. */
  readonly sql: string;
  /** In the order of the marks. */
  readonly values: readonly SqlValue[];
  /** What the query wants back: its rows, or how many rows it changed. */
  readonly wants: 'rows' | 'changes';
}

/** Runs again from the start after a failed transaction, so it changes nothing but the store. */
export type Query<T> = Generator<Statement, T, unknown>;

/** The row type follows from the SQL next to the call. */
export function* all<Row>(sql: string, ...values: SqlValue[]): Query<Row[]> {
  return (yield { sql, values, wants: 'rows' }) as Row[];
}

/** The first row. */
export function* get<Row>(sql: string, ...values: SqlValue[]): Query<Row | undefined> {
  return ((yield { sql, values, wants: 'rows' }) as Row[])[0];
}

/** The number of rows it changed. */
export function* run(sql: string, ...values: SqlValue[]): Query<number> {
  return (yield { sql, values, wants: 'changes' }) as number;
}

/** A query whose answer is known without asking. */
// biome-ignore lint/correctness/useYield: there is nothing to ask
export function* answer<T>(value: T): Query<T> {
  return value;
}

/** A condition and the values it binds; undefined when there is nothing to ask. */
export type Condition = readonly [sql: string, ...values: SqlValue[]] | undefined;

export interface Where {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function allOf(conditions: readonly Condition[]): Where {
  const given = conditions.filter((condition) => condition !== undefined);
  return {
    sql: given.length === 0 ? 'true' : given.map(([sql]) => sql).join(' AND '),
    values: given.flatMap(([, ...bound]) => bound),
  };
}
