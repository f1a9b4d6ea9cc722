/** Objects of JSON as foreign data has them, and objects of ours as JSON. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text says as JSON; undefined if it is not valid. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the text.
    return undefined;
  }
}

/** The object that a text holds as JSON; an empty one if it holds none. */
export function fieldsIn(text: string): Fields {
  const value = jsonIn(text);
  return isFields(value) ? value : {};
}

/** The fields that have a value. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** A number of foreign data; 0 for anything else. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/**
 * The same data with the names that files and JSON have, `exit_code` for `exitCode`. For data of
 * ours only: it would also rename keys that a tool or a person chose.
 */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(one),
    ]),
  );
}
