/**
 * Is this the beginning of a JSON text (RFC 8259)? Reads each byte once and builds no value. Units:
 * bytes.
 */
import { JsonScanner } from './scanner.ts';

/**
 * `no`: nothing that follows can make it JSON. `open`: valid so far. `whole`: one complete value
 * and white space.
 */
export type JsonState = 'no' | 'open' | 'whole';

const NO_HOOKS = { child() {}, close() {}, valueEnd() {} };

/** The JSON value in `bytes[start, end)`. */
export function jsonState(bytes: Uint8Array, start: number, end: number): JsonState {
  const scanner = new JsonScanner(NO_HOOKS, false);
  scanner.push(bytes.subarray(start, end));
  if (scanner.failure !== null) return 'no';
  scanner.finish();
  return scanner.failure === null ? 'whole' : 'open';
}
