/**
 * Splits a byte stream into newline-delimited messages, in linear time. A message up to a limit
 * comes whole; a larger one, one that pauses, or one the stream ends in comes as its beginning and
 * a stream of the rest, which must be read before the next message. Memory is bounded by the limit.
 */

export type Incoming =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'large'; readonly head: Buffer; readonly rest: AsyncIterable<Uint8Array> };

export class BrokenMessage extends Error {
  override readonly name = 'BrokenMessage';
}

const NEWLINE = 0x0a;
/** A message that pauses this long may never end, so what has come is handed on. */
const PAUSE_MS = 200;

export interface LinesOptions {
  /**
   * Whether an unfinished last message is given, too; not if it will be sent again. Default: yes.
   */
  readonly keepsPartial?: () => boolean;
  readonly splitsPaused?: boolean;
}

export async function* lines(
  source: AsyncIterable<Uint8Array>,
  holdBytes: number,
  { keepsPartial = () => true, splitsPaused = false }: LinesOptions = {},
): AsyncGenerator<Incoming> {
  const chunks = source[Symbol.asyncIterator]();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let chunk: Uint8Array = Buffer.alloc(0);
  for (;;) {
    const newline = chunk.indexOf(NEWLINE);
    if (newline !== -1) {
      const bytes = joined(held, chunk.subarray(0, newline));
      chunk = chunk.subarray(newline + 1);
      held = [];
      heldBytes = 0;
      if (!isBlank(bytes)) yield { kind: 'whole', bytes };
      continue;
    }
    held.push(chunk);
    heldBytes += chunk.length;
    chunk = Buffer.alloc(0);
    const coming = heldBytes > holdBytes ? null : nextOf(chunks);
    const waits = splitsPaused && heldBytes > 0;
    const next = coming === null ? 'late' : await (waits ? within(coming, PAUSE_MS) : coming);
    if (next === 'late') {
      const rest = new RestOfLine(chunks, coming);
      yield { kind: 'large', head: joined(held, chunk), rest };
      chunk = await rest.after();
      held = [];
      heldBytes = 0;
      if (rest.ended) return;
      continue;
    }
    if (next.done !== true) {
      chunk = next.value;
      continue;
    }
    const left = joined(held, chunk);
    if (!isBlank(left) && keepsPartial()) yield { kind: 'large', head: left, rest: broken() };
    if ('failure' in next) throw next.failure;
    return;
  }
}

type Next = IteratorResult<Uint8Array> | { readonly done: true; readonly failure: unknown };

function nextOf(chunks: AsyncIterator<Uint8Array>): Promise<Next> {
  return chunks.next().catch((failure: unknown) => ({ done: true, failure }));
}

export async function* single(
  source: AsyncIterable<Uint8Array>,
  holdBytes: number,
): AsyncGenerator<Incoming> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  const chunks = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) break;
    held.push(next.value);
    heldBytes += next.value.length;
    if (heldBytes <= holdBytes) continue;
    yield { kind: 'large', head: Buffer.concat(held), rest: { [Symbol.asyncIterator]: () => chunks } };
    return;
  }
  const bytes = Buffer.concat(held);
  if (!isBlank(bytes)) yield { kind: 'whole', bytes };
}

class RestOfLine implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #coming: Promise<Next> | null;
  #behind: Uint8Array | null = null;
  ended = false;

  constructor(chunks: AsyncIterator<Uint8Array>, coming: Promise<Next> | null) {
    this.#chunks = chunks;
    this.#coming = coming;
  }

  #next(): Promise<Next> {
    const coming = this.#coming ?? nextOf(this.#chunks);
    this.#coming = null;
    return coming;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.#behind === null) {
      const next = await this.#next();
      if (next.done === true) {
        this.#behind = Buffer.alloc(0);
        this.ended = true;
        if ('failure' in next) throw next.failure;
        throw new BrokenMessage('The stream ended inside a message.');
      }
      const newline = next.value.indexOf(NEWLINE);
      if (newline !== -1) this.#behind = next.value.subarray(newline + 1);
      yield newline === -1 ? next.value : next.value.subarray(0, newline);
    }
  }

  /** Skips what was not read and returns the bytes after the message. */
  async after(): Promise<Uint8Array> {
    try {
      for await (const _ of this);
    } catch (error) {
      if (!(error instanceof BrokenMessage)) throw error;
    }
    return this.#behind ?? Buffer.alloc(0);
  }
}

// biome-ignore lint/correctness/useYield: a stream that breaks off before its first byte
async function* broken(): AsyncGenerator<Uint8Array> {
  throw new BrokenMessage('The stream ended inside a message.');
}

function joined(held: readonly Uint8Array[], last: Uint8Array): Buffer {
  const parts = held.filter((part) => part.length > 0);
  if (parts.length === 0) return Buffer.from(last.buffer, last.byteOffset, last.length);
  return Buffer.concat([...parts, last]);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === NEWLINE);
}

export async function within<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
