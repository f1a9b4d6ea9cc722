/**
 * The gateway: one Spillway for a workspace and a relay for each client. A handle can be fetched
 * within the same scope; see docs/gateway.md.
 */
import type { ArtifactId, FetchHint, SettingsInput, Spillway, Store } from '@spillway/core';
import { everyItem } from '@spillway/core/store';
import { type Opened, open } from '../open.ts';
import { argumentHeaders, type Message, nameOf } from './message.ts';
import type { ClientPort } from './ports.ts';
import { Relay } from './relay.ts';
import { type Structured, spelledName, ToolDirectory } from './tool-directory.ts';
import { LOG } from './wording.ts';

export interface GatewayOptions {
  readonly server: string;
  /** Whether the client's configuration calls it so too. */
  readonly isNamed: boolean;
  readonly settings: SettingsInput;
  readonly toolName: string;
  readonly structured: Structured;
  readonly allowUnbounded: boolean;
  readonly strict: boolean;
  readonly timeoutMs: number;
  readonly metricsPort?: number;
  readonly log: (line: string) => void;
}

export interface Connection {
  readonly client: ClientPort;
  /** Who connects over HTTP; left out for the owner of the workspace. */
  readonly principal?: string | null;
  /** Whether no other client connects: notices then name tools as this one spells them. */
  readonly isOnly?: boolean;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #opened: Opened;
  readonly #tools: ToolDirectory;
  readonly #storeCheck: StoreCheck;
  readonly #passed: PassedResults;
  readonly #client: { name: string | null };
  #sessions = 0;

  static async open(options: GatewayOptions): Promise<Gateway> {
    // The name may change later, if the upstream has a tool of the same name.
    let tools: ToolDirectory | null = null;
    const server = options.isNamed ? options.server : null;
    const client: { name: string | null } = { name: null };
    const hint: FetchHint = {
      kind: 'tool',
      get name() {
        return spelledName(client.name, server, tools?.ownName ?? options.toolName);
      },
    };
    const opened = await open({
      hint,
      plainCopies: false,
      strict: options.strict,
      watch: true,
      ...(options.metricsPort === undefined ? {} : { metricsPort: options.metricsPort }),
      thread: true,
      outside: 'data folder',
    });
    tools = new ToolDirectory(options.structured, {
      ...opened.spillway.definition,
      name: options.toolName,
    });
    return new Gateway(options, opened, tools, client);
  }

  private constructor(
    options: GatewayOptions,
    opened: Opened,
    tools: ToolDirectory,
    client: { name: string | null },
  ) {
    this.#options = options;
    this.#client = client;
    this.#opened = opened;
    this.#tools = tools;
    this.#storeCheck = new StoreCheck(opened.store, options.log);
    this.#passed = new PassedResults(opened.spillway, opened.store);
    opened.spillway.explain('', { policy: options.settings });
  }

  connect({ client, principal = null, isOnly = false }: Connection): Relay {
    const { spillway, workspace } = this.#opened;
    const { server, settings, strict, log, allowUnbounded, timeoutMs } = this.#options;
    // The owner's clients share all that is the workspace's; another principal sees only its own.
    const scope = principal === null ? workspace.scope : `${workspace.scope}:principal:${principal}`;
    const session = `${SESSION_PREFIX}${server.replace(/\s+/g, '-')}-${process.pid}-${Date.now()}-${++this.#sessions}`;
    spillway.configureSession(session, settings);
    return new Relay({
      spillway,
      client,
      scope,
      session,
      server,
      settings,
      strict,
      log,
      tools: this.#tools,
      allowUnbounded,
      timeoutMs,
      storeOpens: () => this.#storeCheck.opens(),
      failed: () => log(LOG.notStored),
      // Removal is tried again the next day.
      stored: () => this.#passed.lookAfter(scope).catch(() => undefined),
      introduced: (name) => {
        if (isOnly) this.#client.name = name;
      },
    });
  }

  /** Headers that a call needs where the upstream is reached over HTTP. */
  callHeaders(message: Message): Readonly<Record<string, string>> {
    const schema = this.#tools.get(nameOf(message) ?? '')?.inputSchema;
    return argumentHeaders(schema, message.value(message.params.get('arguments')));
  }

  async close(): Promise<void> {
    await this.#opened.spillway.close();
  }
}

// Results that passed whole are kept as long as their session, which ends after 30 idle days:
// nobody was told their handles. Checked after the first stored result, then once a day per scope.

const DAY_MS = 24 * 60 * 60 * 1_000;
const PAGE = 200;
const SESSION_PREFIX = 'mcp-';

export class PassedResults {
  readonly #spillway: Spillway;
  readonly #store: Store | null;
  readonly #looked = new Map<string, number>();

  constructor(spillway: Spillway, store: Store | null) {
    this.#spillway = spillway;
    this.#store = store;
  }

  async lookAfter(scope: string): Promise<void> {
    const store = this.#store;
    const now = performance.now();
    if (store === null || now - (this.#looked.get(scope) ?? Number.NEGATIVE_INFINITY) < DAY_MS) return;
    this.#looked.set(scope, now);
    for await (const { id, endedAt } of everyItem((page) =>
      store.sessions({ scope, show: 'all', limit: PAGE, ...page }),
    )) {
      if (endedAt === undefined || !id.startsWith(SESSION_PREFIX)) continue;
      const ids: ArtifactId[] = [];
      for await (const output of everyItem((page) =>
        store.list({ scope, session: id, show: 'all', limit: PAGE, ...page }),
      ))
        if (!output.disclosed && output.server !== undefined) ids.push(output.id);
      for (let at = 0; at < ids.length; at += PAGE)
        await this.#spillway.retire({ how: 'purge', scope, ids: ids.slice(at, at + PAGE) });
    }
  }
}

// Whether the workspace's store can be opened. If not, a cut result would be lost, so results of
// ordinary size pass whole and the log says so. Checked when it first matters, and again while it
// fails, at growing intervals.

const SOONEST_MS = 1_000;
const LATEST_MS = 30_000;

export class StoreCheck {
  readonly #store: Store | null;
  readonly #log: (line: string) => void;
  #opens: Promise<boolean> | null = null;
  #againMs = SOONEST_MS;

  constructor(store: Store | null, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
  }

  opens(): Promise<boolean> {
    this.#opens ??= this.#look();
    return this.#opens;
  }

  async #look(): Promise<boolean> {
    try {
      // The cheapest call that opens a store of any size.
      await this.#store?.sessions({ limit: 1 });
      if (this.#store !== null) return true;
    } catch {
      // `spillway doctor` tells the reason.
    }
    if (this.#againMs === SOONEST_MS) this.#log(LOG.storeClosed);
    setTimeout(() => {
      this.#opens = null;
    }, this.#againMs).unref();
    this.#againMs = Math.min(2 * this.#againMs, LATEST_MS);
    return false;
  }
}
