/**
 * Random bytes of the system, as `node:crypto` gives them, without loading it: a program that
 * stores one small output takes longer for that than for anything else it does. Where the system
 * has no such device, `node:crypto` it is.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const DEVICE = '/dev/urandom';

/** Returns `count` random bytes. */
export function randomBytes(count: number): Uint8Array {
  return fromDevice(count) ?? process.getBuiltinModule('node:crypto').randomBytes(count);
}

/** Null if there is no such device, or it returns fewer bytes. */
function fromDevice(count: number): Uint8Array | null {
  try {
    const device = openSync(DEVICE, 'r');
    try {
      const bytes = new Uint8Array(count);
      return readSync(device, bytes) === count ? bytes : null;
    } finally {
      closeSync(device);
    }
  } catch {
    // Another system, or one that shows no devices.
    return null;
  }
}
