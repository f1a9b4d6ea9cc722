/**
 * An upstream over Streamable HTTP. Each message is a POST, answered by one message or a stream. A
 * lost session is begun again; a broken stream is resumed if the server numbers its events. A
 * server that refuses the handshake is tried with the HTTP+SSE transport of revision 2024-11-05.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { SpillwayError } from '@spillway/core';
import { type Framing, type Incoming, messagesIn, piecesOf } from './incoming.ts';
import { type Message, mirrored, readMessage } from './message.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import { type EventMarks, eventLines } from './sse.ts';
import { LOG, RESULT } from './wording.ts';

export interface HttpUpstreamOptions {
  readonly url: URL;
  /** Sent with every request, such as an authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  /** Headers that a call needs because its tool wants arguments mirrored. */
  readonly callHeaders: (message: Message) => Readonly<Record<string, string>>;
}

const HOLD_BYTES = 1024 * 1024;
const RETRY_MS = 1_000;
const MOST_RETRIES = 5;
const MOST_ERROR_BYTES = 64 * 1024;
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 406, 415]);
const MOST_OPENING_MS = 10_000;

type Headers = Readonly<Record<string, string>>;

interface Exchange {
  readonly bytes: Incoming;
  readonly message: Message | null;
  readonly id: string | null;
  readonly isHandshake: boolean;
  readonly stop: AbortController;
}

export class HttpUpstream implements Upstream {
  readonly #options: HttpUpstreamOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #open = new Set<AbortController>();
  readonly #posted = new Set<Exchange>();
  #session: string | null = null;
  #revision: string | null = null;
  #renewing: Promise<void> | null = null;
  #closed = false;
  arriving: number | null = null;
  /** The single stream of the older transport, and where messages go while it is open. */
  #hasOneStream = false;
  #endpoint: URL | null = null;

  constructor(options: HttpUpstreamOptions) {
    this.#options = options;
    this.#agent =
      options.url.protocol === 'https:'
        ? new HttpsAgent({ keepAlive: true })
        : new HttpAgent({ keepAlive: true });
  }

  async send(bytes: Incoming, message: Message | null): Promise<void> {
    if (message?.method === 'notifications/cancelled') this.#hangUp(message);
    await this.#renewing;
    if (this.#hasOneStream && this.#endpoint === null && message?.method !== 'initialize')
      await this.#renew();
    const isRequest = message !== null && message.method !== null && message.id !== null;
    const posted = this.#post(exchangeOf(bytes, message, isRequest ? message.id : null), 'may renew');
    if (isRequest) return;
    await posted;
    if (message?.method === 'notifications/initialized' && !this.#hasOneStream)
      this.#listen().catch(() => undefined);
  }

  restart(): void {
    this.arriving = null;
    for (const open of this.#open) open.abort();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.restart();
    if (this.#session !== null)
      await this.#request('DELETE', {}, null, new AbortController()).then(drain, () => undefined);
    this.#agent.destroy();
  }

  /** Without a session, ending the exchange cancels the request. */
  #hangUp(message: Message): void {
    const about = JSON.stringify(message.value(message.params.get('requestId')));
    if (this.#session !== null) return;
    for (const { id, stop } of this.#posted) if (id === about) stop.abort();
  }

  async #post(exchange: Exchange, how: 'may renew' | 'once'): Promise<void> {
    const { bytes, message, id, isHandshake, stop } = exchange;
    this.#posted.add(exchange);
    try {
      const own = message === null ? {} : mirrored(message);
      const headers = {
        ...('mcp-method' in own || this.#revision === null ? {} : { 'mcp-protocol-version': this.#revision }),
        ...own,
        ...(message?.method === 'tools/call' ? this.#options.callHeaders(message) : {}),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const response = await this.#request('POST', headers, bytes, stop);
      const status = response.statusCode ?? 0;
      if (status === 404 && this.#session !== null && how === 'may renew' && message !== null) {
        await drain(response);
        await this.#renew();
        return await this.#post(exchange, 'once');
      }
      const isRefused = isHandshake && REFUSALS.has(status) && this.#endpoint === null;
      if (isRefused && (await this.#openStream())) {
        await drain(response);
        return await this.#post(exchange, 'once');
      }
      if (isHandshake) this.#began(response);
      await this.#take(response, exchange);
    } catch (error) {
      if (id !== null && !stop.signal.aborted) await this.#options.events.refused(id, unreachable(error));
      else if (id === null) throw new SpillwayError('store_unavailable', unreachable(error));
    } finally {
      this.#posted.delete(exchange);
    }
  }

  #began({ headers }: IncomingMessage): void {
    const session = headers['mcp-session-id'];
    this.#session = typeof session === 'string' ? session : null;
  }

  async #renew(): Promise<void> {
    this.#session = null;
    this.#renewing ??= this.#options.events
      .renewed((bytes) => this.#post(exchangeOf(bytes, readMessage(bytes), null), 'once'))
      .finally(() => {
        this.#renewing = null;
      });
    await this.#renewing;
  }

  async #take(response: IncomingMessage, exchange: Exchange): Promise<void> {
    const { id, isHandshake } = exchange;
    const status = response.statusCode ?? 0;
    const type = response.headers['content-type'] ?? '';
    const { events } = this.#options;
    if (type.startsWith('text/event-stream')) return this.#stream(response, exchange);
    if (type.startsWith('application/json')) {
      for await (const incoming of this.#messages(
        response,
        'stream',
        status < 400 ? {} : { hold: MOST_ERROR_BYTES },
      )) {
        if (isHandshake && Buffer.isBuffer(incoming)) this.#note(incoming);
        // An error without an id can only be for this request.
        const message = Buffer.isBuffer(incoming) ? readMessage(incoming) : null;
        if (status < 400 || (message !== null && message.id !== null)) await events.received(incoming, id);
      }
    } else await drain(response);
    const comesLater = this.#endpoint !== null && status < 400;
    if (id !== null && !comesLater && events.waits(id)) await events.refused(id, this.#refusal(response));
  }

  /** False if it has none. */
  async #openStream(): Promise<boolean> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), MOST_OPENING_MS);
    try {
      const response = await this.#request('GET', { accept: 'text/event-stream' }, null, stop);
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      const messages = this.#messages(eventLines(response, { id: null, retryMs: null }), 'line');
      const first = isStream && response.statusCode === 200 ? await messages.next() : null;
      const named = Buffer.isBuffer(first?.value) ? first.value.toString().trim() : '';
      const endpoint = URL.canParse(named, this.#options.url.href) ? new URL(named, this.#options.url) : null;
      // Our headers are for this server alone.
      if (named === '' || endpoint?.origin !== this.#options.url.origin) {
        stop.abort();
        return false;
      }
      this.#hasOneStream = true;
      this.#endpoint = endpoint;
      this.#hear(messages).catch(() => undefined);
      return true;
    } catch {
      // No such stream: its answer to the handshake stands.
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #hear(messages: AsyncIterable<Incoming>): Promise<void> {
    const { events, log } = this.#options;
    try {
      for await (const incoming of messages) await events.received(incoming, null);
    } catch (error) {
      if (!this.#closed) log(LOG.streamBroke((error as Error).name));
    }
    this.#endpoint = null;
    if (!this.#closed) await events.lost(RESULT.endedEarly, new Set());
  }

  #refusal({ statusCode: status = 0, headers }: IncomingMessage): string {
    const wantsLogin = /bearer/i.test(headers['www-authenticate'] ?? '');
    const isGiven = 'authorization' in this.#options.headers;
    if (status === 401 && wantsLogin && !isGiven) return RESULT.wantsLogin(status);
    if (status === 401 || status === 403) return RESULT.unauthorized(status);
    return status >= 400 ? RESULT.refused(status) : RESULT.noResult;
  }

  async #stream(first: IncomingMessage, { id, stop, isHandshake }: Exchange): Promise<void> {
    const { events } = this.#options;
    const marks: EventMarks = { id: null, retryMs: null };
    let response = first;
    for (let tries = 0; ; tries++) {
      const before = marks.id;
      try {
        const keepsPartial = () => marks.id === null;
        for await (const incoming of this.#messages(eventLines(response, marks), 'line', { keepsPartial })) {
          if (isHandshake && Buffer.isBuffer(incoming)) this.#note(incoming);
          tries = 0;
          await events.received(incoming, id);
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        this.#options.log(LOG.streamBroke((error as Error).name));
      }
      // A server may close its stream to be asked again; while its ids advance, it is alive.
      if (marks.id !== before) tries = 0;
      if (id !== null && !events.waits(id)) return;
      if (stop.signal.aborted || this.#closed) return;
      if (marks.id === null || tries >= MOST_RETRIES) break;
      await pause(marks.retryMs ?? RETRY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      response = await this.#request('GET', { ...this.#listening(), 'last-event-id': marks.id }, null, stop);
      if (response.statusCode !== 200) {
        await drain(response);
        break;
      }
    }
    if (id !== null) await events.refused(id, RESULT.endedEarly);
  }

  async #listen(): Promise<void> {
    const marks: EventMarks = { id: null, retryMs: null };
    const stop = new AbortController();
    while (!this.#closed) {
      const last = marks.id === null ? {} : { 'last-event-id': marks.id };
      const response = await this.#request('GET', { ...this.#listening(), ...last }, null, stop);
      if (response.statusCode !== 200) return drain(response);
      try {
        for await (const incoming of this.#messages(eventLines(response, marks), 'line'))
          await this.#options.events.received(incoming, null);
      } catch (error) {
        if (this.#closed) return;
        this.#options.log(LOG.silent((error as Error).name));
      }
      await pause(marks.retryMs ?? RETRY_MS, undefined, { ref: false });
    }
  }

  #listening(): Headers {
    return {
      accept: 'text/event-stream',
      ...(this.#revision === null ? {} : { 'mcp-protocol-version': this.#revision }),
    };
  }

  /** Several streams may bring messages at a time; the last one to begin is watched. */
  #messages(stream: AsyncIterable<Uint8Array>, by: Framing['by'], more: Partial<Framing> = {}) {
    const arriving = (at: number | null) => {
      this.arriving = at;
    };
    return messagesIn(stream, { hold: HOLD_BYTES, by, arriving, ...more });
  }

  #note(bytes: Buffer): void {
    const message = readMessage(bytes);
    if (message !== null)
      this.#revision = message.string(message.result.get('protocolVersion')) ?? this.#revision;
  }

  #request(
    method: string,
    headers: Headers,
    body: Incoming | null,
    stop: AbortController,
  ): Promise<IncomingMessage> {
    const url = method === 'POST' ? (this.#endpoint ?? this.#options.url) : this.#options.url;
    const session = this.#session === null ? {} : { 'mcp-session-id': this.#session };
    const all = { ...this.#options.headers, ...session, ...headers };
    this.#open.add(stop);
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const sent = send(
        url,
        { method, headers: all, agent: this.#agent, signal: stop.signal },
        (response) => {
          response.once('close', () => this.#open.delete(stop));
          resolve(response);
        },
      );
      sent.once('error', (error) => {
        this.#open.delete(stop);
        reject(error);
      });
      if (body === null || Buffer.isBuffer(body)) sent.end(body ?? undefined);
      else Readable.from(piecesOf(body)).pipe(sent);
    });
  }
}

function exchangeOf(bytes: Exchange['bytes'], message: Message | null, id: string | null): Exchange {
  const isHandshake = message?.method === 'initialize';
  return { bytes, message, id, isHandshake, stop: new AbortController() };
}

async function drain(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}

/** By code only: a server's message may quote anything. */
function unreachable(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return RESULT.unreachable(String(code ?? name));
}
