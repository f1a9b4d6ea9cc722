/**
 * Routes messages to an HTTP client: an answer to its request, everything else to the exchange it
 * belongs to, the stream the client listens on, or a short queue. An exchange ends with its answer.
 */

import type { ServerResponse } from 'node:http';
import { type Incoming, piecesOf } from './incoming.ts';
import { type Message, readMessage, sameId } from './message.ts';
import type { ClientPort } from './ports.ts';
import { drained, oneLine } from './stdio-port.ts';

export interface Exchange {
  readonly response: ServerResponse;
  left: number;
  readonly asStream: boolean;
  readonly progressToken: string | null;
  /** Requests without a session show errors in the status, too. */
  readonly stateless: boolean;
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

export class HttpStreams implements ClientPort {
  readonly #exchanges = new Map<string, Exchange>();
  #listening: ServerResponse | null = null;
  #queue: Buffer[] = [];

  expect(ids: readonly string[], exchange: Exchange): void {
    for (const id of ids) this.#exchanges.set(sameId(id), exchange);
    // Its status is known, and some clients wait five minutes for headers.
    if (exchange.asStream && !exchange.stateless) beginStream(exchange.response);
  }

  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#listening !== null;
  }

  waits(id: string): boolean {
    return this.#exchanges.has(sameId(id));
  }

  /** Answers for a client that is gone are dropped; the results are stored. */
  gone(exchange: Exchange): void {
    for (const [id, one] of this.#exchanges) if (one === exchange) this.#exchanges.delete(id);
  }

  async listen(response: ServerResponse): Promise<void> {
    this.#listening?.end();
    this.#listening = response;
    beginStream(response);
    response.once('close', () => {
      if (this.#listening === response) this.#listening = null;
    });
    for (const message of this.#queue.splice(0)) await writeEvent(response, message);
  }

  async send(bytes: Incoming, about: string | null): Promise<void> {
    const message = Buffer.isBuffer(bytes) ? readMessage(bytes) : null;
    const id = answeredId(bytes, message);
    if (id !== null) return this.sendAs(id, bytes);
    const chosen = this.#exchangeFor(message, about);
    const response = chosen?.response ?? this.#listening;
    if (response !== null) return writeEvent(response, bytes);
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
    const status = exchange.stateless && !response.headersSent ? statusOf(bytes) : 200;
    if (!asStream || status !== 200) {
      if (response.destroyed) return;
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      for (const chunk of chunksOf(bytes)) await write(response, chunk);
      response.end();
      return;
    }
    await writeEvent(response, bytes);
    if (exchange.left === 0) response.end();
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
    for (const { response } of this.#exchanges.values()) response.end();
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
  response.flushHeaders();
}

async function writeEvent(response: ServerResponse, bytes: Incoming): Promise<void> {
  if (response.destroyed) return;
  beginStream(response);
  await write(response, Buffer.from('event: message\ndata: '));
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
