/**
 * Where messages to a client over HTTP go: an answer to the request that it answers, everything else to the exchange it belongs to, to the stream
 * that the client listens on, or, while there is none, to a short queue. Each exchange ends with its answer.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { membersOf, textIn } from './json-edit.ts';
import { HeaderReader, type Message, readMessage, sameId } from './message.ts';
import type { ClientPort } from './ports.ts';
import type { Spooled } from './spool.ts';

/** One request of a client that waits for its answer. */
export interface Exchange {
  readonly response: ServerResponse;
  /** How many answers are still to come: several for a batch. */
  left: number;
  /** Whether the client takes a stream, or one message only. */
  readonly asStream: boolean;
  readonly progressToken: string | null;
  /** Whether the request stands for itself: then an error shows in the status too. */
  readonly stateless: boolean;
}

/** Errors of the protocol that have a status of their own; those of a tool or a handler are answers like any other. */
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
  }

  /** The client has gone: nobody waits for these answers. */
  forget(exchange: Exchange): string[] {
    const ids = [...this.#exchanges].filter(([, one]) => one === exchange).map(([id]) => id);
    for (const id of ids) this.#exchanges.delete(id);
    return ids;
  }

  /** The client listens for what belongs to no request. */
  async listen(response: ServerResponse): Promise<void> {
    this.#listening?.end();
    this.#listening = response;
    beginStream(response);
    response.flushHeaders();
    response.once('close', () => {
      if (this.#listening === response) this.#listening = null;
    });
    for (const message of this.#queue.splice(0)) await writeEvent(response, message);
  }

  async send(bytes: Buffer | Spooled, about: string | null): Promise<void> {
    const message = Buffer.isBuffer(bytes) ? readMessage(bytes) : null;
    const id = await answeredId(bytes, message);
    const exchange = id === null ? undefined : this.#exchanges.get(sameId(id));
    if (id !== null && exchange === undefined) return;
    if (id !== null && exchange !== undefined) return this.#answer(id, exchange, bytes);
    const stream = this.#streamFor(message, about);
    if (stream !== null) return writeEvent(stream, bytes);
    if (Buffer.isBuffer(bytes)) this.#queue = [...this.#queue, bytes].slice(-MOST_QUEUED);
  }

  /** Answers a request that is known here by another id than the one in the message. */
  async sendAs(id: string, bytes: Buffer): Promise<void> {
    const exchange = this.#exchanges.get(sameId(id));
    if (exchange !== undefined) await this.#answer(id, exchange, bytes);
  }

  async #answer(id: string, exchange: Exchange, bytes: Buffer | Spooled): Promise<void> {
    this.#exchanges.delete(sameId(id));
    exchange.left--;
    const { response, asStream } = exchange;
    if (response.destroyed) return;
    const status = exchange.stateless && !response.headersSent ? statusOf(bytes) : 200;
    if (!asStream || status !== 200) {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      for await (const chunk of chunksOf(bytes)) await write(response, chunk);
      response.end();
      return;
    }
    await writeEvent(response, bytes);
    if (exchange.left === 0) response.end();
  }

  /** The exchange that a message belongs to; the only one, where there is only one; else the listening stream. */
  #streamFor(message: Message | null, about: string | null): ServerResponse | null {
    const known = about === null ? undefined : this.#exchanges.get(sameId(about));
    const open = [...new Set(this.#exchanges.values())].filter(({ asStream }) => asStream);
    const token = message === null ? undefined : message.params.get('progressToken');
    const written = message === null || token === undefined ? null : textIn(message.bytes, token.value);
    const owner = open.find(({ progressToken }) => written !== null && progressToken === written);
    const chosen =
      (known?.asStream === true ? known : undefined) ?? owner ?? (open.length === 1 ? open[0] : undefined);
    return chosen?.response ?? this.#listening ?? open[0]?.response ?? null;
  }

  close(): void {
    for (const { response } of this.#exchanges.values()) response.end();
    this.#listening?.end();
    this.#exchanges.clear();
  }
}

function statusOf(bytes: Buffer | Spooled): number {
  const message = Buffer.isBuffer(bytes) ? readMessage(bytes) : null;
  const error = message?.members.get('error');
  const code =
    message === null || error === undefined ? undefined : membersOf(message.bytes, error.value)?.get('code');
  return (
    (code === undefined || message === null
      ? undefined
      : STATUS[Number(textIn(message.bytes, code.value))]) ?? 200
  );
}

function beginStream(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('content-type', 'text/event-stream');
  response.setHeader('cache-control', 'no-cache, no-transform');
}

async function writeEvent(response: ServerResponse, bytes: Buffer | Spooled): Promise<void> {
  beginStream(response);
  await write(response, Buffer.from('event: message\ndata: '));
  for await (const chunk of chunksOf(bytes)) await write(response, oneLine(chunk));
  await write(response, Buffer.from('\n\n'));
}

async function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (response.destroyed || response.write(chunk)) return;
  const stop = new AbortController();
  await Promise.race([
    once(response, 'drain', { signal: stop.signal }),
    once(response, 'close', { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
}

async function* chunksOf(bytes: Buffer | Spooled): AsyncGenerator<Uint8Array> {
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes.read();
}

function oneLine(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0x0a) || bytes.includes(0x0d)
    ? bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
    : bytes;
}

/** The id that a response answers; null for a request or notification. */
async function answeredId(bytes: Buffer | Spooled, message: Message | null): Promise<string | null> {
  if (Buffer.isBuffer(bytes)) return message === null || message.method !== null ? null : message.id;
  const header = new HeaderReader();
  for await (const chunk of bytes.read()) header.push(chunk);
  return header.method === null ? header.id : null;
}
