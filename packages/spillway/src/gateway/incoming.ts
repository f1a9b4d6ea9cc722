/**
 * Splits a byte stream into messages, in linear time. A message up to a limit comes as a buffer. A
 * larger one is written to a file while it arrives, so that memory is bounded by the limit. The file
 * is unlinked at once, and encrypted with a key that only this process has: what is redacted before
 * it is stored must not lie elsewhere.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePassed, keepMemorySmall } from '../memory.ts';
import { MessageScan } from './message-scan.ts';

/** Bytes that are there and can be read again. */
export interface Source {
  readonly length: number;
  subarray(from: number, to: number): Buffer;
}

/** A message that is too large to be held, or incomplete. */
export interface Large extends Source {
  /** What was read of it while it arrived. */
  readonly scan: MessageScan;
  /** False if the stream broke off, or the message could not be kept. */
  readonly complete: boolean;
  readonly failure: Error | null;
  close(): void;
}

export type Incoming = Buffer | Large;

export interface Framing {
  /** The largest message that is held. */
  readonly hold: number;
  /** Whether messages are lines, or the stream is one message. */
  readonly by: 'line' | 'stream';
  /** Whether an unfinished last message is given, too; not if it will be sent again. Default: yes. */
  readonly keepsPartial?: () => boolean;
  /** Told when bytes of a message come (the time), and when it is complete (null). */
  readonly arriving?: (at: number | null) => void;
}

const NEWLINE = 0x0a;
const CIPHER = 'aes-128-ctr';
/** Bytes of a block of the cipher. */
const BLOCK = 16;
/** The pieces in which a range is read. */
const PIECE = 64 * 1024;
/** A message that is larger than this never ends. */
const MOST_BYTES = 8 * 1024 ** 3;

export async function* messagesIn(
  stream: AsyncIterable<Uint8Array>,
  { hold, by, keepsPartial = () => true, arriving = () => undefined }: Framing,
): AsyncGenerator<Incoming> {
  let message = new Arriving(hold);
  let failed: { readonly error: unknown } | null = null;
  try {
    for await (const chunk of stream) {
      let from = 0;
      for (let end = by === 'line' ? chunk.indexOf(NEWLINE) : -1; end !== -1; ) {
        message.push(chunk.subarray(from, end));
        from = end + 1;
        const complete = message.ended(true);
        message = new Arriving(hold);
        arriving(null);
        if (complete !== null) yield complete;
        end = chunk.indexOf(NEWLINE, from);
      }
      if (from < chunk.length) {
        message.push(chunk.subarray(from));
        arriving(performance.now());
      }
    }
  } catch (error) {
    failed = { error };
  }
  const last = message.ended(by === 'stream' && failed === null);
  arriving(null);
  if (last !== null && keepsPartial()) yield last;
  if (failed !== null) throw failed.error;
}

/** A message while it arrives. */
class Arriving {
  readonly #hold: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #file: Spooled | null = null;

  constructor(hold: number) {
    this.#hold = hold;
  }

  push(bytes: Uint8Array): void {
    this.#file?.push(bytes);
    if (this.#file !== null) return;
    const wasHeld = this.#bytes <= this.#hold;
    if (bytes.length > 0) this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (!wasHeld || this.#bytes <= this.#hold) return;
    keepMemorySmall();
    this.#file = Spooled.begin();
    for (const piece of this.#file === null ? [] : this.#pieces.splice(0)) this.#file?.push(piece);
  }

  ended(complete: boolean): Incoming | null {
    if (this.#file !== null) return this.#file.ended(complete);
    const [only] = this.#pieces;
    const bytes =
      this.#pieces.length === 1 && only !== undefined
        ? Buffer.from(only.buffer, only.byteOffset, only.length)
        : Buffer.concat(this.#pieces);
    if (bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === NEWLINE))
      return null;
    return complete && bytes.length <= this.#hold ? bytes : inMemory(bytes, complete);
  }
}

/** A message that broke off, or for which no file could be made. */
function inMemory(bytes: Buffer, complete: boolean): Large {
  const scan = new MessageScan();
  scan.push(bytes);
  scan.finish();
  return {
    scan,
    complete,
    failure: null,
    length: bytes.length,
    subarray: (from, to) => bytes.subarray(from, to),
    close: () => undefined,
  };
}

class Spooled implements Large {
  readonly scan = new MessageScan();
  readonly #file: number;
  readonly #crypto = process.getBuiltinModule('node:crypto');
  readonly #key = this.#crypto.randomBytes(16);
  readonly #cipher = this.#crypto.createCipheriv(CIPHER, this.#key, Buffer.alloc(BLOCK));
  /** What was read of the file, until it is deciphered. */
  readonly #encrypted = Buffer.allocUnsafeSlow(PIECE + BLOCK);
  length = 0;
  complete = false;
  failure: Error | null = null;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Null where there is no folder for it. */
  static begin(): Spooled | null {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(tmpdir(), 'spillway-'));
      return new Spooled(openSync(join(folder, 'message'), 'wx+', 0o600));
    } catch {
      return null;
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Where it cannot be written any more, the rest is left out. */
  push(bytes: Uint8Array): void {
    if (this.failure !== null) return;
    if (this.length > MOST_BYTES) throw new Error('A message does not end.');
    this.scan.push(bytes);
    freePassed(bytes.length);
    try {
      const encrypted = this.#cipher.update(bytes);
      for (let at = 0; at < encrypted.length; ) {
        const written = writeSync(this.#file, encrypted, at, encrypted.length - at, this.length);
        at += written;
        this.length += written;
      }
    } catch (error) {
      this.failure = error as Error;
    }
  }

  ended(complete: boolean): this {
    this.scan.finish();
    this.complete = complete && this.failure === null;
    return this;
  }

  subarray(from: number, to: number): Buffer {
    const start = from - (from % BLOCK);
    const length = Math.max(0, Math.min(to, this.length) - start);
    const bytes = length <= this.#encrypted.length ? this.#encrypted : Buffer.allocUnsafeSlow(length);
    freePassed(length);
    let read = 0;
    for (let more = 1; more > 0 && read < length; read += more)
      more = readSync(this.#file, bytes, read, length - read, start + read);
    // The counter of the cipher is the number of the block.
    const counter = Buffer.alloc(BLOCK);
    counter.writeBigUInt64BE(BigInt(start / BLOCK), BLOCK - 8);
    const decipher = this.#crypto.createDecipheriv(CIPHER, this.#key, counter);
    return decipher.update(bytes.subarray(0, read)).subarray(from - start);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A range in pieces. */
export function* piecesOf(source: Source, from = 0, to = source.length): Generator<Buffer> {
  for (let at = from; at < to; at += PIECE) yield source.subarray(at, Math.min(at + PIECE, to));
}
