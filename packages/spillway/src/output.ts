/**
 * Writing to the two streams of the program. Files and pipes get exactly what is given. A terminal
 * gets it with control characters made visible, so that captured text cannot act on it. We write
 * directly: a full pipe makes us wait, which is all the back-pressure there is to keep, and Node's
 * streams need not be loaded. The program ends quietly when the reader has gone.
 */
import { writeSync } from 'node:fs';
import type { Given } from './flags.ts';
import { dim, isTerminal } from './terminal.ts';
import { VisibleStream, visible } from './visible.ts';

const STDOUT = 1;
const STDERR = 2;
const STEP = 65_536;

/** How a text looks on a terminal that shows colours. */
type Look = 'plain' | 'dim';

export async function print(text: string, look: Look = 'plain'): Promise<void> {
  await write(isTerminal(STDOUT) ? shown(text, look) : text);
}

/** Prints what a command found: as JSON where that was asked for, else in words. */
export function answer(given: Given, facts: unknown, words: string): Promise<void> {
  return print(given.has('json') ? `${JSON.stringify(facts)}\n` : words);
}

/** Prints a stream: byte for byte into a file or a pipe. */
export async function printBytes(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const stream = isTerminal(STDOUT) ? new VisibleStream() : null;
  for await (const chunk of chunks) await write(stream?.push(chunk) ?? chunk);
  await write(stream?.end() ?? '');
}

/** A line for people: notices, warnings, errors. */
export function tell(line: string, look: Look = 'plain'): void {
  clearTransient();
  tellRaw(isTerminal(STDERR) ? shown(`${line}\n`, look) : `${line}\n`);
}

function shown(text: string, look: Look): string {
  if (look === 'plain') return visible(text);
  const body = text.trimEnd();
  return dim(visible(body)) + text.slice(body.length);
}

async function write(chunk: string | Uint8Array): Promise<void> {
  if (chunk.length > 0 && transient && isTerminal(STDOUT)) clearTransient();
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  try {
    const written = writeNow(STDOUT, bytes);
    if (written < bytes.length) await writeLater(process.stdout, bytes.subarray(written));
  } catch (error) {
    endOn(error as NodeJS.ErrnoException);
  }
}

/**
 * Live output of a command, exactly these bytes. If nobody listens any more, the command goes on.
 */
export async function relay(bytes: Uint8Array): Promise<void> {
  try {
    const written = writeNow(STDERR, bytes);
    if (written < bytes.length) await writeLater(process.stderr, bytes.subarray(written));
  } catch {
    // The reader has gone; what the command says is recorded all the same.
  }
}

const CLEARED = '\r\x1b[K';
let transient = false;

/** A line on the terminal that the next one takes the place of: progress. */
export function tellTransient(text: string): void {
  tellRaw(`${CLEARED}${text}`);
  transient = true;
}

export function clearTransient(): void {
  if (transient) tellRaw(CLEARED);
  transient = false;
}

function tellRaw(text: string): void {
  const bytes = Buffer.from(text);
  try {
    const written = writeNow(STDERR, bytes);
    if (written < bytes.length) process.stderr.write(bytes.subarray(written));
  } catch {
    // Nobody listens; the exit code still tells.
  }
}

/**
 * How many bytes were taken: fewer than all only where waiting is up to the event loop (a pipe that
 * somebody made non-blocking).
 */
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

function writeLater(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(bytes, (error) => {
      // A failed write is also told as an event, behind this call: somebody has to listen.
      if (error) return reject(error);
      stream.off('error', reject);
      resolve();
    });
  });
}

/** A reader that closes its end (`| head`) is not an error; a full disk is. */
function endOn(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0);
  tell(`spillway: What was to be printed could not be written (${error.code}).`);
  process.exit(1);
}
