/**
 * How programs through which much passes keep their resident memory small, by flags of V8 that can
 * be set while it runs. Sizes are bytes.
 */

/** From here on it is worth the time to keep memory small. */
const MUCH_BYTES = 256 * 1024;

/**
 * Keeps the memory of the program small however much passes through it. What passes through are
 * buffers of 64 KB and short strings. V8 frees them when it next collects, and it collects the less
 * often the more its heap has grown. So neither half of the heap grows far: the young generation
 * stays as small as it begins (by itself it grows to 3 × 16 MB), and the old one is collected when
 * it holds half as much again as lives in it. That costs up to a sixth more time where a text has
 * very many short lines, and nothing elsewhere. Call it where much may pass through: it loads a
 * part of Node that a program which stores a small text and ends has no time for.
 */
export function keepMemorySmall(): void {
  process
    .getBuiltinModule('node:v8')
    .setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=50');
}

/**
 * For programs that stay: only the old half of the heap is kept small. The young one may grow to
 * 3 × 16 MB: held small, it takes most of the time of a small call.
 */
export function keepOldMemorySmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=50');
}

/** The same as soon as much has passed through: `before` and `after` the last piece. */
export function keepMemorySmallFrom(before: number, after: number): void {
  if (before < MUCH_BYTES && after >= MUCH_BYTES) keepMemorySmall();
}

/** Buffers that may wait to be freed. */
const MOST_WAITING_BYTES = 512 * 1024;

let waiting = 0;
let collect: ((options: { readonly type: 'minor' }) => void) | undefined;

/**
 * Frees buffers that have passed through, told how many bytes of them there were. They lie outside
 * of V8's heap, and V8 by itself lets tens of megabytes of them gather: what only passes them on
 * hardly fills the heap. Collecting the young generation takes a fraction of a millisecond.
 */
export function freePassed(bytes: number): void {
  waiting += bytes;
  if (waiting < MOST_WAITING_BYTES) return;
  waiting = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

function collector(): NonNullable<typeof collect> {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  const gc: unknown = process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc');
  // Bun has none.
  return typeof gc === 'function' ? (gc as NonNullable<typeof collect>) : () => undefined;
}
