/** Writing to the two streams of the program: waits for slow readers, and ends quietly when the reader has gone. */
import { once } from 'node:events';

export async function print(chunk: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

/** For people: notices, warnings, errors. Never anything a tool said. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A reader that closes its end (`| head`) is not an error; a full disk is. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    tell(`spillway: What was to be printed could not be written (${error.code}).`);
    process.exit(1);
  });
}
