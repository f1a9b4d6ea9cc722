/**
 * Writing to the two streams of the program. Files and pipes are written to directly: a pipe that is full makes us wait, which is all the
 * back-pressure there is to keep, and Node's streams need not be loaded. Ends quietly when the reader has gone.
 */
import { writeSync } from 'node:fs';

const STDOUT = 1;
const STDERR = 2;
/** Bytes written at a time. */
const STEP = 65_536;

export async function print(chunk: string | Uint8Array): Promise<void> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  try {
    const written = writeNow(STDOUT, bytes);
    if (written < bytes.length) await writeLater(bytes.subarray(written));
  } catch (error) {
    endOn(error as NodeJS.ErrnoException);
  }
}

/** For people: notices, warnings, errors. Never anything a tool said. */
export function tell(line: string): void {
  tellRaw(`${line}\n`);
}

/** The same without a line end: progress, which is written over. */
export function tellRaw(text: string): void {
  const bytes = Buffer.from(text);
  try {
    const written = writeNow(STDERR, bytes);
    if (written < bytes.length) process.stderr.write(bytes.subarray(written));
  } catch {
    // Nobody listens; the exit code still tells.
  }
}

/** How many bytes were taken: fewer than all only where waiting is up to the event loop (a pipe that somebody made non-blocking). */
function writeNow(to: number, bytes: Uint8Array): number {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(to, bytes, written, Math.min(STEP, bytes.length - written));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return written;
      if (code !== 'EINTR') throw error;
    }
  }
  return written;
}

function writeLater(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** A reader that closes its end (`| head`) is not an error; a full disk is. */
function endOn(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0);
  tell(`spillway: What was to be printed could not be written (${error.code}).`);
  process.exit(1);
}
