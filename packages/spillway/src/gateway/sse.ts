/**
 * Server-sent events as lines of messages: the data of an event becomes one line. Linear and
 * without holding an event, however large. Several data lines of one event are joined by a space,
 * which in JSON is as good as a line end.
 */

export interface EventMarks {
  /** The last id that came, to go on after it. */
  id: string | null;
  /** Milliseconds to wait before asking again, where the server said so; within bounds of ours. */
  retryMs: number | null;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = Buffer.from(' ');
const NEWLINE = Buffer.from('\n');
const LONGEST_FIELD = 1_000;
/** A server must neither be asked all the time nor keep a call waiting for hours. */
const LEAST_RETRY_MS = 100;
const MOST_RETRY_MS = 30_000;
/** A mark that a stream may begin with; in bytes that were read one by one. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

export async function* eventLines(
  source: AsyncIterable<Uint8Array>,
  marks: EventMarks,
): AsyncGenerator<Uint8Array> {
  const events = new EventReader(marks);
  for await (const chunk of source) {
    const out = events.push(chunk);
    if (out.length > 0) yield out;
  }
}

class EventReader {
  readonly #marks: EventMarks;
  #state: 'start' | 'name' | 'space' | 'value' = 'start';
  #name = '';
  #value = '';
  #hasData = false;
  #afterCr = false;
  #isFirst = true;
  #out: Uint8Array[] = [];

  constructor(marks: EventMarks) {
    this.#marks = marks;
  }

  push(chunk: Uint8Array): Uint8Array {
    this.#out = [];
    for (let at = 0; at < chunk.length; ) at = this.#step(chunk, at);
    return this.#out.length === 1 ? (this.#out[0] as Uint8Array) : Buffer.concat(this.#out);
  }

  #step(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number;
    if (this.#afterCr) {
      this.#afterCr = false;
      if (byte === LF) return at + 1;
    }
    if (this.#isFirst && this.#name === BYTE_ORDER_MARK) this.#name = '';
    if (byte === LF || byte === CR) {
      this.#afterCr = byte === CR;
      this.#isFirst = false;
      this.#endLine();
      return at + 1;
    }
    if (this.#state === 'value') return this.#inValue(chunk, at);
    if (this.#state === 'space') {
      this.#beginValue();
      return byte === 0x20 ? at + 1 : at;
    }
    if (byte === COLON) this.#state = 'space';
    else {
      this.#state = 'name';
      if (this.#name.length < LONGEST_FIELD) this.#name += String.fromCharCode(byte);
    }
    return at + 1;
  }

  #beginValue(): void {
    this.#state = 'value';
    if (this.#name !== 'data') return;
    if (this.#hasData) this.#out.push(SPACE);
    this.#hasData = true;
  }

  #inValue(chunk: Uint8Array, from: number): number {
    let to = from;
    while (to < chunk.length && chunk[to] !== LF && chunk[to] !== CR) to++;
    const bytes = chunk.subarray(from, to);
    if (this.#name === 'data') this.#out.push(bytes);
    else if (this.#value.length < LONGEST_FIELD) this.#value += Buffer.from(bytes).toString('utf8');
    return to;
  }

  #endLine(): void {
    if (this.#state === 'start') {
      if (this.#hasData) this.#out.push(NEWLINE);
      this.#hasData = false;
      return;
    }
    if (this.#name === 'id') this.#marks.id = this.#value === '' ? null : this.#value;
    if (this.#name === 'retry' && /^\d+$/.test(this.#value))
      this.#marks.retryMs = Math.min(Math.max(Number(this.#value), LEAST_RETRY_MS), MOST_RETRY_MS);
    this.#state = 'start';
    this.#name = '';
    this.#value = '';
  }
}
