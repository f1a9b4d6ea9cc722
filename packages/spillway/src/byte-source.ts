/**
 * Files and standard input as byte sources. A file is read in steps of 64 KB without Node's
 * streams, which cost more to load than a small file to read; and without waiting for another
 * thread where it cannot keep us waiting itself, as a pipe can.
 */
import { closeSync, fstatSync, openSync, read as readCallback, readSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ByteSource } from './interruption.ts';

const STEP = 65_536;
type Read = (file: number, into: Buffer) => number | Promise<number>;

const readAtOnce: Read = (file, into) => readSync(file, into);
const readLater: Read = async (file, into) =>
  (await promisify(readCallback)(file, into, 0, into.length, null)).bytesRead;

export function fileSource(path: string): ByteSource {
  const file = openSync(path, 'r');
  const next = fstatSync(file).isFile() ? readAtOnce : readLater;
  return {
    async *[Symbol.asyncIterator]() {
      const buffer = Buffer.allocUnsafe(STEP);
      try {
        for (;;) {
          const bytes = await next(file, buffer);
          if (bytes === 0) return;
          yield buffer.subarray(0, bytes);
        }
      } finally {
        closeSync(file);
      }
    },
    rest: () => [],
  };
}

export function standardInput(): ByteSource {
  const { stdin } = process;
  return {
    [Symbol.asyncIterator]: () => stdin[Symbol.asyncIterator](),
    rest() {
      const chunks: Uint8Array[] = [];
      for (let chunk: Uint8Array | null = stdin.read(); chunk !== null; chunk = stdin.read())
        chunks.push(chunk);
      stdin.destroy();
      return chunks;
    },
  };
}
