/**
 * Messages from the upstream that are too large to be held. The result of a tool goes into the
 * store while it arrives; which call it answers is known from its beginning, or because only one
 * waits; otherwise it is put in a file until its id has come. All else is passed on when it is
 * complete. A message that breaks off, never ends or is none does not stop the others.
 */

import { BrokenMessage, type Incoming } from './framing.ts';
import { HeaderReader, toolError } from './message.ts';
import type { Pending, PendingRequests } from './pending.ts';
import type { ClientPort } from './ports.ts';
import { type Spooled, spool } from './spool.ts';
import type { StreamEnd, ToolResults } from './tool-results.ts';
import { LOG, RESULT, sentence } from './wording.ts';

export interface ArrivalsOptions {
  readonly client: ClientPort;
  readonly results: ToolResults;
  readonly pending: PendingRequests;
  readonly timeoutMs: number;
  readonly log: (line: string) => void;
  /** Handles a message that turned out to be needed whole. */
  readonly whole: (bytes: Buffer, about: string | null) => Promise<void>;
  readonly restart: () => void;
}

type Large = Extract<Incoming, { kind: 'large' }>;

/** Lists and handshakes are read whole up to this size. */
const MOST_WHOLE = 64 * 1024 * 1024;

export class Arrivals {
  readonly #options: ArrivalsOptions;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  async large(incoming: Large, about: string | null): Promise<void> {
    const { pending } = this.#options;
    const header = new HeaderReader();
    header.push(incoming.head);
    const first = incoming.head.toString('latin1').trimStart()[0];
    if (!header.possible || first !== '{') return this.#notAMessage(incoming, first);
    const isAnswer = header.method === null && !header.hasParams;
    const call = header.id === null ? pending.only() : pending.get(header.id);
    if (isAnswer && call !== undefined && call.call !== null) return this.#stream(call, incoming);
    await this.#spooled(incoming, header, about);
  }

  async #notAMessage(incoming: Large, first: string | undefined): Promise<void> {
    // A batch is small or nothing: it is read as one.
    if (first === '[') {
      const { spooled, failure } = await spool(incoming.head, incoming.rest, () => {});
      if (failure === null && spooled.bytes <= MOST_WHOLE)
        await this.#options.whole(await all(spooled), null);
      return spooled.close();
    }
    this.#options.log(LOG.printedMore(incoming.head.length));
  }

  /** The result of a call, into the store while it arrives. */
  async #stream(pending: Pending, { head, rest }: Large): Promise<void> {
    const { results, client, timeoutMs } = this.#options;
    if (pending.call === null) return;
    this.#options.pending.sign(pending);
    const watched = new WatchedStream(
      head,
      rest,
      pending,
      () => this.#options.pending.sign(pending),
      timeoutMs,
    );
    try {
      const answer = await results.streamed(
        pending.call,
        pending.rules,
        pending.id,
        watched,
        () => watched.end,
      );
      if (!pending.abandoned) await client.send(answer, pending.id);
    } catch (error) {
      await client.send(toolError(pending.id, pending.rules, sentence(error)), pending.id);
    } finally {
      this.#options.pending.take(pending.id);
      pending.interrupt = null;
    }
    // One that is cut off may never end, and nothing behind it could be read.
    if (!watched.over) this.#options.restart();
  }

  /**
   * The chunks of a message that no call is known for yet. If they stop, the server is started
   * again.
   */
  async *#moving(rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { timeoutMs, restart } = this.#options;
    const timer = timeoutMs === 0 ? undefined : setTimeout(restart, timeoutMs);
    try {
      for await (const chunk of rest) {
        timer?.refresh();
        yield chunk;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #spooled(incoming: Large, header: HeaderReader, about: string | null): Promise<void> {
    const { pending, client, results, log } = this.#options;
    const rest = this.#moving(incoming.rest);
    const { spooled, failure } = await spool(incoming.head, rest, skipFirst(header));
    try {
      if (failure !== null) {
        if (header.method === null) await results.keep(spooled.read());
        if (!(failure instanceof BrokenMessage)) log(LOG.notKept(sentence(failure)));
        return;
      }
      if (!header.whole) {
        log(LOG.notJson(spooled.bytes));
        await results.keep(spooled.read());
        return;
      }
      const answered = header.method !== null || header.id === null ? undefined : pending.get(header.id);
      const isTask = header.method === 'notifications/tasks' && spooled.bytes <= MOST_WHOLE;
      if (isTask) return await this.#options.whole(await all(spooled), about);
      if (answered === undefined) return await client.send(spooled, header.id ?? about);
      if (answered.call !== null)
        return await this.#stream(answered, { kind: 'large', head: Buffer.alloc(0), rest: spooled.read() });
      if (isRewritten(answered) && spooled.bytes <= MOST_WHOLE)
        return await this.#options.whole(await all(spooled), about);
      pending.take(answered.id);
      if (!answered.abandoned) await client.send(spooled, answered.id);
    } finally {
      await spooled.close();
    }
  }
}

/** The chunks of a message, as long as they come in time. */
class WatchedStream implements AsyncIterable<Uint8Array> {
  readonly #head: Uint8Array;
  readonly #rest: AsyncIterable<Uint8Array>;
  readonly #sign: () => void;
  readonly #pending: Pending;
  readonly #timeoutMs: number;
  /** Whether the message has ended, be it broken off. */
  over = false;
  end: StreamEnd = { complete: true };

  constructor(
    head: Uint8Array,
    rest: AsyncIterable<Uint8Array>,
    pending: Pending,
    sign: () => void,
    timeoutMs: number,
  ) {
    this.#head = head;
    this.#rest = rest;
    this.#sign = sign;
    this.#timeoutMs = timeoutMs;
    this.#pending = pending;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#head.length > 0) yield this.#head;
    const chunks = this.#rest[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#next(chunks);
        if (next === 'timeout') {
          const seconds = Math.round(this.#timeoutMs / 1_000);
          const why = RESULT.stopped(seconds);
          this.end = { complete: false, outcome: { status: 'timeout' }, why };
          return;
        }
        if (next.done === true) {
          this.over = true;
          return;
        }
        this.#sign();
        yield next.value;
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.over = true;
      this.end = { complete: false, outcome: { status: 'crashed' }, why: RESULT.brokeOff };
    }
  }

  /**
   * A promise of its own each time: one that is raced for all chunks would hold on to all of them.
   */
  #next(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array> | 'timeout'> {
    return new Promise((resolve, reject) => {
      this.#pending.interrupt = resolve;
      chunks.next().then(resolve, reject);
    });
  }
}

/** The header has seen the first chunk already. */
function skipFirst(header: HeaderReader): (chunk: Uint8Array) => void {
  let first = true;
  return (chunk) => {
    if (!first) header.push(chunk);
    first = false;
  };
}

function isRewritten({ method, settle, inner }: Pending): boolean {
  if (inner !== undefined) return true;
  return (
    settle !== undefined || method === 'initialize' || method === 'server/discover' || method === 'tools/list'
  );
}

async function all(spooled: Spooled): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spooled.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
