/**
 * Conditions of a query, put together from constant text; everything from outside is bound. `?` is
 * the next value.
 */
import type { PgValue } from './driver.ts';

/** A condition and the values it binds; undefined when there is nothing to ask. */
export type Condition = readonly [sql: string, ...values: PgValue[]] | undefined;

export interface Where {
  readonly sql: string;
  readonly values: PgValue[];
}

export function allOf(conditions: readonly Condition[]): Where {
  const values: PgValue[] = [];
  const all = conditions.flatMap((condition) => {
    if (condition === undefined) return [];
    const [sql, ...bound] = condition;
    let next = values.length;
    values.push(...bound);
    return [sql.replaceAll('?', () => `$${++next}`)];
  });
  return { sql: all.length === 0 ? 'true' : all.join(' AND '), values };
}
