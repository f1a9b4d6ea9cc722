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
const readLater: Read = async (file, into) => {
  for (;;) {
    try {
      return (await promisify(readCallback)(file, into, 0, into.length, null)).bytesRead;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      // Somebody made the pipe non-blocking, and it is empty.
      if (code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
};

/** A file by its path, or 0: standard input. */
export function fileSource(path: string | 0): ByteSource {
  const file = path === 0 ? path : openSync(path, 'r');
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
        if (file !== 0) closeSync(file);
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

/** All of a stream; null if it has more than `most` bytes. */
export async function wholeOf(stream: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const LINE_FEED = 10;

/**
 * The lines of a source; null for one of more than `most` bytes. Only a line feed ends one: JSON may
 * hold every other kind of line end.
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string | null, undefined> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isTooLong = false;
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      if (!isTooLong) yield lineIn([...held, chunk.subarray(from, at)]);
      [held, heldBytes, isTooLong, from] = [[], 0, false, at + 1];
    }
    if (isTooLong) continue;
    held.push(Uint8Array.from(chunk.subarray(from)));
    heldBytes += chunk.length - from;
    isTooLong = heldBytes > most;
    if (isTooLong) yield null;
  }
  if (heldBytes > 0 && !isTooLong) yield lineIn(held);
  return undefined;
}

function lineIn(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString().replace(/\r$/, '');
}
