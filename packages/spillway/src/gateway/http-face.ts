/**
 * The gateway over Streamable HTTP. Clients that begin with `initialize` get a session with an
 * upstream of its own; requests that name their revision share one upstream per principal, under
 * ids of ours. Only this machine is served (http-guard.ts), and each principal sees only its own
 * outputs.
 */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { wholeOf } from '../byte-source.ts';
import { listening } from '../loopback.ts';
import type { Gateway } from './gateway.ts';
import { type Guard, OWNER } from './http-guard.ts';
import { type Exchange, HttpStreams } from './http-streams.ts';
import type { Incoming } from './incoming.ts';
import { edited, elementsOf } from './json-edit.ts';
import {
  cancellation,
  errorMessage,
  type Message,
  mirrored,
  PROTOCOL_KEY,
  RPC,
  readMessage,
  sameId,
  WITHOUT_HANDSHAKE,
} from './message.ts';
import type { ClientPort, Upstream, UpstreamEvents } from './ports.ts';
import type { Relay } from './relay.ts';
import { LOG, REFUSED } from './wording.ts';

/**
 * HTTP sessions, each visible only to its principal. One is in use while a request is open or its
 * client listens; idle ones are ended. When a principal has as many as it may have, the longest
 * unused one makes room.
 */
interface HttpSessionsOptions {
  readonly idleMs: number;
  readonly most: number;
  readonly ended: (line: HttpLine) => void;
}

interface Session {
  readonly principal: string;
  /** Null while it begins. */
  line: HttpLine | null;
  lastUsed: number;
}

class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#endIdle(), Math.min(60_000, Math.ceil(options.idleMs / 4)));
    this.#timer.unref();
  }

  /** Null if a principal uses all the sessions it may have. */
  async begin(
    principal: string,
    connect: (lost: () => void) => Promise<HttpLine>,
  ): Promise<{ readonly id: string; readonly line: HttpLine } | null> {
    if (!this.#makeRoom(principal)) return null;
    const id = randomUUID();
    const session: Session = { principal, line: null, lastUsed: performance.now() };
    this.#sessions.set(id, session);
    try {
      session.line = await connect(() => this.#sessions.delete(id));
      return { id, line: session.line };
    } catch (error) {
      this.#sessions.delete(id);
      throw error;
    }
  }

  find(id: string, principal: string): HttpLine | null {
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== principal) return null;
    session.lastUsed = performance.now();
    return session.line;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  close(): readonly HttpLine[] {
    clearInterval(this.#timer);
    const lines = [...this.#sessions.values()].flatMap(({ line }) => line ?? []);
    this.#sessions.clear();
    return lines;
  }

  #makeRoom(principal: string): boolean {
    const own = [...this.#sessions].filter(([, session]) => session.principal === principal);
    if (own.length < this.#options.most) return true;
    const [oldest] = own
      .filter(([, { line }]) => line?.streams.busy === false)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (oldest !== undefined) this.#end(...oldest);
    return oldest !== undefined;
  }

  #endIdle(): void {
    const now = performance.now();
    for (const [id, session] of this.#sessions) {
      if (session.line?.streams.busy !== false) session.lastUsed = now;
      else if (session.lastUsed < now - this.#options.idleMs) this.#end(id, session);
    }
  }

  #end(id: string, { line }: Session): void {
    this.#sessions.delete(id);
    if (line !== null) this.#options.ended(line);
  }
}

interface HttpLine {
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly streams: HttpStreams;
}

/**
 * Several clients on one upstream connection: each request goes out under an id and progress token
 * of ours, and answers get the client's back. Everything else stays as written.
 */
interface Borrowed {
  readonly id: string;
  readonly token: string | null;
}

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

class SharedIds implements ClientPort {
  readonly #streams: HttpStreams;
  readonly #borrowed = new Map<string, Borrowed>();
  #last = 0;

  constructor(streams: HttpStreams) {
    this.#streams = streams;
  }

  outgoing(message: Message): Message {
    const own = `"shared-${++this.#last}"`;
    const id = message.members.get('id');
    const token = message.meta.get('progressToken');
    this.#borrowed.set(own, { id: message.id ?? 'null', token: message.written(token) ?? null });
    const edits = [id, token].flatMap((member) => (member ? [{ ...member.value, by: own }] : []));
    return readMessage(edited(message.bytes, edits)) as Message;
  }

  forget(own: string): boolean {
    return this.#borrowed.delete(own);
  }

  async send(bytes: Incoming, about: string | null): Promise<void> {
    // A message too large to hold is an answer that needs no look; it goes to its requester under
    // its own id.
    if (!Buffer.isBuffer(bytes)) return this.#streams.send(bytes, about);
    const message = readMessage(bytes);
    if (message === null) return;
    if (message.method === null) return this.#answer(message);
    for (const [member, kind] of [
      [message.params.get('progressToken'), 'token'],
      [message.meta.get(SUBSCRIPTION_KEY), 'id'],
    ] as const) {
      const own = message.written(member);
      const borrowed = this.#borrowed.get(own ?? '');
      if (own !== undefined && borrowed !== undefined)
        return this.#streams.send(message.with(member, borrowed[kind] ?? 'null'), own);
    }
    return this.#streams.send(bytes, about);
  }

  async #answer(message: Message): Promise<void> {
    const own = sameId(message.id ?? 'null');
    const borrowed = this.#borrowed.get(own);
    this.#borrowed.delete(own);
    if (borrowed !== undefined)
      await this.#streams.sendAs(own, message.with(message.members.get('id'), borrowed.id));
  }
}

export interface HttpFaceOptions {
  readonly sessions: Omit<HttpSessionsOptions, 'ended'>;
  readonly gateway: Gateway;
  readonly guard: Guard;
  readonly connect: (events: UpstreamEvents, failed: (why: string) => void) => Promise<Upstream>;
  readonly log: (line: string) => void;
  readonly beside?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

type SharedLine = HttpLine & { readonly ids: SharedIds };

const PATH = '/mcp';
/** What a request without a session must name. */
const NEEDED = [PROTOCOL_KEY, 'io.modelcontextprotocol/clientCapabilities'];

/** Browser requests have no token: everything but the gateway's own address. */
function isForBrowser({ url = '/', method = 'GET', headers }: IncomingMessage): boolean {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname === PATH || headers.authorization !== undefined) return false;
  return method === 'GET' || method === 'HEAD' || pathname.startsWith('/api/');
}

export class HttpFace {
  readonly #options: HttpFaceOptions;
  readonly #server: Server;
  readonly #sessions: HttpSessions;
  readonly #shared = new Map<string, Promise<SharedLine>>();
  #closing = false;

  constructor(options: HttpFaceOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        options.log(LOG.requestFailed(error instanceof Error ? error.name : typeof error));
        refuse(response, 500, REFUSED.wentWrong);
      });
    });
    const ended = (line: HttpLine) => this.#end(line, REFUSED.sessionEnded);
    this.#sessions = new HttpSessions({ ...options.sessions, ended });
  }

  listen(port: number, host: string): Promise<number> {
    return listening(this.#server, port, host);
  }

  /** Answers open requests with an error and ends all sessions in parallel. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#server.close();
    const shared = await Promise.allSettled(this.#shared.values());
    const lines = shared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(
      [...this.#sessions.close(), ...lines].map((line) => this.#end(line, REFUSED.shuttingDown)),
    );
    this.#server.closeAllConnections();
  }

  async #end(line: HttpLine, why: string): Promise<void> {
    const { relay, streams, upstream } = line;
    try {
      await relay.refuseAll(why);
      streams.close();
      await upstream.close();
      await relay.close();
    } catch (error) {
      this.#options.log(LOG.sessionEnded((error as Error).name));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { beside } = this.#options;
    if (beside !== undefined && isForBrowser(request)) return beside(request, response);
    const admission = this.#options.guard.admit(request);
    if ('status' in admission) {
      for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
      return refuse(response, admission.status, admission.why);
    }
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH)
      return refuse(response, 404, REFUSED.notHere(PATH));
    if (this.#closing) return refuse(response, 503, REFUSED.shuttingDown);
    if (request.method === 'POST') return this.#post(request, response, admission.principal);
    const line = this.#sessionOf(request, admission.principal);
    if (request.method === 'GET' && line !== null) return line.streams.listen(response);
    if (request.method === 'DELETE' && line !== null) return this.#delete(request, response, line);
    response.setHeader('allow', 'POST');
    const known = request.headers['mcp-session-id'] !== undefined;
    refuse(response, known ? 404 : 405, known ? REFUSED.noSession : REFUSED.post);
  }

  async #post(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      return refuse(response, 415, REFUSED.json);
    const body = await wholeOf(request, MOST_BODY_BYTES);
    if (body === null) return refuse(response, 413, REFUSED.tooLarge);
    const messages = messagesIn(body);
    if (messages === null || messages.length === 0)
      return refuse(response, 400, REFUSED.notAMessage, RPC.parseError);
    const [first] = messages as [Message];
    if (first.meta.has(PROTOCOL_KEY) || claimsStateless(request))
      return this.#stateless(request, response, principal, first);
    const begins = first.method === 'initialize';
    const line = begins ? await this.#begin(response, principal) : this.#sessionOf(request, principal);
    if (line === null && begins) {
      response.setHeader('retry-after', '60');
      return refuse(
        response,
        503,
        this.#closing ? REFUSED.shuttingDown : REFUSED.tooManySessions,
        RPC.serverError,
        first.id,
      );
    }
    if (line === null) {
      const known = request.headers['mcp-session-id'] !== undefined;
      return refuse(
        response,
        known ? 404 : 400,
        known ? REFUSED.noSession : REFUSED.initialize,
        RPC.invalidRequest,
        first.id,
      );
    }
    const twice = repeatedId(messages, line.streams);
    if (twice !== null) return refuse(response, 400, REFUSED.idInUse, RPC.invalidRequest, twice);
    this.#exchange(request, response, line, messages, false);
    for (const message of messages) await line.relay.fromClient(message.bytes);
  }

  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    line: HttpLine,
    messages: readonly Message[],
    stateless: boolean,
  ): void {
    const asked = messages.filter(({ id, method }) => id !== null && method !== null);
    if (asked.length === 0) {
      response.writeHead(202).end();
      return;
    }
    const [only] = asked.length === 1 ? asked : [];
    const token = only?.value(only.meta.get('progressToken'));
    const exchange: Exchange = {
      response,
      left: asked.length,
      asStream: /text\/event-stream|\*\/\*/.test(request.headers.accept ?? '') || asked.length > 1,
      progressToken: token === undefined ? null : JSON.stringify(token),
      stateless,
    };
    line.streams.expect(
      asked.map(({ id }) => id as string),
      exchange,
    );
    response.once('close', () => line.streams.gone(exchange));
  }

  /**
   * A request without a session. Different clients may use the same ids and tokens, so upstream
   * they are ours.
   */
  async #stateless(
    request: IncomingMessage,
    response: ServerResponse,
    principal: string,
    message: Message,
  ): Promise<void> {
    const missing = message.id === null ? undefined : NEEDED.find((key) => !message.meta.has(key));
    if (missing !== undefined)
      return refuse(response, 400, REFUSED.meta(missing), RPC.invalidParams, message.id);
    const wrong = disagreement(request, message);
    if (wrong !== null) return refuse(response, 400, wrong, RPC.headerMismatch, message.id);
    const line = await this.#sharedLine(principal);
    if (message.id === null) {
      response.writeHead(202).end();
      return line.relay.fromClient(message.bytes);
    }
    const own = line.ids.outgoing(message);
    this.#exchange(request, response, line, [own], true);
    response.once('close', () => {
      // Disconnecting before the answer is how such a client cancels.
      if (line.ids.forget(own.id as string))
        line.relay.fromClient(cancellation(own.id as string, REFUSED.clientGone).bytes);
    });
    await line.relay.fromClient(own.bytes);
  }

  async #begin(response: ServerResponse, principal: string): Promise<HttpLine | null> {
    const streams = new HttpStreams();
    const begun = await this.#sessions.begin(principal, (lost) =>
      this.#connect(principal, streams, streams, lost),
    );
    if (begun === null) return null;
    if (this.#closing) {
      await this.#end(begun.line, REFUSED.shuttingDown);
      return null;
    }
    response.setHeader('mcp-session-id', begun.id);
    return begun.line;
  }

  #sharedLine(principal: string): Promise<SharedLine> {
    const known = this.#shared.get(principal);
    if (known !== undefined) return known;
    const streams = new HttpStreams();
    const ids = new SharedIds(streams);
    const line = this.#connect(principal, ids, streams, () => this.#shared.delete(principal)).then(
      (made) => ({ ...made, ids }),
    );
    this.#shared.set(principal, line);
    return line;
  }

  async #connect(
    principal: string,
    client: ClientPort,
    streams: HttpStreams,
    lost: () => void,
  ): Promise<HttpLine> {
    const { gateway, connect, log } = this.#options;
    const relay = gateway.connect({ client, principal: principal === OWNER ? null : principal });
    const upstream = await connect(relay, (why) => {
      log(why);
      lost();
    });
    relay.attach(upstream);
    return { relay, upstream, streams };
  }

  #sessionOf(request: IncomingMessage, principal: string): HttpLine | null {
    return this.#sessions.find(String(request.headers['mcp-session-id'] ?? ''), principal);
  }

  async #delete(request: IncomingMessage, response: ServerResponse, line: HttpLine): Promise<void> {
    this.#sessions.delete(String(request.headers['mcp-session-id']));
    response.writeHead(200).end();
    await this.#end(line, REFUSED.sessionEnded);
  }
}

function repeatedId(messages: readonly Message[], streams: HttpStreams): string | null {
  const seen = new Set<string>();
  for (const { id, method } of messages) {
    if (id === null || method === null) continue;
    if (seen.has(sameId(id)) || streams.waits(id)) return id;
    seen.add(sameId(id));
  }
  return null;
}

const MOST_BODY_BYTES = 64 * 1024 * 1024;

function messagesIn(body: Buffer): Message[] | null {
  const one = readMessage(body);
  if (one !== null) return [one];
  const all = elementsOf(body)?.map(({ start, end: to }) => readMessage(body.subarray(start, to)));
  return all === undefined || all.includes(null) ? null : (all as Message[]);
}

function claimsStateless({ headers }: IncomingMessage): boolean {
  const revision = headers['mcp-protocol-version'];
  return (
    headers['mcp-session-id'] === undefined && typeof revision === 'string' && revision >= WITHOUT_HANDSHAKE
  );
}

/** Headers must agree with the message; the method is required. */
function disagreement(request: IncomingMessage, message: Message): string | null {
  const wanted = mirrored(message);
  for (const [name, value] of Object.entries(wanted)) {
    const given = request.headers[name];
    if (given === undefined && message.id !== null) return REFUSED.headerMissing(name);
    if (given !== undefined && given !== value) return REFUSED.headerDiffers(name);
  }
  return null;
}

function refuse(
  response: ServerResponse,
  status: number,
  why: string,
  code: number = RPC.serverError,
  id: string | null = null,
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(errorMessage(id ?? 'null', code, why));
}
