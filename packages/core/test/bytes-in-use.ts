/**
 * Bytes of the heap and its buffers that are in use, garbage not counted. Buffers that a collection
 * frees are given back by a thread beside it; the second collection waits for that.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export function bytesInUse(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
