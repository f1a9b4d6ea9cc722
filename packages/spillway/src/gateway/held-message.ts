/**
 * A message that arrives in chunks and may yet be passed on as it came: held until it is too large,
 * or says too much.
 */

/** The message around little text, such as an image, is held up to this size. */
const MOST_HELD = 24 * 1024 * 1024;

export class HeldMessage {
  readonly #mostText: number;
  #chunks: Uint8Array[] | null = [];
  #bytes = 0;

  constructor(limitChars: number) {
    // A char has at most four bytes, and structured content may say it again.
    this.#mostText = limitChars * 8;
  }

  push(chunk: Uint8Array, textBytes: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_HELD || textBytes > this.#mostText) this.#chunks = null;
    this.#chunks?.push(Buffer.from(chunk));
  }

  get bytes(): Buffer | null {
    return this.#chunks === null ? null : Buffer.concat(this.#chunks);
  }
}
