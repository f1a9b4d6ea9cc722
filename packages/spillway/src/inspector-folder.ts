/**
 * Where the built page of the inspector lies: in the package, beside `src`, `lib` and `program`.
 */
import { fileURLToPath } from 'node:url';

export function inspectorFolder(): string {
  return fileURLToPath(new URL('../inspector/', import.meta.url));
}
