/**
 * Messages from the upstream that are too large to hold. A tool's result goes into the store while
 * it arrives; its call is known from its beginning, or because only one call waits; otherwise it is
 * spooled until its id has come. Other messages are passed on once complete. A message that breaks
 * off or is invalid does not stop the others.
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
    const { pending, log } = this.#options;
    const header = new HeaderReader();
    header.push(incoming.head);
    const first = incoming.head.toString('latin1').trimStart()[0];
    if (first === '[') return this.#batch(incoming);
    if (!header.possible || first !== '{') return log(LOG.printedMore(incoming.head.length));
    const isAnswer = header.method === null && !header.hasParams;
    const call = header.id === null ? pending.only() : pending.get(header.id);
    if (isAnswer && call !== undefined && call.call !== null)
      return this.#stream(call, incoming.head, incoming.rest);
    await this.#spooled(incoming, header, about);
  }

  async #batch({ head, rest }: Large): Promise<void> {
    const { spooled, failure } = await spool(head, rest, () => {});
    if (failure === null && spooled.bytes <= MOST_WHOLE) await this.#options.whole(await all(spooled), null);
    await spooled.close();
  }

  async #stream(pending: Pending, head: Uint8Array, rest: AsyncIterable<Uint8Array>): Promise<void> {
    const { results, client, restart } = this.#options;
    const { call, rules, id } = pending;
    if (call === null) return;
    let end: StreamEnd | 'goes on' = 'goes on';
    const chunks = this.#watched(pending, head, rest, (how) => {
      end = how;
    });
    const ended = (): StreamEnd => (end === 'goes on' ? { complete: true } : end);
    try {
      const answer = await results.streamed(call, rules, id, chunks, ended);
      if (!pending.abandoned) await client.send(answer, id);
    } catch (error) {
      await client.send(toolError(id, rules, sentence(error)), id);
    } finally {
      this.#options.pending.take(id);
      pending.interrupt = null;
    }
    // A message that was cut off may never end, and nothing behind it could be read.
    const last = ended();
    if (end === 'goes on' || (!last.complete && last.outcome.status === 'timeout')) restart();
  }

  /** `onEnd` says how they ended. */
  async *#watched(
    pending: Pending,
    head: Uint8Array,
    rest: AsyncIterable<Uint8Array>,
    onEnd: (end: StreamEnd) => void,
  ): AsyncGenerator<Uint8Array> {
    const chunks = rest[Symbol.asyncIterator]();
    const alive = () => this.#options.pending.sign(pending);
    alive();
    if (head.length > 0) yield head;
    try {
      for (;;) {
        // A new promise each time: racing one promise for all chunks would retain all of them.
        const next = await new Promise<IteratorResult<Uint8Array> | 'timeout'>((resolve, reject) => {
          pending.interrupt = resolve;
          chunks.next().then(resolve, reject);
        });
        if (next === 'timeout') {
          const why = RESULT.stopped(Math.round(this.#options.timeoutMs / 1_000));
          return onEnd({ complete: false, outcome: { status: 'timeout' }, why });
        }
        if (next.done === true) return onEnd({ complete: true });
        alive();
        yield next.value;
      }
    } catch {
      onEnd({ complete: false, outcome: { status: 'crashed' }, why: RESULT.brokeOff });
    }
  }

  /** If no call is known for a message and its chunks stop, the server is restarted. */
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

  async #spooled({ head, rest }: Large, header: HeaderReader, about: string | null): Promise<void> {
    const { pending, client, results, log, whole } = this.#options;
    // The header has seen the first chunk already.
    let isFirst = true;
    const { spooled, failure } = await spool(head, this.#moving(rest), (chunk) => {
      if (!isFirst) header.push(chunk);
      isFirst = false;
    });
    try {
      if (failure !== null) {
        if (header.method === null) await results.keep(spooled.read());
        if (!(failure instanceof BrokenMessage)) log(LOG.notKept(sentence(failure)));
        return;
      }
      if (!header.whole) {
        log(LOG.notJson(spooled.bytes));
        return await results.keep(spooled.read());
      }
      const answered = header.method !== null || header.id === null ? undefined : pending.get(header.id);
      const isRead = answered === undefined ? header.method === 'notifications/tasks' : isRewritten(answered);
      if (answered !== undefined && answered.call !== null)
        return await this.#stream(answered, Buffer.alloc(0), spooled.read());
      if (isRead && spooled.bytes <= MOST_WHOLE) return await whole(await all(spooled), about);
      if (answered !== undefined) pending.take(answered.id);
      if (answered?.abandoned !== true) await client.send(spooled, answered?.id ?? header.id ?? about);
    } finally {
      await spooled.close();
    }
  }
}

function isRewritten({ method, settle, inner }: Pending): boolean {
  const isKnown = method === 'initialize' || method === 'server/discover' || method === 'tools/list';
  return inner !== undefined || settle !== undefined || isKnown;
}

async function all(spooled: Spooled): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spooled.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
