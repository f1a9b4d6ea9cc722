/**
 * Spillway inside an MCP server: `withSpillway(server, options)` puts the gateway's relay between
 * the server and whatever it is connected to, in the same process. Any server that has
 * `connect(transport)` will do, of either official SDK; no SDK is imported here. Results that pass
 * are values already, so what is stored is their JSON.
 */
import type { SettingsInput, Spillway } from '@spillway/core';
import type { Incoming } from './gateway/incoming.ts';
import { readMessage } from './gateway/message.ts';
import type { ClientPort, Upstream } from './gateway/ports.ts';
import { Relay } from './gateway/relay.ts';
import { ToolDirectory } from './gateway/tool-directory.ts';

/** How results are handled. */
export interface WithSpillwayOptions {
  /** What `open()` returned, or a Spillway of your own. */
  readonly spillway: Spillway;
  /** Who may fetch what is stored: the principal of the client, or the workspace. */
  readonly scope: string;
  /** The agent's run. Default: one for each connection. */
  readonly session?: string;
  /** How the server is called, for settings by pattern (`mcp__NAME__*`). Default: `server`. */
  readonly server?: string;
  /** Settings above those of files. */
  readonly policy?: SettingsInput;
  /** What becomes of structured content that was cut. Default: `omit`. */
  readonly structured?: 'omit' | 'bounded';
  /** Whether `none` may be asked for. Default: false. */
  readonly allowUnbounded?: boolean;
}

/** A server that can be connected: `Server` and `McpServer` of the official SDKs. */
export interface ConnectableServer {
  /** Begins to serve. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has a type of its own for transports
  connect(transport: any, ...rest: any[]): Promise<void>;
}

/** What is used of a transport. */
interface Transport {
  // biome-ignore lint/suspicious/noExplicitAny: messages and options of either SDK
  onmessage?: (message: any, extra?: any) => void;
  // biome-ignore lint/suspicious/noExplicitAny: messages and options of either SDK
  send(message: any, options?: any): Promise<void>;
  onclose?: () => void;
}

/**
 * Stores what the tools of a server return and bounds what clients get of it, adds the tool
 * `get_artifact` and resources under `artifact://`. Call it before the server is connected.
 */
export function withSpillway<S extends ConnectableServer>(server: S, options: WithSpillwayOptions): S {
  const inner = (server as { server?: ConnectableServer }).server ?? server;
  const connect = inner.connect.bind(inner);
  let connections = 0;
  inner.connect = (transport: Transport, ...rest) =>
    connect(spilled(transport, options, ++connections), ...rest);
  return server;
}

function spilled(transport: Transport, options: WithSpillwayOptions, connection: number): Transport {
  const {
    spillway,
    scope,
    server = 'server',
    structured = 'omit',
    policy = {},
    allowUnbounded = false,
  } = options;
  const session = options.session ?? `${server}-${process.pid}-${Date.now()}-${connection}`;
  spillway.configureSession(session, policy);
  const log = (line: string) => process.emitWarning(line);
  const ends = new Ends(transport);
  const relay = new Relay({
    spillway,
    client: ends,
    tools: new ToolDirectory(structured, spillway.definition),
    scope,
    session,
    server,
    settings: policy,
    strict: false,
    allowUnbounded,
    timeoutMs: 0,
    storeOpens: () => Promise.resolve(true),
    failed: () => log('A result could not be stored.'),
    introduced: () => undefined,
    log,
  });
  relay.attach(ends.upstream);
  return ends.between(relay, log);
}

/**
 * Both ends of a relay in one process: towards the client the real transport, towards the server a
 * stand-in for it.
 */
class Ends implements ClientPort {
  readonly #transport: Transport;
  /** What came with a message beside itself, by its id or by its bytes. */
  readonly #extras = new Map<string | Buffer, unknown>();
  #toServer: Transport['onmessage'];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get upstream(): Upstream {
    return {
      send: async (bytes, message) => {
        if (!Buffer.isBuffer(bytes)) return;
        const key = message?.id ?? bytes;
        const extra = this.#extras.get(key);
        this.#extras.delete(key);
        this.#toServer?.(JSON.parse(bytes.toString()), extra);
      },
      arriving: null,
      restart: () => undefined,
      close: async () => undefined,
    };
  }

  async send(bytes: Incoming, about: string | null): Promise<void> {
    const message = JSON.parse(bytes.subarray(0, bytes.length).toString());
    const related =
      'method' in message && about !== null ? { relatedRequestId: JSON.parse(about) } : undefined;
    await this.#transport.send(message, related);
  }

  /**
   * The transport as the server sees it: what it sends goes through the relay, and so does what it
   * gets.
   */
  between(relay: Relay, log: (line: string) => void): Transport {
    this.#transport.onmessage = (message, extra) => {
      const bytes = Buffer.from(JSON.stringify(message));
      const read = readMessage(bytes);
      if (extra !== undefined) this.#extras.set(read?.id ?? bytes, extra);
      relay.fromClient(bytes).catch((error: Error) => log(`A message was lost (${error.name}).`));
    };
    const send = (message: unknown, options?: { relatedRequestId?: unknown }) => {
      const about = options?.relatedRequestId === undefined ? null : JSON.stringify(options.relatedRequestId);
      return relay.received(Buffer.from(JSON.stringify(message)), about);
    };
    return new Proxy(this.#transport, {
      get: (target, name) => {
        if (name === 'send') return send;
        if (name === 'onmessage') return this.#toServer;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set: (target, name, value) => {
        if (name !== 'onmessage') return Reflect.set(target, name, value, target);
        this.#toServer = value;
        return true;
      },
    });
  }
}
