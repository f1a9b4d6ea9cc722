/**
 * Standard input, read to its end without Node's streams, which take longer to load than most
 * results to read.
 */
import { read as readCallback } from 'node:fs';
import { promisify } from 'node:util';

const STEP = 1_048_576;
const read = promisify(readCallback);

/** All of it; null if it has more than `most` bytes, which are read all the same. */
export async function standardInputWhole(most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = await nextChunk();
    if (chunk === null) return total > most ? null : Buffer.concat(chunks);
    total += chunk.length;
    // Whoever writes must be able to come to an end.
    if (total <= most) chunks.push(chunk);
    else chunks.length = 0;
  }
}

async function nextChunk(): Promise<Buffer | null> {
  const chunk = Buffer.allocUnsafe(STEP);
  for (;;) {
    try {
      const { bytesRead } = await read(0, chunk, 0, STEP, null);
      return bytesRead === 0 ? null : chunk.subarray(0, bytesRead);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return null;
      if (code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
