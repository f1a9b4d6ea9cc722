/** How much a command has said: bytes and lines, for the live line. */
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { relay } from '../output.ts';
import { isTerminal } from '../terminal.ts';
import { VisibleStream } from '../visible.ts';

const LF = 10;

export class OutputSize {
  bytes = 0;
  #lines = 0;

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) this.#lines++;
  }

  toString(): string {
    return `${formatBytes(this.bytes)}, ${pluralize(this.#lines, 'line')}`;
  }
}

// The live output of a command for the person who waits for it (`--tee`): on standard error, while
// it is recorded. A terminal gets it with control characters made visible, each stream decoded by
// itself; a file or a pipe gets the bytes. Whoever reads slowly slows the command down.

export class Tee {
  readonly #onTerminal = isTerminal(2);
  readonly #streams = new Map<string, VisibleStream>();
  #insideLine = false;

  async write(stream: string, chunk: Uint8Array): Promise<void> {
    if (!this.#onTerminal) return this.#relay(chunk);
    const visible = this.#streams.get(stream) ?? new VisibleStream();
    this.#streams.set(stream, visible);
    await this.#relay(Buffer.from(visible.push(chunk)));
  }

  /** Ends the last line, so that what follows begins one. */
  async end(): Promise<void> {
    for (const visible of this.#streams.values()) await this.#relay(Buffer.from(visible.end()));
    if (this.#insideLine) await this.#relay(Buffer.from('\n'));
  }

  async #relay(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#insideLine = bytes.at(-1) !== LF;
    await relay(bytes);
  }
}
