/**
 * Random bytes in small numbers: the system is asked for many at once, since asking costs more than
 * what it gives. Each byte is given once.
 */
import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 1_024;

/** Gives as many random bytes as asked for, at most a pool of them. */
export function randomPool(): (count: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.slice(used - count, used);
  };
}
