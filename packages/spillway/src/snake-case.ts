/**
 * Records as JSON for other programs: the same data with the names that files and JSON have,
 * `exit_code` for `exitCode`. For data of ours only: keys that a tool or a person chose stay out.
 */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(one),
    ]),
  );
}
