/**
 * Splits a stream of bytes into lines (LF, CRLF, CR). Each line is given decoded, without its line end, with its number from 1 and
 * the byte it starts at. A line longer than 64 KB is given by its beginning only, so memory stays bounded.
 */
import { decode } from './utf8.ts';

const MOST_BYTES = 65_536;
const LF = 10;
const CR = 13;

export type LineSink = (text: string, number: number, byte: number) => void;

export class LineSplitter {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #number = 1;
  #lineStart = 0;
  #position = 0;
  #afterCr = false;

  push(bytes: Uint8Array, sink: LineSink): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) {
        this.#afterCr = false;
        continue;
      }
      if (byte === LF && this.#afterCr) {
        // The second half of CRLF belongs to the line before.
        this.#lineStart++;
        from = at + 1;
        this.#afterCr = false;
        continue;
      }
      this.#hold(bytes.subarray(from, at));
      this.#give(sink);
      this.#lineStart = this.#position + at + 1;
      from = at + 1;
      this.#afterCr = byte === CR;
    }
    this.#hold(bytes.subarray(from));
    this.#position += bytes.length;
  }

  /** Gives the last line if it has no line end. */
  finish(sink: LineSink): void {
    if (this.#position > this.#lineStart) this.#give(sink);
  }

  #hold(bytes: Uint8Array): void {
    const room = MOST_BYTES - this.#heldBytes;
    if (room <= 0 || bytes.length === 0) return;
    const part = bytes.subarray(0, room);
    this.#held.push(part);
    this.#heldBytes += part.length;
  }

  #give(sink: LineSink): void {
    sink(decode(Buffer.concat(this.#held)), this.#number, this.#lineStart);
    this.#held = [];
    this.#heldBytes = 0;
    this.#number++;
  }
}
