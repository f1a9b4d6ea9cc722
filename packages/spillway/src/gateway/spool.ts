/**
 * Spools a large message to a file until it is complete: its id may stand at its end, and only
 * complete messages are passed on. The file is unlinked once open; memory is one chunk.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READ_BYTES = 256 * 1024;

export interface Spooled {
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface Spooling {
  readonly spooled: Spooled;
  /** Set if the source broke off: the message is incomplete. */
  readonly failure: unknown;
}

export async function spool(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  watch: (chunk: Uint8Array) => void,
): Promise<Spooling> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-'));
  let file: FileHandle;
  try {
    file = await open(join(folder, randomBytes(8).toString('hex')), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  let bytes = 0;
  let failure: unknown = null;
  const take = async (chunk: Uint8Array) => {
    watch(chunk);
    await file.write(chunk);
    bytes += chunk.length;
  };
  try {
    await take(head);
    for await (const chunk of rest) await take(chunk);
  } catch (error) {
    failure = error;
  }
  return { spooled: { bytes, read: () => readFrom(file, bytes), close: () => file.close() }, failure };
}

async function* readFrom(file: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
