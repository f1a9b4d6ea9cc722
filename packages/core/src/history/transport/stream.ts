/**
 * The transport projection as stream transformers: one for events as objects, one for server-sent
 * events as bytes. Only results of calls are looked at; every other event passes as it is, byte for
 * byte. Back-pressure is the stream's own.
 */
import type { SessionName } from '../../model/session.ts';
import { eachResult, type Locate, type LocatedResult } from './locate.ts';
import { Previews, type TransportLimits, type TransportReader } from './preview.ts';

/** Limits, and how results are found in events. */
export interface TransportOptions extends TransportLimits {
  /** Finds results in events of another shape. */
  readonly locate?: Locate;
  /** Bytes of one server-sent event above which it is left out. Default: 64 MiB. */
  readonly maxEventBytes?: number;
}

const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** Limits the results in a stream of events. */
export function limitEvents(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions = {},
): TransformStream<unknown, unknown> {
  const limit = limiter(reader, name, options);
  return new TransformStream({
    async transform(event, controller) {
      controller.enqueue(await limit(event));
    },
  });
}

/** Limits the results in a stream of server-sent events whose data is JSON. */
export function limitServerSentEvents(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions = {},
): TransformStream<Uint8Array, Uint8Array> {
  const limit = limiter(reader, name, options);
  const splitter = new FrameSplitter(options.maxEventBytes ?? MAX_EVENT_BYTES);
  const pass = async (frame: Uint8Array): Promise<Uint8Array> => {
    const data = decodeData(frame);
    if (data === null) return frame;
    const limited = await limit(data.value);
    return limited === data.value ? frame : encodeData(data.fields, limited);
  };
  return new TransformStream({
    async transform(chunk, controller) {
      for (const frame of splitter.push(chunk)) controller.enqueue(await pass(frame));
    },
    async flush(controller) {
      for (const frame of splitter.finish()) {
        const passed = await pass(frame);
        // An event that was never ended is none for whoever reads it; it must not become one here.
        controller.enqueue(passed === frame ? frame : unended(passed));
      }
    },
  });
}

/** An event whose results fit is returned itself. */
function limiter(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions,
): (event: unknown) => Promise<unknown> {
  const previews = new Previews(reader, name, options);
  const limit = async (event: unknown, found: LocatedResult): Promise<unknown> => {
    const { callId, content, kind } = found;
    if (kind === 'text' && typeof content === 'string') {
      const text = await previews.text({ callId }, content);
      return text === content ? event : found.replace(text);
    }
    const limited = await previews.of({ callId }, content);
    return limited.limited ? found.replace(limited.content) : event;
  };
  const { locate } = options;
  if (locate === undefined) return (event) => eachResult(event, limit);
  return async (event) => {
    const found = locate(event);
    return found === null ? event : limit(event, found);
  };
}

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
interface FrameData {
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
function unended(frame: Uint8Array): Uint8Array {
  return frame.subarray(0, frame.length - 1);
}

export function encodeData(fields: readonly string[], value: unknown): Uint8Array {
  return Buffer.from([...fields, `data: ${JSON.stringify(value)}`, '', ''].join('\n'));
}
