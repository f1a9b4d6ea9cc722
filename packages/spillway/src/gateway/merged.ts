/**
 * Several upstreams as one. Lists are merged, calls are routed, the handshake combines
 * capabilities. A failing server affects only what waited for it. Servers without a common protocol
 * revision cannot be merged; the error names them.
 */

import { SpillwayError } from '@spillway/core';
import { randomBytes } from '@spillway/core/store';
import { isFields } from '../fields.ts';
import type { Incoming } from './incoming.ts';
import { edited, elementsOf, type Member, membersOf, stringIn, textIn } from './json-edit.ts';
import {
  errorMessage,
  type Message,
  ownMessage,
  PROTOCOL_KEY,
  pagesOf,
  RPC,
  readMessage,
  sameId,
  WITHOUT_HANDSHAKE,
} from './message.ts';
import { remember } from './pending.ts';
import { type Upstream, type UpstreamEvents, within } from './ports.ts';
import { LOG, REFUSED } from './wording.ts';

export interface MergedOptions {
  readonly servers: readonly {
    readonly name: string;
    readonly connect: (events: UpstreamEvents, failed: (why: string) => void) => Promise<Upstream>;
  }[];
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  readonly failed: (why: string) => void;
}

/** Methods that list something: the member with the list, and what names an element. */
const LISTS = {
  'tools/list': { member: 'tools', key: 'name' },
  'prompts/list': { member: 'prompts', key: 'name' },
  'resources/list': { member: 'resources', key: 'uri' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate' },
} as const;
type ListMethod = keyof typeof LISTS;

/** A server may take this long to introduce itself, and to list what it has. */
const PATIENCE_MS = 10_000;
/** The pause before a failed server is tried again; doubles each time. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_REMEMBERED = 1_000;

export class MergedUpstream implements Upstream {
  readonly #options: MergedOptions;
  readonly #servers: readonly MergedServer[];
  readonly #names = new Map(Object.keys(LISTS).map((method) => [method, new Names()]));
  readonly #retries = new Map<MergedServer, NodeJS.Timeout>();
  readonly #byTask = new Map<string, MergedServer>();
  readonly #byRequest = new Map<string, MergedServer>();
  /** Requests of servers to the client, by the id that the client knows. */
  readonly #asked = new Map<string, { readonly server: MergedServer; readonly id: string }>();
  #request: Message | null = null;
  #initialized: Buffer | null = null;
  #closing = false;

  static async open(options: MergedOptions): Promise<MergedUpstream> {
    const merged = new MergedUpstream(options);
    await Promise.all(merged.#servers.map((server) => merged.#connect(server)));
    return merged;
  }

  private constructor(options: MergedOptions) {
    this.#options = options;
    const { events } = options;
    this.#servers = options.servers.map(
      ({ name }) =>
        new MergedServer({
          name,
          received: (server, incoming, about) => events.received(this.#toClient(server, incoming), about),
          refused: (id, why) => events.refused(id, why),
          waits: (id) => events.waits(id),
          introduction: () =>
            this.#request?.method !== 'initialize'
              ? null
              : { request: this.#request, initialized: this.#initialized },
        }),
    );
  }

  get arriving(): number | null {
    const times = this.#servers.map(({ upstream }) => upstream?.arriving ?? null);
    return times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
  }

  async send(bytes: Incoming, message: Message | null): Promise<void> {
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
    for (const { upstream } of this.#servers) if ((upstream?.arriving ?? null) !== null) upstream?.restart();
  }

  async close(hurry?: Promise<unknown>): Promise<void> {
    this.#closing = true;
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await Promise.all(this.#servers.map(({ upstream }) => upstream?.close(hurry)));
  }

  async #connect(server: MergedServer): Promise<void> {
    const given = this.#options.servers.find(({ name }) => name === server.name);
    const failed = (why: string) => {
      server.upstream = null;
      if (server.failure === null) this.#options.log(`${server.name}: ${why}`);
      server.failure = why;
      this.#retry(server);
      if (this.#usable.length === 0) this.#options.failed(LOG.noneUsable);
    };
    server.upstream = (await given?.connect(server, failed)) ?? null;
  }

  #retry(server: MergedServer, pause = FIRST_PAUSE_MS): void {
    if (this.#closing || this.#retries.has(server)) return;
    const again = async () => {
      if (server.upstream === null) await this.#connect(server);
      const request = this.#request;
      const answer = request === null ? null : await within(server.ask(request), PATIENCE_MS);
      const isBack = answer !== 'late' && this.#returned(server, answer);
      this.#retries.delete(server);
      if (!isBack) this.#retry(server, Math.min(2 * pause, LONGEST_PAUSE_MS));
    };
    this.#retries.set(server, setTimeout(again, pause).unref());
  }

  #returned(server: MergedServer, answer: Message | null): boolean {
    if (introductionOf(server, answer) === null || this.#closing) return false;
    server.failure = null;
    const initialized = this.#initialized === null ? null : readMessage(this.#initialized);
    if (initialized !== null) server.pass(initialized).catch(() => undefined);
    this.#options.log(LOG.isBack(server.name));
    for (const kind of ['tools', 'prompts', 'resources'])
      if (kind in server.capabilities) this.#tellChanged(kind);
    return true;
  }

  #tellChanged(kind: string): void {
    this.#say(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`));
  }

  get #usable(): readonly MergedServer[] {
    return this.#servers.filter(({ failure }) => failure === null);
  }

  /** Two servers may use the same id for their requests, so its name becomes a prefix. */
  #toClient(server: MergedServer, incoming: Incoming): Incoming {
    const message = Buffer.isBuffer(incoming) ? readMessage(incoming) : null;
    if (message === null) return incoming;
    const { method, bytes } = message;
    if (method === null && bytes.includes('"taskId"')) {
      const task = message.string(message.inside(message.result.get('task')).get('taskId'));
      if (task !== undefined) remember(this.#byTask, task, server, MOST_REMEMBERED);
    }
    const isCancel = method === 'notifications/cancelled';
    const member = isCancel ? message.params.get('requestId') : message.members.get('id');
    const id = message.written(member);
    if (id === undefined || method === null) return bytes;
    const known = JSON.stringify(`${server.name}:${id}`);
    if (!isCancel) remember(this.#asked, known, { server, id }, MOST_REMEMBERED);
    return message.with(member, known);
  }

  /** Routes the client's answer to the server that asked, under its id. */
  async #answered(message: Message): Promise<void> {
    const id = sameId(message.id ?? 'null');
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (asked !== undefined) await asked.server.pass(changed(message, message.members.get('id'), asked.id));
  }

  async #notify(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#initialized = message.bytes;
    const isCancel = message.method === 'notifications/cancelled';
    const about = isCancel ? message.written(message.params.get('requestId')) : undefined;
    const only = about === undefined ? undefined : this.#byRequest.get(sameId(about));
    await Promise.all((only === undefined ? this.#usable : [only]).map((server) => server.pass(message)));
  }

  async #serve(message: Message, id: string, method: string): Promise<void> {
    if (method === 'initialize' || method === 'server/discover') return this.#introduce(message, id, method);
    if (method === 'ping') return this.#answer(message, '{}');
    if (Object.hasOwn(LISTS, method)) {
      const { member } = LISTS[method as ListMethod];
      const caching = isStateless(message) ? ',"ttlMs":0,"cacheScope":"private"' : '';
      const list = await this.#list(method as ListMethod, message);
      return this.#answer(message, `{"${member}":[${list.join(',')}]${caching}}`);
    }
    if (method === 'logging/setLevel') {
      await Promise.all(this.#having('logging').map((server) => server.ask(message)));
      return this.#answer(message, '{}');
    }
    const uri = message.string(message.params.get('uri'));
    if (method.startsWith('resources/') && uri !== undefined) return this.#byUri(message, id, uri);
    const routed = await this.#route(message, method);
    if (routed !== null) return this.#pass(routed.server, routed.message, id);
    const isNamed = method === 'tools/call' || method === 'prompts/get';
    return this.#say(
      isNamed
        ? errorMessage(id, RPC.invalidParams, REFUSED.noServer)
        : errorMessage(id, RPC.methodNotFound, REFUSED.methodNotFound),
    );
  }

  #pass(server: MergedServer, message: Message, id: string): Promise<void> {
    remember(this.#byRequest, sameId(id), server, MOST_REMEMBERED);
    return server.pass(message);
  }

  async #route(message: Message, method: string): Promise<Route | null> {
    const { params } = message;
    const to = (owner: Owner | undefined, name: Member | undefined): Route | null => {
      const server = this.#servers.find((one) => one.name === owner?.server);
      if (server === undefined || owner === undefined) return null;
      return { server, message: changed(message, name, JSON.stringify(owner.name)) };
    };
    if (method === 'tools/call' || method === 'prompts/get') {
      const name = params.get('name');
      const listed = method === 'tools/call' ? 'tools/list' : 'prompts/list';
      return to(await this.#owner(message, listed, message.string(name) ?? ''), name);
    }
    if (method === 'completion/complete') {
      const ref = message.inside(params.get('ref'));
      const name = ref.get('name');
      const written = message.string(name);
      if (written !== undefined) return to(await this.#owner(message, 'prompts/list', written), name);
      const uri = message.string(ref.get('uri')) ?? '';
      return to(await this.#owner(message, 'resources/templates/list', uri), undefined);
    }
    const task = message.string(params.get('taskId'));
    const [able] = this.#having(task === undefined ? (method.split('/')[0] ?? '') : 'tasks');
    const server = this.#byTask.get(task ?? '') ?? able;
    return server === undefined ? null : { server, message };
  }

  /** A resource that no server lists is asked of one after the other. */
  async #byUri(message: Message, id: string, uri: string): Promise<void> {
    const owner = await this.#owner(message, 'resources/list', uri);
    const readers = this.#having('resources');
    const server = this.#servers.find(({ name }) => name === owner?.server) ?? readers.at(-1);
    if (server === undefined) return this.#say(errorMessage(id, RPC.methodNotFound, REFUSED.methodNotFound));
    for (const reader of owner === undefined ? readers.slice(0, -1) : []) {
      const answer = await reader.ask(message);
      if (answer?.members.has('result') === true) return this.#say(answer.with(answer.members.get('id'), id));
    }
    return this.#pass(server, message, id);
  }

  #having(capability: string): readonly MergedServer[] {
    const known = this.#usable.some(({ capabilities }) => Object.keys(capabilities).length > 0);
    return known ? this.#usable.filter(({ capabilities }) => capability in capabilities) : this.#usable;
  }

  /**
   * Whose a name is. An unlisted tool or prompt may still exist: under its server's prefix, or at the
   * only server that has such things.
   */
  async #owner(like: Message, method: ListMethod, name: string): Promise<Owner | undefined> {
    const names = this.#names.get(method) as Names;
    if (names.get(name) === undefined) {
      const meta = like.written(like.params.get('_meta'));
      await this.#list(method, ownMessage('0', method, meta === undefined ? '{}' : `{"_meta":${meta}}`));
    }
    const listed = names.get(name);
    if (listed !== undefined || LISTS[method].key !== 'name') return listed;
    const able = this.#having(capabilityOf(method));
    const prefixed = able.find((server) => name.startsWith(`${server.name}__`));
    if (prefixed !== undefined) return { server: prefixed.name, name: name.slice(prefixed.name.length + 2) };
    return able.length === 1 && able[0] !== undefined ? { server: able[0].name, name } : undefined;
  }

  async #list(method: ListMethod, like: Message): Promise<string[]> {
    const lists = await Promise.all(
      this.#having(capabilityOf(method)).map(async (server) => ({
        server: server.name,
        elements: await this.#listed(server, method, like),
      })),
    );
    return (this.#names.get(method) as Names).merge(lists, LISTS[method].key);
  }

  /** A late server appears with its last list; if the new one differs, the client is told. */
  async #listed(server: MergedServer, method: ListMethod, like: Message): Promise<readonly string[]> {
    const last = server.lists.get(method) ?? [];
    if (server.listing.has(method)) return last;
    server.listing.add(method);
    let isLate = false;
    const coming = elementsIn(server, LISTS[method].member, like).then((elements) => {
      server.listing.delete(method);
      server.lists.set(method, elements);
      if (isLate && elements.join('\n') !== last.join('\n')) this.#tellChanged(capabilityOf(method));
      return elements;
    });
    const elements = await within(coming, PATIENCE_MS);
    if (elements !== 'late') return elements;
    isLate = true;
    this.#options.log(LOG.listIsLate(server.name, method));
    return last;
  }

  /** Introduces the client to all servers and merges their answers. */
  async #introduce(message: Message, id: string, method: string): Promise<void> {
    this.#request = message;
    const asked = this.#usable.map((server) => ({ server, answer: server.ask(message) }));
    const answers = await Promise.all(
      asked.map(async (one) => ({ ...one, first: await within(one.answer, PATIENCE_MS) })),
    );
    const refusing = answers.filter(({ first }) => first !== 'late' && !first?.members.has('result'));
    // If one does not speak the revision, ask all for the older handshake.
    if (method === 'server/discover' && refusing.length > 0) {
      const names = refusing.map(({ server }) => server.name).join(', ');
      return this.#say(errorMessage(id, RPC.methodNotFound, REFUSED.needsHandshake(names)));
    }
    const introductions = answers.flatMap(({ server, first }) => {
      const result = first === 'late' ? null : introductionOf(server, first);
      return result === null ? [] : [{ name: server.name, result }];
    });
    const why = introductions.length === 0 ? REFUSED.noAnswer : disagreement(introductions);
    if (why !== null) return this.#say(errorMessage(id, RPC.serverError, why));
    for (const { server } of refusing) {
      server.failure = LOG.refusedHandshake;
      this.#options.log(LOG.goesOnWithout(server.name));
      this.#retry(server);
    }
    for (const { server, answer, first } of answers) {
      if (first !== 'late') continue;
      server.failure = LOG.late;
      this.#options.log(LOG.goesOnWithoutLate(server.name, PATIENCE_MS));
      answer.then((came) => this.#returned(server, came) || this.#retry(server));
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
    return this.#options.events.received(bytes, null);
  }
}

interface Route {
  readonly server: MergedServer;
  readonly message: Message;
}

function changed(message: Message, member: Member | undefined, json: string): Message {
  if (member === undefined || message.written(member) === json) return message;
  return readMessage(message.with(member, json)) ?? message;
}

function capabilityOf(method: ListMethod): string {
  return method.split('/')[0] as string;
}

function isStateless(message: Message): boolean {
  return message.meta.has(PROTOCOL_KEY);
}

/** All elements on all pages; none where the server cannot be asked. */
async function elementsIn(server: MergedServer, member: string, like: Message): Promise<readonly string[]> {
  const elements: string[] = [];
  const meta = like.written(like.params.get('_meta'));
  for await (const { bytes, result } of pagesOf(meta, (params) => server.ask(like, params))) {
    const list = result.get(member);
    const found = list === undefined ? null : elementsOf(bytes, list.value);
    elements.push(...(found ?? []).map((element) => textIn(bytes, element)));
  }
  return elements;
}

/** Null if it refused. */
function introductionOf(server: MergedServer, answer: Message | null): Record<string, unknown> | null {
  const result = answer?.value(answer.members.get('result')) as Record<string, unknown> | undefined;
  if (result === undefined) return null;
  server.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
  return result;
}

interface Introduction {
  readonly name: string;
  readonly result: Readonly<Record<string, unknown>>;
}

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
        isFields(before) && isFields(value) ? mergedCapabilities([before, value]) : before || value;
    }
  return merged;
}

export interface Owner {
  readonly server: string;
  readonly name: string;
}

/**
 * The merged names. A name that one server has stays as it is; a shared one gets the server's name
 * as prefix for each of them, independent of who answered first.
 */
export class Names {
  readonly #owners = new Map<string, Owner>();

  get(name: string): Owner | undefined {
    return this.#owners.get(name);
  }

  merge(
    lists: readonly { readonly server: string; readonly elements: readonly string[] }[],
    key: (typeof LISTS)[ListMethod]['key'],
  ): string[] {
    this.#owners.clear();
    const all = lists.flatMap(({ server, elements }) =>
      elements.map((element) => {
        const bytes = Buffer.from(element);
        const member = membersOf(bytes)?.get(key);
        return { server, bytes, member, name: stringIn(bytes, member) ?? '' };
      }),
    );
    const servers = new Map<string, Set<string>>();
    for (const { name, server } of all) servers.set(name, (servers.get(name) ?? new Set()).add(server));
    return all.flatMap(({ server, bytes, member, name }) => {
      const clash = (servers.get(name)?.size ?? 0) > 1;
      let shown = clash && key === 'name' ? `${server}__${name}` : name;
      // Drop duplicates of one server; rename again if the new name is taken, too.
      while (key === 'name' && this.#isAnothers(shown, { server, name })) shown = `${server}__${shown}`;
      // URIs are not renamed: the first server that has it serves it.
      if (this.#owners.has(shown)) return [];
      this.#owners.set(shown, { server, name });
      if (shown === name || member === undefined) return [bytes.toString()];
      return [edited(bytes, [{ ...member.value, by: JSON.stringify(shown) }]).toString()];
    });
  }

  #isAnothers(shown: string, { server, name }: Owner): boolean {
    const owner = this.#owners.get(shown);
    return owner !== undefined && (owner.server !== server || owner.name !== name);
  }
}

/**
 * One of several merged upstreams. Client requests keep the client's ids, which are unique; our own
 * requests use ids of ours, and their answers stay here. If it is lost, only what waited for it
 * fails.
 */
interface MergedServerOptions extends Pick<UpstreamEvents, 'refused' | 'waits'> {
  readonly name: string;
  readonly received: (server: MergedServer, incoming: Incoming, about: string | null) => Promise<void>;
  readonly introduction: () => { readonly request: Message; readonly initialized: Buffer | null } | null;
}

class MergedServer implements UpstreamEvents {
  readonly name: string;
  readonly #options: MergedServerOptions;
  readonly #own = new Map<string, (answer: Message | null) => void>();
  readonly #passed = new Set<string>();
  /** Unique, because other gateways may be clients or servers of this one. */
  readonly #prefix = `merge-${Buffer.from(randomBytes(6)).toString('hex')}`;
  #lastId = 0;
  /** Null if it needs a new connection. */
  upstream: Upstream | null = null;
  capabilities: Readonly<Record<string, unknown>> = {};
  /** Why it cannot be used, if it cannot. */
  failure: string | null = null;
  /** The last answer to each method that lists something, and the methods that wait for one. */
  readonly lists = new Map<string, readonly string[]>();
  readonly listing = new Set<string>();

  constructor(options: MergedServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async pass(message: Message): Promise<void> {
    if (message.method !== null && message.id !== null) this.#passed.add(sameId(message.id));
    await this.upstream?.send(message.bytes, message);
  }

  ask(
    like: Message,
    params: string | null = null,
    send = (bytes: Buffer) => this.upstream?.send(bytes, readMessage(bytes)),
  ): Promise<Message | null> {
    const id = `"${this.#prefix}-${++this.#lastId}"`;
    const member = like.members.get('id');
    const given = like.members.get('params');
    const edits = [
      ...(member === undefined ? [] : [{ ...member.value, by: id }]),
      ...(params === null || given === undefined ? [] : [{ ...given.value, by: params }]),
    ];
    const answered = new Promise<Message | null>((resolve) => this.#own.set(sameId(id), resolve));
    // Unreachable: that is the answer. Sending may wait for a restarting server.
    const sent = send(edited(like.bytes, edits)) ?? Promise.reject(new Error('not connected'));
    sent.catch(() => this.#settle(id, null));
    return answered;
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    const message = this.#isRead(incoming) ? readMessage(incoming.subarray(0, incoming.length)) : null;
    if (message !== null && message.method === null && message.id !== null) {
      if (this.#settle(message.id, message)) return;
      this.#passed.delete(sameId(message.id));
    }
    await this.#options.received(this, incoming, about);
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const id of [...this.#own.keys()]) if (!unsent.has(id)) this.#settle(id, null);
    const passed = [...this.#passed].filter((id) => !unsent.has(id));
    for (const id of passed) this.#passed.delete(id);
    for (const id of passed) if (this.#options.waits(id)) await this.refused(id, why);
  }

  async refused(id: string, why: string): Promise<void> {
    if (!this.#settle(id, null)) await this.#options.refused(id, `${this.name}: ${why}`);
  }

  waits(id: string): boolean {
    return this.#own.has(sameId(id)) || this.#options.waits(id);
  }

  async renewed(send: (bytes: Buffer) => Promise<void>): Promise<void> {
    const introduction = this.#options.introduction();
    if (introduction === null) return;
    const answer = await this.ask(introduction.request, null, send);
    if (answer !== null && introduction.initialized !== null) await send(introduction.initialized);
  }

  #settle(id: string, answer: Message | null): boolean {
    const waiting = this.#own.get(sameId(id));
    this.#own.delete(sameId(id));
    waiting?.(answer);
    return waiting !== undefined;
  }

  /** Of large messages only the answers to our own requests. */
  #isRead(incoming: Incoming): boolean {
    if (Buffer.isBuffer(incoming)) return true;
    const { id } = incoming.scan;
    return id !== null && this.#own.has(sameId(incoming.subarray(id.start, id.end).toString()));
  }
}
