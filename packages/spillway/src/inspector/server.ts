/**
 * The inspector as an HTTP server, or as part of one: looks at who asks, then serves the page, its
 * files, single-use downloads and the API. It ends by itself when nobody has looked for a while.
 * Nothing that was captured is ever logged. Times are milliseconds.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { inspectorFolder } from '../inspector-folder.ts';
import { LOOPBACK_NAMES, listening } from '../loopback.ts';
import { Access, isSame } from './access.ts';
import {
  ApiRequest,
  type Bytes,
  type Lines,
  PageFiles,
  Problem,
  problemOf,
  sendFile,
  sendJson,
  sendProblem,
  sendStream,
  setHeaders,
} from './answer.ts';
import { rawDownload } from './content-view.ts';
import type { Inspected, LiveMessage } from './inspected.ts';
import { matchRoute } from './routes.ts';

/**
 * Tells pages what happens. One poller asks the ledger while somebody listens; each listener gets
 * what was noted behind its own cursor. Open streams count as tabs.
 */
const POLL_MS = 250;
const SIGN_OF_LIFE_MS = 15_000;

class LiveStream {
  readonly #poll: () => Promise<void>;
  readonly #listeners = new Set<ServerResponse>();
  #timers: readonly NodeJS.Timeout[] = [];
  #isPolling = false;

  /** `poll`: looks for new events, which come back through `tell`. */
  constructor(poll: () => Promise<void>) {
    this.#poll = poll;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** `first`: what a page is told that begins to listen. */
  listen(response: ServerResponse, first: readonly LiveMessage[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(first.map(textOf).join(''));
    this.#listeners.add(response);
    response.once('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.#rest();
    });
    if (this.#listeners.size > 1) return;
    const signOfLife = () => this.#write(': still here\n\n');
    this.#timers = [setInterval(() => this.#ask(), POLL_MS), setInterval(signOfLife, SIGN_OF_LIFE_MS)];
  }

  tell(message: LiveMessage): void {
    this.#write(textOf(message));
  }

  close(): void {
    this.#rest();
    for (const response of this.#listeners) response.end();
  }

  /** A slow store is asked again when it has answered. */
  #ask(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#poll()
      // A store that cannot be read now is asked again; the routes tell why.
      .catch(() => undefined)
      .finally(() => {
        this.#isPolling = false;
      });
  }

  #write(text: string): void {
    for (const response of this.#listeners) response.write(text);
  }

  #rest(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

function textOf({ event, data }: LiveMessage): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Looks at a request before anything else does. It must name the inspector's own host, with its
 * port: a name from elsewhere that was made to point here is refused. A browser must say that the
 * request comes from the inspector's own page, or from the person directly.
 */
const FROM_HERE = ['same-origin', 'none'];

class OriginCheck {
  readonly #names: readonly string[];
  #hosts: ReadonlySet<string> = new Set();

  /** `names`: other names, with or without a port, for a tunnel that is called differently. */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => name.toLowerCase());
  }

  /** The port that is listened on, once it is known. */
  set port(port: number) {
    const named = this.#names.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`]));
    this.#hosts = new Set([...LOOPBACK_NAMES.map((name) => `${name}:${port}`), ...named]);
  }

  /** Throws a `Problem` if the request may not come in. */
  check({ headers, method = 'GET' }: Pick<IncomingMessage, 'headers' | 'method'>): void {
    const host = (headers.host ?? '').toLowerCase();
    if (!this.#hosts.has(host)) throw new Problem('forbidden', WRONG_HOST);
    const { origin, 'sec-fetch-site': site = 'none' } = headers;
    const isRead = origin === undefined && (method === 'GET' || method === 'HEAD');
    const isOwn = isRead || origin === `http://${host}` || origin === `https://${host}`;
    if (!FROM_HERE.includes(String(site)) || !isOwn) throw new Problem('forbidden', ELSEWHERE);
  }
}

const WRONG_HOST =
  'The inspector is not known by this name. If a tunnel leads here, start it with --host NAME, as the browser shows it.';
const ELSEWHERE = 'This request does not come from the page of the inspector. Open its address in a new tab.';

export interface InspectorOptions {
  readonly inspected: Inspected;
  /** Other names under which the inspector may be reached. */
  readonly names: readonly string[];
  /** Tells a person at the terminal a new start address. */
  readonly announce: (url: string) => void;
  /** What the person has to look for: the command that was started. */
  readonly command: string;
  /** Lets another process of the same account ask for a start address. */
  readonly ownerToken: string;
  /** How long nobody need look, before anybody did and after, until it ends. */
  readonly idle?: { readonly firstMs: number; readonly laterMs: number };
}

const HOST = '127.0.0.1';
const IDLE = { firstMs: 10 * 60_000, laterMs: 30 * 60_000 };

export class InspectorServer {
  readonly #options: InspectorOptions;
  readonly #access: Access;
  readonly #door: OriginCheck;
  readonly #files: PageFiles;
  readonly #live: LiveStream;
  #server: Server | null = null;
  #port = 0;
  #seenAt: number | null = null;
  readonly #startedAt: number;

  constructor(options: InspectorOptions) {
    this.#options = options;
    this.#access = new Access();
    this.#door = new OriginCheck(options.names);
    this.#files = new PageFiles(inspectorFolder());
    this.#startedAt = performance.now();
    const { inspected } = options;
    this.#live = new LiveStream(() => inspected.catchUp());
    inspected.onMessage = (message) => this.#live.tell(message);
  }

  /** Listens on this machine; the port that it is. */
  async listen(port: number): Promise<number> {
    const server = createServer((request, response) => void this.handle(request, response));
    this.port = await listening(server, port, HOST);
    this.#server = server;
    return this.#port;
  }

  set port(port: number) {
    this.#port = port;
    this.#door.port = port;
  }

  startUrl(open: string | null = null): string {
    return `http://${HOST}:${this.#port}/start/${this.#access.code(open)}`;
  }

  /** Resolves once nobody has looked for so long that it may end. */
  async idle(signal: AbortSignal): Promise<void> {
    const { firstMs, laterMs } = this.#options.idle ?? IDLE;
    await new Promise<void>((resolve) => {
      const timer = setInterval(look, Math.min(15_000, firstMs / 4));
      const isIdle = () => {
        if (this.#live.listeners > 0) this.#seenAt = performance.now();
        if (this.#seenAt === null) return performance.now() - this.#startedAt >= firstMs;
        return performance.now() - this.#seenAt >= laterMs;
      };
      function look(): void {
        if (isIdle() || signal.aborted) done();
      }
      function done(): void {
        clearInterval(timer);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
    });
  }

  async close(): Promise<void> {
    this.#live.close();
    this.#server?.close();
    this.#server?.closeAllConnections();
    await this.#options.inspected.close();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setHeaders(response);
    try {
      this.#door.check(request);
      await this.#serve(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else sendProblem(response, problemOf(error));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/api/')) return this.#api(request, response, pathname, searchParams);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Problem('wrong_method', 'Only GET is answered here.');
    if (pathname.startsWith('/start/'))
      return this.#start(request, response, pathname.slice('/start/'.length));
    if (pathname.startsWith('/raw/')) return this.#raw(request, response, pathname);
    const file = this.#files.find(pathname);
    if (file !== undefined) return sendFile(response, file);
    // The address of a view has no file name at its end.
    if (/\.[a-z\d]{1,5}$/i.test(pathname)) throw new Problem('not_found', 'There is no such file.');
    sendFile(response, this.#files.page());
  }

  /** A browser that looks ahead must not use the code up. */
  async #start(request: IncomingMessage, response: ServerResponse, code: string): Promise<void> {
    const isAhead = /prefetch|prerender/i.test(
      `${request.headers['sec-purpose']} ${request.headers.purpose}`,
    );
    if (request.method === 'HEAD' || isAhead) return sendFile(response, this.#files.page(), 503);
    const visit = this.#access.start(code);
    if (visit === null) return sendFile(response, this.#files.page(), 403);
    this.#seenAt = performance.now();
    response.setHeader(
      'set-cookie',
      `${this.#cookieName}=${visit.cookie}; HttpOnly; SameSite=Strict; Path=/`,
    );
    const open = visit.open === null ? {} : { 'spillway-open': visit.open };
    sendFile(response, this.#files.page({ 'spillway-key': visit.key, ...open }));
  }

  async #raw(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    if (request.method === 'HEAD') throw new Problem('wrong_method', 'Only GET is answered here.');
    if (!this.#access.isCookie(this.#cookie(request))) throw notStarted();
    const [, , ticket = ''] = pathname.split('/');
    const target = this.#access.takeLink(ticket);
    if (target === null)
      throw new Problem('gone', 'This link was used already, or is too old. Download again.');
    await sendStream(response, await rawDownload(this.#options.inspected, target));
  }

  async #api(
    request: IncomingMessage,
    response: ServerResponse,
    pathname: string,
    query: URLSearchParams,
  ): Promise<void> {
    if (pathname === '/api/code') return this.#code(request, response);
    const key = request.headers['x-spillway-key'];
    if (!this.#access.isVisit(this.#cookie(request), typeof key === 'string' ? key : undefined))
      throw notStarted();
    this.#seenAt = performance.now();
    const { handle, id } = matchRoute(request.method ?? 'GET', pathname);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { inspected } = this.#options;
    await inspected.catchUp();
    const asked = new ApiRequest<never>(request, query, id, gone.signal);
    if (pathname === '/api/live') {
      const { cursor } = inspected.index;
      const after = asked.text('after') ?? cursor;
      const missed = after === cursor ? null : await inspected.since(after);
      return this.#live.listen(response, [
        { event: 'hello', data: { cursor } },
        ...(missed === null || missed.items.length === 0 ? [] : [{ event: 'events', data: missed } as const]),
        { event: 'running', data: inspected.running },
      ]);
    }
    const answer = await handle(inspected, asked, this.#access);
    if (isStreamed(answer)) await sendStream(response, answer);
    else sendJson(response, 200, answer);
  }

  /** Whoever runs under the same account may have the address; a page only makes it be printed. */
  async #code(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') throw new Problem('wrong_method', 'Use POST.');
    if (isSame(request.headers['x-spillway-owner'], this.#options.ownerToken)) {
      const open = request.headers['x-spillway-open'];
      const url = this.startUrl(typeof open === 'string' && open.startsWith('/') ? open : null);
      return sendJson(response, 200, { url, pid: process.pid });
    }
    const code = this.#access.codeOnDemand();
    if (code === null) throw new Problem('too_often', 'An address was printed a moment ago.');
    this.#options.announce(`http://${HOST}:${this.#port}/start/${code}`);
    sendJson(response, 202, { printed: true, command: this.#options.command });
  }

  get #cookieName(): string {
    return `spillway-${this.#port}`;
  }

  #cookie({ headers }: IncomingMessage): string | undefined {
    const name = `${this.#cookieName}=`;
    return headers.cookie
      ?.split(/; */)
      .find((one) => one.startsWith(name))
      ?.slice(name.length);
  }
}

function notStarted(): Problem {
  return new Problem(
    'not_started',
    'This page needs a start code: open the address that the terminal shows.',
  );
}

function isStreamed(answer: unknown): answer is Lines | Bytes {
  return typeof answer === 'object' && answer !== null && ('jsonLines' in answer || 'rawBytes' in answer);
}
