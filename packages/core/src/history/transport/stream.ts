/**
 * The transport projection as stream transformers: one for events as objects, one for server-sent
 * events as bytes. Results of calls are found in the events of the AI SDK, OpenAI, Anthropic,
 * LangChain and AG-UI; every other event passes as it is, byte for byte. Events are never changed: a
 * limited one is a new object. Back-pressure is the stream's own.
 */
import type { SessionName } from '../../model/session.ts';
import { type Fields, isRecord, parsed } from '../shapes/json.ts';
import { Previews, type TransportLimits, type TransportReader } from './preview.ts';

/** How much of a stream may be shown. */
export interface TransportOptions extends TransportLimits {
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
    const limited = data === null ? null : await limit(data.value);
    return data === null || limited === data.value ? frame : encodeData(data.fields, limited);
  };
  return new TransformStream({
    async transform(chunk, controller) {
      for (const frame of splitter.push(chunk)) controller.enqueue(await pass(frame));
    },
    async flush(controller) {
      for (const frame of splitter.finish()) {
        const passed = await pass(frame);
        // Readers ignore an unterminated event: it must not become a whole one here.
        controller.enqueue(passed === frame ? frame : passed.subarray(0, passed.length - 1));
      }
    },
  });
}

function limiter(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions,
): (event: unknown) => Promise<unknown> {
  const previews = new Previews(reader, name, options);
  const limit = async (
    event: unknown,
    { callId, content, kind, replace }: LocatedResult,
  ): Promise<unknown> => {
    const isText = kind === 'text' && typeof content === 'string';
    const shown = await (isText ? previews.text({ callId }, content) : previews.value({ callId }, content));
    return shown === content ? event : replace(shown);
  };
  return (event) => eachResult(event, limit);
}

const LF = 10;
const CR = 13;

/** Cuts bytes into frames, each with its blank line, however they were chunked. */
export class FrameSplitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #bytes = 0;
  #line = 0;
  #before = 0;
  /** A CR has ended the frame: the LF that may follow is still its own. */
  #ended = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const isSecond = byte === LF && this.#before === CR;
      this.#before = byte;
      if (this.#ended) {
        this.#ended = false;
        yield this.#take(chunk.subarray(from, isSecond ? at + 1 : at));
        from = isSecond ? at + 1 : at;
      }
      if (isSecond) continue;
      const endsLine = byte === LF || byte === CR;
      const endsFrame = endsLine && this.#line === 0;
      this.#line = endsLine ? 0 : this.#line + 1;
      this.#ended = endsFrame && byte === CR;
      if (!endsFrame || this.#ended) continue;
      yield this.#take(chunk.subarray(from, at + 1));
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  *finish(): Generator<Uint8Array> {
    if (this.#bytes > 0) yield this.#take(new Uint8Array());
  }

  #hold(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) this.#held = [];
    else if (bytes.length > 0) this.#held.push(Buffer.from(bytes));
  }

  #take(rest: Uint8Array): Uint8Array {
    this.#hold(rest);
    const [bytes, held] = [this.#bytes, this.#held];
    this.#held = [];
    this.#bytes = 0;
    if (bytes <= this.#maxBytes) return Buffer.concat(held);
    return Buffer.from(`: an event of ${bytes} bytes was too large for this stream and was left out\n\n`);
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
    const value = /^data(?:: ?(.*))?$/s.exec(line);
    if (value !== null) data.push(value[1] ?? '');
    else if (line !== '') fields.push(line);
  }
  const text = data.join('\n');
  const value = /^\s*[[{]/.test(text) ? parsed(text, () => undefined) : undefined;
  return value === undefined ? null : { value, fields };
}

export function encodeData(fields: readonly string[], value: unknown): Uint8Array {
  return Buffer.from([...fields, `data: ${JSON.stringify(value)}`, '', ''].join('\n'));
}

/** A result inside an event. */
interface LocatedResult {
  /** The id of the call that it answers. */
  readonly callId: string;
  /** What the tool returned, as the event has it. */
  readonly content: unknown;
  /** `text`: only a text can stand there. */
  readonly kind: 'value' | 'text';
  /** The same event with other content. */
  readonly replace: (content: unknown) => unknown;
}

/** The type of an event, or `…` and its end; the fields of the id and of the content. */
const EVENTS: readonly (readonly [type: string, id: string, content: string, kind: LocatedResult['kind']])[] =
  [
    ['tool-output-available', 'toolCallId', 'output', 'value'],
    ['tool-output-error', 'toolCallId', 'errorText', 'text'],
    ['tool-result', 'toolCallId', 'output', 'value'],
    ['tool-error', 'toolCallId', 'error', 'value'],
    ['…tool_result', 'tool_use_id', 'content', 'text'],
    ['…_call_output', 'call_id', 'output', 'text'],
    ['function_call_result', 'callId', 'output', 'value'],
    ['TOOL_CALL_RESULT', 'toolCallId', 'content', 'text'],
    ['tool', 'tool_call_id', 'content', 'text'],
  ];
/** Results are not looked for below: events are no trees. */
const DEEPEST = 6;

/** The event with every result in it limited, at any depth; itself if nothing changed. */
async function eachResult(
  event: unknown,
  limit: (event: unknown, found: LocatedResult) => Promise<unknown>,
  depth = 0,
): Promise<unknown> {
  const found = locateResult(event);
  if (found !== null) return limit(event, found);
  if (typeof event !== 'object' || event === null || depth === DEEPEST) return event;
  const changed: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(event)) {
    const made = await eachResult(inner, limit, depth + 1);
    if (made !== inner) changed.push([name, made]);
  }
  if (changed.length === 0) return event;
  const copy = Array.isArray(event) ? [...event] : { ...event };
  return Object.assign(copy, Object.fromEntries(changed));
}

function locateResult(event: unknown): LocatedResult | null {
  if (!isRecord(event)) return null;
  const found = EVENTS.find(([type, id]) => isOf(event, type) && typeof event[id] === 'string');
  if (found === undefined) return null;
  const [, id, field, usual] = found;
  const content = event[field];
  // A text can only be replaced by a text; a list of blocks by anything that says what it is.
  const kind = usual === 'text' && typeof content === 'string' ? 'text' : 'value';
  return {
    callId: String(event[id]),
    content,
    kind,
    replace: (other) => ({ ...event, [field]: other }),
  };
}

function isOf({ type, role }: Fields, wanted: string): boolean {
  if (wanted.startsWith('…')) return typeof type === 'string' && type.endsWith(wanted.slice(1));
  return type === wanted || (wanted === 'tool' && role === 'tool');
}
