/**
 * Routes messages to an HTTP client: an answer to its request, everything else to the exchange it
 * belongs to, the stream the client listens on, or a short queue. An exchange ends with its answer.
 * In a session events have ids, so a client can resume after the last one it got.
 */
import type { ServerResponse } from 'node:http';
import type { EventLog } from './event-log.ts';
import { type Incoming, piecesOf } from './incoming.ts';
import { type Message, readMessage, sameId } from './message.ts';
import type { ClientPort } from './ports.ts';
import { drained, oneLine } from './stdio-port.ts';

export interface Exchange {
  /** Null while the client is gone and may come back. */
  response: ServerResponse | null;
  left: number;
  readonly asStream: boolean;
  readonly progressToken: string | null;
  /** Requests without a session show errors in the status, too. */
  readonly stateless: boolean;
  number: number;
}

/** Protocol errors with a status of their own; errors of a tool or handler are normal answers. */
const STATUS: Readonly<Record<number, number>> = {
  [-32700]: 400,
  [-32600]: 400,
  [-32601]: 404,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
};

const MOST_QUEUED = 1_000;
const LISTENING = 0;

export class HttpStreams implements ClientPort {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #log: EventLog | null;
  #lastNumber = LISTENING;
  #listening: ServerResponse | null = null;
  #queue: Buffer[] = [];

  constructor(log: EventLog | null) {
    this.#log = log;
  }

  expect(ids: readonly string[], exchange: Exchange): void {
    exchange.number = ++this.#lastNumber;
    for (const id of ids) this.#exchanges.set(sameId(id), exchange);
  }

  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#listening !== null;
  }

  waits(id: string): boolean {
    return (this.#exchanges.get(sameId(id))?.response ?? null) !== null;
  }

  /**
   * Gives a stream its first id before there is anything to send, so that its client can resume.
   */
  async prime(exchange: Exchange): Promise<void> {
    const id = this.#log?.add(exchange.number, null);
    if (id === undefined || exchange.response === null) return;
    beginStream(exchange.response);
    await write(exchange.response, Buffer.from(`id: ${id}\ndata: \n\n`));
  }

  /** In a session the client may come back for its answers; otherwise they are dropped. */
  gone(exchange: Exchange): void {
    exchange.response = null;
    if (this.#log !== null && exchange.asStream) return;
    for (const [id, one] of this.#exchanges) if (one === exchange) this.#exchanges.delete(id);
  }

  async listen(response: ServerResponse): Promise<void> {
    this.#listening?.end();
    this.#listening = response;
    beginStream(response);
    response.flushHeaders();
    response.once('close', () => {
      if (this.#listening === response) this.#listening = null;
    });
    for (const message of this.#queue.splice(0)) await this.#event(response, LISTENING, message);
  }

  /** False if the event is unknown. */
  async resume(lastId: string, response: ServerResponse): Promise<boolean> {
    const missed = this.#log?.after(lastId) ?? null;
    if (missed === null) return false;
    beginStream(response);
    response.flushHeaders();
    // More events may arrive while these are written.
    for (let events = missed.events; events.length > 0; ) {
      for (const { id, bytes } of events) await writeEvent(response, bytes, id);
      events = this.#log?.after(events.at(-1)?.id ?? '')?.events ?? [];
    }
    const exchange = [...this.#exchanges.values()].find(({ number }) => number === missed.stream);
    if (missed.stream === LISTENING) await this.listen(response);
    else if (exchange === undefined) response.end();
    else {
      exchange.response?.end();
      exchange.response = response;
      response.once('close', () => {
        if (exchange.response === response) this.gone(exchange);
      });
    }
    return true;
  }

  async send(bytes: Incoming, about: string | null): Promise<void> {
    const message = Buffer.isBuffer(bytes) ? readMessage(bytes) : null;
    const id = answeredId(bytes, message);
    if (id !== null) return this.sendAs(id, bytes);
    const chosen = this.#exchangeFor(message, about);
    if (chosen !== undefined) return this.#event(chosen.response, chosen.number, bytes);
    if (this.#listening !== null) return this.#event(this.#listening, LISTENING, bytes);
    if (!Buffer.isBuffer(bytes)) return;
    this.#queue.push(bytes);
    if (this.#queue.length > MOST_QUEUED) this.#queue.shift();
  }

  /** The request may be known here by another id than the one in the message. */
  async sendAs(id: string, bytes: Incoming): Promise<void> {
    const exchange = this.#exchanges.get(sameId(id));
    if (exchange !== undefined) await this.#answer(id, exchange, bytes);
  }

  async #answer(id: string, exchange: Exchange, bytes: Incoming): Promise<void> {
    this.#exchanges.delete(sameId(id));
    exchange.left--;
    const { response, asStream } = exchange;
    const status = exchange.stateless && response?.headersSent === false ? statusOf(bytes) : 200;
    if (!asStream || status !== 200) {
      if (response === null || response.destroyed) return;
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      for (const chunk of chunksOf(bytes)) await write(response, chunk);
      response.end();
      return;
    }
    await this.#event(response, exchange.number, bytes);
    if (exchange.left === 0) exchange.response?.end();
  }

  async #event(response: ServerResponse | null, stream: number, bytes: Incoming): Promise<void> {
    const id = this.#log?.add(stream, Buffer.isBuffer(bytes) ? bytes : null);
    if (response !== null && !response.destroyed) await writeEvent(response, bytes, id);
  }

  /** The exchange of a message; the only one if there is just one; else any, if nobody listens. */
  #exchangeFor(message: Message | null, about: string | null): Exchange | undefined {
    const known = about === null ? undefined : this.#exchanges.get(sameId(about));
    const open = [...new Set(this.#exchanges.values())].filter(({ asStream }) => asStream);
    const token = message?.written(message.params.get('progressToken'));
    const owner = open.find(({ progressToken }) => token !== undefined && progressToken === token);
    const chosen =
      (known?.asStream === true ? known : undefined) ?? owner ?? (open.length === 1 ? open[0] : undefined);
    return chosen ?? (this.#listening === null ? open[0] : undefined);
  }

  close(): void {
    for (const { response } of this.#exchanges.values()) response?.end();
    this.#listening?.end();
    this.#exchanges.clear();
  }
}

function statusOf(bytes: Incoming): number {
  const message = Buffer.isBuffer(bytes) ? readMessage(bytes) : null;
  const code = message?.written(message.inside(message.members.get('error')).get('code'));
  return STATUS[Number(code)] ?? 200;
}

function beginStream(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('content-type', 'text/event-stream');
  response.setHeader('cache-control', 'no-cache, no-transform');
}

async function writeEvent(response: ServerResponse, bytes: Incoming, id?: string): Promise<void> {
  beginStream(response);
  await write(response, Buffer.from(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: `));
  for (const chunk of chunksOf(bytes)) await write(response, oneLine(chunk));
  await write(response, Buffer.from('\n\n'));
}

async function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (!response.destroyed && !response.write(chunk)) await drained(response);
}

function chunksOf(bytes: Incoming): Iterable<Uint8Array> {
  return Buffer.isBuffer(bytes) ? [bytes] : piecesOf(bytes);
}

function answeredId(bytes: Incoming, message: Message | null): string | null {
  if (Buffer.isBuffer(bytes)) return message === null || message.method !== null ? null : message.id;
  const { id, method } = bytes.scan;
  return method === null && id !== null ? bytes.subarray(id.start, id.end).toString('utf8') : null;
}
