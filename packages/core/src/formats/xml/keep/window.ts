/**
 * The last range of a stream, as the pieces it came in: what may still be needed is held, the
 * rest let go. Places are bytes.
 */
import { joined } from '../../../text/kept-bytes.ts';

export class Window {
  readonly #pieces: { readonly start: number; readonly bytes: Uint8Array }[] = [];

  push(start: number, bytes: Uint8Array): void {
    this.#pieces.push({ start, bytes });
  }

  /** Lets go of what lies before a place. */
  release(before: number): void {
    for (;;) {
      const [first] = this.#pieces;
      if (first === undefined || first.start + first.bytes.length > before) return;
      this.#pieces.shift();
    }
  }

  slice(from: number, to: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (const { start, bytes } of this.#pieces) {
      if (start >= to) break;
      if (start + bytes.length > from) parts.push(bytes.subarray(Math.max(0, from - start), to - start));
    }
    return joined(parts);
  }
}
