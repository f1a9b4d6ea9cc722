/**
 * Writes messages as lines, one after the other and never into each other; resolves when the reader
 * can take more.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ClientPort } from './ports.ts';
import type { Spooled } from './spool.ts';

const NEWLINE = Buffer.from('\n');

export class LineWriter implements ClientPort {
  readonly #stream: Writable;
  #queue: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  send(message: Buffer | Spooled): Promise<void> {
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
    // A message that was laid out over several lines must become one: outside of strings a line end
    // is only space.
    const line = message.includes(NEWLINE[0] as number) ? oneLine(message) : message;
    if (this.#stream.destroyed) return;
    if (!this.#stream.write(Buffer.concat([line, NEWLINE]))) await this.#drained();
  }

  async #copy(message: Spooled): Promise<void> {
    for await (const chunk of message.read()) {
      if (this.#stream.destroyed) return;
      if (!this.#stream.write(oneLine(chunk))) await this.#drained();
    }
    if (!this.#stream.write(NEWLINE)) await this.#drained();
  }

  /** Nobody drains what is closed. */
  async #drained(): Promise<void> {
    if (this.#stream.destroyed || this.#stream.errored !== null) return;
    const stop = new AbortController();
    await Promise.race([
      once(this.#stream, 'drain', { signal: stop.signal }),
      once(this.#stream, 'close', { signal: stop.signal }),
    ]).catch(() => undefined);
    stop.abort();
  }
}

/** Outside of strings a line end is only space. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0x0a) || bytes.includes(0x0d)
    ? bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
    : bytes;
}
