/**
 * Several upstreams as one. Lists are merged, calls are routed, the handshake combines
 * capabilities. A failing server affects only what waited for it. Servers without a common protocol
 * revision cannot be merged; the error names them.
 */
import { SpillwayError } from '@spillway/core';
import { type Incoming, within } from '../framing.ts';
import { errorMessage, type Message, PROTOCOL_KEY, readMessage, sameId } from '../message.ts';
import { remember } from '../pending.ts';
import type { Upstream, UpstreamEvents } from '../ports.ts';
import type { Spooled } from '../spool.ts';
import { LOG, REFUSED } from '../wording.ts';
import { Child } from './child.ts';
import { Lists, type Owner } from './lists.ts';

export interface MergedOptions {
  readonly servers: readonly {
    readonly name: string;
    readonly connect: (events: UpstreamEvents, failed: (why: string) => void) => Promise<Upstream>;
  }[];
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  readonly failed: (why: string) => void;
}

/** A server may take this long to introduce itself. */
const PATIENCE_MS = 10_000;
/** The pause before a failed server is tried again; doubles each time. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const SERVER_ERROR = -32000;
const MOST_REMEMBERED = 1_000;

interface Route {
  readonly child: Child;
  readonly bytes: Buffer;
}

export class MergedUpstream implements Upstream {
  readonly #options: MergedOptions;
  readonly #children: readonly Child[];
  readonly #lists = new Lists({
    usable: () => this.#usable,
    late: (child, method) => this.#options.log(LOG.listIsLate(child.name, method)),
    changed: (method) => this.#tellChanged(method.split('/')[0] as string),
  });
  readonly #retries = new Map<Child, NodeJS.Timeout>();
  /** By task id. */
  readonly #tasks = new Map<string, Child>();
  /** By request id. */
  readonly #routed = new Map<string, Child>();
  /** Requests of servers to the client, by the id that the client knows. */
  readonly #asked = new Map<string, { readonly child: Child; readonly id: string }>();
  #request: Message | null = null;
  #initialized: Buffer | null = null;
  #closing = false;

  static async open(options: MergedOptions): Promise<MergedUpstream> {
    const merged = new MergedUpstream(options);
    await Promise.all(merged.#children.map((child) => merged.#connect(child)));
    return merged;
  }

  private constructor(options: MergedOptions) {
    this.#options = options;
    const { events } = options;
    this.#children = options.servers.map(
      ({ name }) =>
        new Child({
          name,
          received: (child, incoming, about) => this.#received(child, incoming, about),
          refused: (id, why) => events.refused(id, why),
          waits: (id) => events.waits(id),
          introduction: () =>
            this.#request?.method !== 'initialize'
              ? null
              : { request: this.#request, initialized: this.#initialized },
        }),
    );
  }

  async send(bytes: Buffer | Spooled, message: Message | null): Promise<void> {
    if (message === null || !Buffer.isBuffer(bytes))
      throw new SpillwayError('invalid_argument', REFUSED.tooLargeForSeveral);
    const current = bytes === message.bytes ? message : (readMessage(bytes) ?? message);
    const { id, method } = current;
    if (method === null) return this.#answered(current);
    if (id === null) return this.#notify(current);
    this.#serve(current, id, method).catch((error: unknown) =>
      this.#options.events.refused(id, error instanceof SpillwayError ? error.message : REFUSED.notPassedOn),
    );
  }

  restart(): void {
    for (const child of this.#children) child.upstream?.restart();
  }

  async close(hurry?: Promise<unknown>): Promise<void> {
    this.#closing = true;
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await Promise.all(this.#children.map((child) => child.upstream?.close(hurry)));
  }

  async #connect(child: Child): Promise<void> {
    const server = this.#options.servers.find(({ name }) => name === child.name);
    const failed = (why: string) => {
      child.upstream = null;
      if (child.failure === null) this.#options.log(`${child.name}: ${why}`);
      child.failure = why;
      this.#retry(child);
      if (this.#usable.length === 0) this.#options.failed(LOG.noneUsable);
    };
    child.upstream = (await server?.connect(child, failed)) ?? null;
  }

  #retry(child: Child, pause = FIRST_PAUSE_MS): void {
    if (this.#closing || this.#retries.has(child)) return;
    const again = async () => {
      if (child.upstream === null) await this.#connect(child);
      const request = this.#request;
      const answer = request === null ? null : await within(child.ask(request), PATIENCE_MS);
      const isBack = answer !== 'late' && this.#returned(child, answer);
      this.#retries.delete(child);
      if (!isBack) this.#retry(child, Math.min(2 * pause, LONGEST_PAUSE_MS));
    };
    this.#retries.set(child, setTimeout(again, pause).unref());
  }

  #returned(child: Child, answer: Message | null): boolean {
    if (resultOf(child, answer) === null || this.#closing) return false;
    child.failure = null;
    const initialized = this.#initialized === null ? null : readMessage(this.#initialized);
    if (initialized !== null) child.pass(initialized.bytes, initialized).catch(() => undefined);
    this.#options.log(LOG.isBack(child.name));
    for (const kind of ['tools', 'prompts', 'resources'])
      if (kind in child.capabilities) this.#tellChanged(kind);
    return true;
  }

  #tellChanged(kind: string): void {
    this.#say(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`));
  }

  get #usable(): readonly Child[] {
    return this.#children.filter(({ failure }) => failure === null);
  }

  async #received(child: Child, incoming: Incoming, about: string | null): Promise<void> {
    const message = incoming.kind === 'whole' ? readMessage(incoming.bytes) : null;
    const bytes = message === null ? null : this.#toClient(child, message);
    await this.#options.events.received(bytes === null ? incoming : { kind: 'whole', bytes }, about);
  }

  /**
   * Rewrites ids of a server's message: two servers may use the same id, so its name becomes a
   * prefix.
   */
  #toClient(child: Child, message: Message): Buffer {
    const { method, bytes } = message;
    if (method === null && bytes.includes('"taskId"')) {
      const task = message.string(message.inside(message.result.get('task')).get('taskId'));
      if (task !== undefined) remember(this.#tasks, task, child, MOST_REMEMBERED);
    }
    const isCancel = method === 'notifications/cancelled';
    const member = isCancel ? message.params.get('requestId') : message.members.get('id');
    const id = message.written(member);
    if (id === undefined || method === null) return bytes;
    const known = JSON.stringify(`${child.name}:${id}`);
    if (!isCancel) remember(this.#asked, known, { child, id }, MOST_REMEMBERED);
    return message.with(member, known);
  }

  /** Routes the client's answer to the server that asked, under its id. */
  async #answered(message: Message): Promise<void> {
    const id = sameId(message.id ?? 'null');
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    await asked?.child.pass(message.with(message.members.get('id'), asked.id), message);
  }

  async #notify(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#initialized = message.bytes;
    const about =
      message.method === 'notifications/cancelled'
        ? message.written(message.params.get('requestId'))
        : undefined;
    const only = about === undefined ? undefined : this.#routed.get(sameId(about));
    const children = only === undefined ? this.#usable : [only];
    await Promise.all(children.map((child) => child.pass(message.bytes, message)));
  }

  async #serve(message: Message, id: string, method: string): Promise<void> {
    if (method === 'initialize' || method === 'server/discover') return this.#introduce(message, id, method);
    if (method === 'ping') return this.#answer(message, '{}');
    const list = await this.#lists.result(method, message);
    const caching = isStateless(message) ? ',"ttlMs":0,"cacheScope":"private"' : '';
    if (list !== null) return this.#answer(message, `{${list}${caching}}`);
    if (method === 'logging/setLevel') {
      await Promise.all(this.#lists.having('logging').map((child) => child.ask(message)));
      return this.#answer(message, '{}');
    }
    const route = await this.#route(message, method);
    if (route !== null) {
      remember(this.#routed, sameId(id), route.child, MOST_REMEMBERED);
      return route.child.pass(route.bytes, readMessage(route.bytes) ?? message);
    }
    const isNamed = method === 'tools/call' || method === 'prompts/get';
    return this.#say(
      isNamed
        ? errorMessage(id, INVALID_PARAMS, REFUSED.noServer)
        : errorMessage(id, METHOD_NOT_FOUND, REFUSED.methodNotFound),
    );
  }

  async #route(message: Message, method: string): Promise<Route | null> {
    const { params, bytes } = message;
    if (method === 'tools/call' || method === 'prompts/get') {
      const name = params.get('name');
      const listed = method === 'tools/call' ? 'tools/list' : 'prompts/list';
      const owner = await this.#lists.owner(message, listed, message.string(name) ?? '');
      return this.#to(owner, owner?.name ? message.with(name, JSON.stringify(owner.name)) : bytes);
    }
    if (method === 'completion/complete') {
      const ref = message.inside(params.get('ref'));
      const name = ref.get('name');
      const written = message.string(name);
      const listed = written === undefined ? 'resources/templates/list' : 'prompts/list';
      const named = written ?? message.string(ref.get('uri')) ?? '';
      const owner = await this.#lists.owner(message, listed, named);
      return this.#to(owner, owner === undefined ? bytes : message.with(name, JSON.stringify(owner.name)));
    }
    const uri = message.string(params.get('uri'));
    if (method.startsWith('resources/') && uri !== undefined) return this.#byUri(message, uri);
    const task = message.string(params.get('taskId'));
    const able = this.#lists.having(task === undefined ? (method.split('/')[0] ?? '') : 'tasks')[0];
    return this.#to(this.#tasks.get(task ?? '') ?? able, bytes);
  }

  async #byUri(message: Message, uri: string): Promise<Route | null> {
    const owner =
      (await this.#lists.owner(message, 'resources/list', uri)) ??
      (await this.#lists.ownerByTemplate(message, uri));
    if (owner !== undefined) return this.#to(owner, message.bytes);
    const readers = this.#lists.having('resources');
    for (const child of readers.slice(0, -1)) {
      const answer = await child.ask(message);
      if (answer?.members.has('result') === true) return { child, bytes: message.bytes };
    }
    return this.#to(readers.at(-1), message.bytes);
  }

  #to(whose: Owner | Child | undefined, bytes: Buffer): Route | null {
    const child = whose instanceof Child ? whose : this.#children.find(({ name }) => name === whose?.server);
    return child === undefined ? null : { child, bytes };
  }

  /** Introduces the client to all servers and merges their answers. */
  async #introduce(message: Message, id: string, method: string): Promise<void> {
    this.#request = message;
    const asked = this.#usable.map((child) => ({ child, answer: child.ask(message) }));
    const answers = await Promise.all(
      asked.map(async (one) => ({ ...one, first: await within(one.answer, PATIENCE_MS) })),
    );
    const refusing = answers.filter(({ first }) => first !== 'late' && !first?.members.has('result'));
    // If one does not speak the revision, ask all for the older handshake.
    if (method === 'server/discover' && refusing.length > 0) {
      const names = refusing.map(({ child }) => child.name).join(', ');
      return this.#say(errorMessage(id, METHOD_NOT_FOUND, REFUSED.needsHandshake(names)));
    }
    const introductions = answers.flatMap(({ child, first }) => {
      const result = first === 'late' ? null : resultOf(child, first);
      return result === null ? [] : [{ name: child.name, result }];
    });
    const why = introductions.length === 0 ? REFUSED.noAnswer : disagreement(introductions);
    if (why !== null) return this.#say(errorMessage(id, SERVER_ERROR, why));
    for (const { child } of refusing) {
      child.failure = LOG.refusedHandshake;
      this.#options.log(LOG.goesOnWithout(child.name));
      this.#retry(child);
    }
    for (const { child, answer, first } of answers) {
      if (first !== 'late') continue;
      child.failure = LOG.late;
      this.#options.log(LOG.goesOnWithoutLate(child.name, PATIENCE_MS));
      answer.then((came) => this.#returned(child, came) || this.#retry(child));
    }
    return this.#answer(message, JSON.stringify(mergedIntroduction(introductions, method)));
  }

  #answer(message: Message, result: string): Promise<void> {
    const isMarked = isStateless(message) && !result.includes('"resultType"');
    const rest = result === '{}' ? '}' : `,${result.slice(1)}`;
    const marked = isMarked ? `{"resultType":"complete"${rest}` : result;
    return this.#say(Buffer.from(`{"jsonrpc":"2.0","id":${message.id},"result":${marked}}`));
  }

  #say(bytes: Buffer): Promise<void> {
    return this.#options.events.received({ kind: 'whole', bytes }, null);
  }
}

function isStateless(message: Message): boolean {
  return message.meta.has(PROTOCOL_KEY);
}

/** Null if it refused. */
function resultOf(child: Child, answer: Message | null): Record<string, unknown> | null {
  const result = answer?.value(answer.members.get('result')) as Record<string, unknown> | undefined;
  if (result === undefined) return null;
  child.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
  return result;
}

interface Introduction {
  readonly name: string;
  readonly result: Readonly<Record<string, unknown>>;
}

const WITHOUT_HANDSHAKE = '2026-07-28';

/** Servers with and without a handshake cannot be mixed. */
function disagreement(introductions: readonly Introduction[]): string | null {
  const named = revisionsOf(introductions);
  const late = named.filter((revision) => revision >= WITHOUT_HANDSHAKE);
  if (late.length === 0 || late.length === named.length) return null;
  const list = introductions.map(({ name, result }) => `${name} (${result.protocolVersion ?? ''})`);
  return REFUSED.noRevision(list.join(', '));
}

function revisionsOf(introductions: readonly Introduction[]): string[] {
  return introductions
    .map(({ result }) => String(result.protocolVersion ?? ''))
    .filter((revision) => revision !== '');
}

/** The common revision is the oldest one answered. */
function mergedIntroduction(introductions: readonly Introduction[], method: string): object {
  const { instructions: _first, ...rest } = introductions[0]?.result ?? {};
  const instructions = introductions
    .flatMap(({ name, result }) =>
      typeof result.instructions === 'string' ? [`## ${name}\n\n${result.instructions}`] : [],
    )
    .join('\n\n');
  const revision = revisionsOf(introductions).sort()[0] ?? '';
  // Servers may come and go, so the list of tools may change.
  const able = [...introductions.map(({ result }) => result.capabilities), { tools: { listChanged: true } }];
  return {
    ...rest,
    ...(method === 'initialize' ? { protocolVersion: revision } : {}),
    capabilities: mergedCapabilities(able),
    serverInfo: { name: 'spillway', version: '1', title: introductions.map(({ name }) => name).join(', ') },
    ...(instructions === '' ? {} : { instructions }),
  };
}

function mergedCapabilities(all: readonly unknown[]): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = {};
  for (const one of all)
    for (const [key, value] of Object.entries((one ?? {}) as Record<string, unknown>)) {
      const before = merged[key];
      merged[key] =
        isObject(before) && isObject(value) ? mergedCapabilities([before, value]) : before || value;
    }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
