/** Plain JSON values, looked at with care: everything here comes from outside. */

/** An object with fields, neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
