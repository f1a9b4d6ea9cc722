/** Files and standard input as byte sources. A file is read in steps of 64 KB without Node's streams, which cost more to load than a small file to read. */
import { close as closeCallback, openSync, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { ByteSource } from './interruption.ts';

const STEP = 65_536;
const read = promisify(readCallback);
const close = promisify(closeCallback);

export function fileSource(path: string): ByteSource {
  const file = openSync(path, 'r');
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const { bytesRead, buffer } = await read(file, Buffer.allocUnsafe(STEP), 0, STEP, null);
          if (bytesRead === 0) return;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await close(file);
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
