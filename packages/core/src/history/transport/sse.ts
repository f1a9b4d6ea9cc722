/** Server-sent events as bytes: frames end with a blank line, in any of the three line ends, wherever chunks were cut. Units: bytes. */

const LF = 10;
const CR = 13;

/** Cuts a stream of bytes into frames, each with the blank line that ends it. */
export class FrameSplitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes of the present line, and whether a CR ended the one before. */
  #lineBytes = 0;
  #afterCr = false;
  #dropped = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === LF && this.#afterCr) {
        this.#afterCr = false;
        // It ends the frame before, whose CR came with an earlier chunk.
        if (this.#bytes === 0 && at === from) {
          yield chunk.slice(from, at + 1);
          from = at + 1;
        }
        continue;
      }
      this.#afterCr = byte === CR;
      if (byte !== LF && byte !== CR) {
        this.#lineBytes++;
        continue;
      }
      const blank = this.#lineBytes === 0;
      this.#lineBytes = 0;
      if (!blank || (this.#bytes === 0 && at === from)) continue;
      // With CRLF the LF belongs to the blank line.
      const end = byte === CR && chunk[at + 1] === LF ? at + 2 : at + 1;
      this.#hold(chunk.subarray(from, end));
      yield this.#take();
      if (end === at + 2) {
        at++;
        this.#afterCr = false;
      }
      from = end;
    }
    this.#hold(chunk.subarray(from));
  }

  *finish(): Generator<Uint8Array> {
    if (this.#bytes > 0 || this.#dropped > 0) yield this.#take();
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#dropped > 0 || this.#bytes + bytes.length > this.#maxBytes) {
      this.#dropped += this.#bytes + bytes.length;
      this.#held = [];
      this.#bytes = 0;
      return;
    }
    this.#held.push(bytes.slice());
    this.#bytes += bytes.length;
  }

  #take(): Uint8Array {
    const dropped = this.#dropped;
    const frame =
      dropped > 0
        ? Buffer.from(`: an event of ${dropped} bytes was too large for this stream and was left out\n\n`)
        : Buffer.concat(this.#held);
    this.#held = [];
    this.#bytes = 0;
    this.#dropped = 0;
    return frame;
  }
}

/** A frame whose data is JSON: its value, and its other lines. */
export interface FrameData {
  readonly value: unknown;
  readonly fields: readonly string[];
}

/** Null if the frame has no data, or data that is not JSON. */
export function decodeData(frame: Uint8Array): FrameData | null {
  const lines = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
    .toString('utf8')
    .split(/\r\n|\r|\n/);
  const data: string[] = [];
  const fields: string[] = [];
  for (const line of lines) {
    if (line === '') continue;
    const value = /^data(?:: ?(.*))?$/s.exec(line);
    if (value === null) fields.push(line);
    else data.push(value[1] ?? '');
  }
  const text = data.join('\n');
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return { value: JSON.parse(text), fields };
  } catch {
    // Not for us.
    return null;
  }
}

export function encodeData(fields: readonly string[], value: unknown): Uint8Array {
  return Buffer.from([...fields, `data: ${JSON.stringify(value)}`, '', ''].join('\n'));
}
