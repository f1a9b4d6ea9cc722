/**
 * The gateway over Streamable HTTP, for both eras of the protocol: clients that begin with
 * `initialize` get a session with an upstream of its own; requests that name their revision
 * themselves share one upstream a principal, under ids of ours. Only this machine is served, see
 * http-guard.ts; what a principal stores can be fetched by that principal alone.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { EventLog } from './event-log.ts';
import type { Gateway } from './gateway.ts';
import type { Guard } from './http-guard.ts';
import { bodyOf, cancelled, claimsStateless, disagreement, messagesIn, refuse } from './http-requests.ts';
import { type Exchange, HttpStreams } from './http-streams.ts';
import { type Message, metaOf, PROTOCOL_KEY } from './message.ts';
import type { ClientPort, Upstream, UpstreamEvents } from './ports.ts';
import type { Relay } from './relay.ts';
import { SharedIds } from './shared-ids.ts';
import { LOG, REFUSED } from './wording.ts';

export interface HttpFaceOptions {
  readonly gateway: Gateway;
  readonly guard: Guard;
  readonly server: string;
  /** Makes a connection to the upstream. */
  readonly connect: (events: UpstreamEvents, failed: (why: string) => void) => Promise<Upstream>;
  readonly log: (line: string) => void;
}

interface Line {
  readonly principal: string;
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly streams: HttpStreams;
  lastUsed: number;
}

const PATH = '/mcp';
const IDLE_MS = 30 * 60_000;
const HEADER_MISMATCH = -32020;
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const INVALID_PARAMS = -32602;
/** What a request that stands for itself must say. */
const NEEDED = [PROTOCOL_KEY, 'io.modelcontextprotocol/clientCapabilities'];
/** The revision from which a stream may begin with an event that only has an id. */
const PRIMED_SINCE = '2025-11-25';

export class HttpFace {
  readonly #options: HttpFaceOptions;
  readonly #server: Server;
  readonly #sessions = new Map<string, Line>();
  readonly #shared = new Map<string, Promise<Line & { readonly ids: SharedIds }>>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: HttpFaceOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        options.log(LOG.requestFailed(error instanceof Error ? error.name : typeof error));
        refuse(response, 500, REFUSED.wentWrong);
      });
    });
    this.#timer = setInterval(() => this.#endIdle(), 60_000);
    this.#timer.unref();
  }

  /** The port that is listened on. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const shared = await Promise.all(this.#shared.values());
    for (const line of [...this.#sessions.values(), ...shared]) await end(line);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = this.#options.guard.admit(request);
    if ('status' in admission) {
      for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
      return refuse(response, admission.status, admission.why);
    }
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH)
      return refuse(response, 404, REFUSED.notHere(PATH));
    if (request.method === 'POST') return this.#post(request, response, admission.principal);
    const line = this.#sessionOf(request, admission.principal);
    if (request.method === 'GET' && line !== null) {
      const last = request.headers['last-event-id'];
      if (typeof last === 'string' && (await line.streams.resume(last, response))) return;
      return line.streams.listen(response);
    }
    if (request.method === 'DELETE' && line !== null) return this.#delete(request, response, line);
    response.setHeader('allow', 'POST');
    const known = request.headers['mcp-session-id'] !== undefined;
    refuse(response, known ? 404 : 405, known ? REFUSED.noSession : REFUSED.post);
  }

  async #post(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      return refuse(response, 415, REFUSED.json);
    const body = await bodyOf(request);
    if (body === null) return refuse(response, 413, REFUSED.tooLarge);
    const messages = messagesIn(body);
    if (messages === null || messages.length === 0)
      return refuse(response, 400, REFUSED.notAMessage, PARSE_ERROR);
    const [first] = messages as [Message];
    if (metaOf(first, PROTOCOL_KEY) !== undefined || claimsStateless(request))
      return this.#stateless(request, response, principal, first);
    const line =
      first.method === 'initialize'
        ? await this.#begin(response, principal)
        : this.#sessionOf(request, principal);
    if (line === null) {
      const known = request.headers['mcp-session-id'] !== undefined;
      return refuse(
        response,
        known ? 404 : 400,
        known ? REFUSED.noSession : REFUSED.initialize,
        INVALID_REQUEST,
        first.id,
      );
    }
    const exchange = this.#exchange(request, response, line, messages, false);
    // Clients of older revisions do not expect an event that says nothing.
    const revision = String(request.headers['mcp-protocol-version'] ?? '');
    if (exchange?.asStream === true && revision >= PRIMED_SINCE) await line.streams.prime(exchange);
    for (const message of messages) await line.relay.fromClient({ kind: 'whole', bytes: message.bytes });
  }

  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    line: Line,
    messages: readonly Message[],
    stateless: boolean,
  ): Exchange | null {
    const asked = messages.filter(({ id, method }) => id !== null && method !== null);
    if (asked.length === 0) {
      response.writeHead(202).end();
      return null;
    }
    const token =
      asked.length === 1 && asked[0] !== undefined ? metaOf(asked[0], 'progressToken')?.value : undefined;
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
    response.once('close', () => {
      if (exchange.response === response) line.streams.gone(exchange);
    });
    return exchange;
  }

  /**
   * A request that stands for itself. Ids and tokens of different clients may be the same: upstream
   * they are ours.
   */
  async #stateless(
    request: IncomingMessage,
    response: ServerResponse,
    principal: string,
    message: Message,
  ): Promise<void> {
    const missing =
      message.id === null ? undefined : NEEDED.find((key) => metaOf(message, key) === undefined);
    if (missing !== undefined)
      return refuse(response, 400, REFUSED.meta(missing), INVALID_PARAMS, message.id);
    const wrong = disagreement(request, message);
    if (wrong !== null) return refuse(response, 400, wrong, HEADER_MISMATCH, message.id);
    const line = await this.#sharedLine(principal);
    if (message.id === null) {
      response.writeHead(202).end();
      return line.relay.fromClient({ kind: 'whole', bytes: message.bytes });
    }
    const own = line.ids.outgoing(message);
    this.#exchange(request, response, line, [own], true);
    response.once('close', () => {
      // The client went before it was answered: that is how it cancels.
      if (line.ids.forget(own.id as string))
        line.relay.fromClient({ kind: 'whole', bytes: cancelled(own.id as string) });
    });
    await line.relay.fromClient({ kind: 'whole', bytes: own.bytes });
  }

  async #begin(response: ServerResponse, principal: string): Promise<Line> {
    const id = randomUUID();
    const streams = new HttpStreams(new EventLog());
    const line = await this.#connect(principal, streams, streams, () => this.#sessions.delete(id));
    this.#sessions.set(id, line);
    response.setHeader('mcp-session-id', id);
    return line;
  }

  #sharedLine(principal: string): Promise<Line & { readonly ids: SharedIds }> {
    const known = this.#shared.get(principal);
    if (known !== undefined) return known;
    const streams = new HttpStreams(null);
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
  ): Promise<Line> {
    const { gateway, connect, log, server } = this.#options;
    const relay = gateway.connect({ client, scope: `principal:${principal}:mcp:${server}` });
    const upstream = await connect(relay, (why) => {
      log(why);
      lost();
    });
    relay.attach(upstream);
    return { principal, relay, upstream, streams, lastUsed: Date.now() };
  }

  /** A session is found only by who began it. */
  #sessionOf(request: IncomingMessage, principal: string): Line | null {
    const line = this.#sessions.get(String(request.headers['mcp-session-id'] ?? ''));
    if (line === undefined || line.principal !== principal) return null;
    line.lastUsed = Date.now();
    return line;
  }

  async #delete(request: IncomingMessage, response: ServerResponse, line: Line): Promise<void> {
    this.#sessions.delete(String(request.headers['mcp-session-id']));
    response.writeHead(200).end();
    await end(line);
  }

  #endIdle(): void {
    const before = Date.now() - IDLE_MS;
    for (const [id, line] of this.#sessions) {
      if (line.lastUsed >= before) continue;
      this.#sessions.delete(id);
      end(line).catch((error: unknown) => this.#options.log(LOG.sessionEnded((error as Error).name)));
    }
  }
}

async function end({ streams, upstream, relay }: Line): Promise<void> {
  streams.close();
  await upstream.close();
  await relay.close();
}
