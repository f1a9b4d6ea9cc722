/** Writes messages as lines, one after the other; resolves when the reader can take more. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Incoming, type Large, piecesOf } from './incoming.ts';
import type { ClientPort } from './ports.ts';

const NEWLINE = Buffer.from('\n');

export class LineWriter implements ClientPort {
  readonly #stream: Writable;
  #queue: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  send(message: Incoming): Promise<void> {
    if (this.#queue === null && Buffer.isBuffer(message)) return this.#line(message);
    const turn = (this.#queue ?? Promise.resolve()).then(() =>
      Buffer.isBuffer(message) ? this.#line(message) : this.#copy(message),
    );
    const tail = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#queue === tail) this.#queue = null;
      });
    this.#queue = tail;
    return turn;
  }

  async #line(message: Buffer): Promise<void> {
    if (this.#stream.destroyed) return;
    if (!this.#stream.write(Buffer.concat([oneLine(message), NEWLINE]))) await drained(this.#stream);
  }

  async #copy(message: Large): Promise<void> {
    for (const chunk of piecesOf(message)) {
      if (this.#stream.destroyed) return;
      if (!this.#stream.write(oneLine(chunk))) await drained(this.#stream);
    }
    if (!this.#stream.write(NEWLINE)) await drained(this.#stream);
  }
}

/** Also resolves when the stream is closed. */
export async function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.errored !== null) return;
  const stop = new AbortController();
  await Promise.race([
    once(stream, 'drain', { signal: stop.signal }),
    once(stream, 'close', { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
}

/** Outside of strings, JSON allows a space for a line end. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0x0a) || bytes.includes(0x0d)
    ? bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
    : bytes;
}
