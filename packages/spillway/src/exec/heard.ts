/** How much a command has said: bytes and lines, for the live line. */
import { formatBytes, pluralize } from '@spillway/core/plugin';

const LF = 10;

export class Heard {
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
