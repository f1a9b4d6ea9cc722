/**
 * Server-sent events as bytes: frames end with a blank line, in any of the three line ends,
 * wherever chunks were cut. Units: bytes.
 */

const LF = 10;
const CR = 13;

/** Cuts bytes into frames, each with its blank line, however they were chunked. */
export class FrameSplitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;
  #line = 0;
  /** The last byte was a CR, which an LF may belong to. */
  #cr = false;
  /** A CR has ended the frame: the LF that may follow is still its own. */
  #ended = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#ended) {
        const end = byte === LF ? at + 1 : at;
        yield this.#end(chunk.subarray(from, end));
        from = end;
        this.#cr = false;
        if (byte === LF) continue;
      }
      if (this.#endsFrame(byte)) {
        yield this.#end(chunk.subarray(from, at + 1));
        from = at + 1;
      }
    }
    this.#hold(chunk.subarray(from));
  }

  *finish(): Generator<Uint8Array> {
    if (this.#bytes + this.#dropped > 0) yield this.#take();
  }

  /** Whether the frame ends with this byte for certain. */
  #endsFrame(byte: number): boolean {
    const second = byte === LF && this.#cr;
    this.#cr = byte === CR;
    if (second) return false;
    if (byte !== LF && byte !== CR) {
      this.#line++;
      return false;
    }
    const blank = this.#line === 0;
    this.#line = 0;
    this.#ended = blank && byte === CR;
    return blank && byte === LF;
  }

  #end(rest: Uint8Array): Uint8Array {
    this.#ended = false;
    this.#hold(rest);
    return this.#take();
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#dropped > 0 || this.#bytes + bytes.length > this.#maxBytes) {
      this.#dropped += this.#bytes + bytes.length;
      this.#held = [];
      this.#bytes = 0;
      return;
    }
    this.#held.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
  }

  #take(): Uint8Array {
    const dropped = this.#dropped;
    const [only] = this.#held.length === 1 ? this.#held : [];
    const frame =
      dropped > 0
        ? Buffer.from(`: an event of ${dropped} bytes was too large for this stream and was left out\n\n`)
        : (only ?? Buffer.concat(this.#held));
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
    // A stream may begin with a mark of its byte order.
    .replace(/^\uFEFF/, '')
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

/** A frame without the blank line that ends it. */
export function unended(frame: Uint8Array): Uint8Array {
  return frame.subarray(0, frame.length - 1);
}

export function encodeData(fields: readonly string[], value: unknown): Uint8Array {
  return Buffer.from([...fields, `data: ${JSON.stringify(value)}`, '', ''].join('\n'));
}
