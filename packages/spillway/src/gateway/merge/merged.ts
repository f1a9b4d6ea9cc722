/**
 * Several upstreams as one. Lists are put together, calls go to whom they belong, the handshake
 * says what all can do. One that fails takes nothing with it but what waited for it. Servers that
 * have no revision in common with the client and each other cannot be merged, which is said by
 * name.
 */
import { SpillwayError } from '@spillway/core';
import { within } from '../framing.ts';
import { textIn, valueIn } from '../json-edit.ts';
import { errorMessage, type Message, metaOf, PROTOCOL_KEY, readMessage, sameId } from '../message.ts';
import type { Upstream, UpstreamEvents } from '../ports.ts';
import type { Spooled } from '../spool.ts';
import { LOG, REFUSED } from '../wording.ts';
import { Child } from './child.ts';
import { Listings } from './listings.ts';
import { Lists } from './lists.ts';
import { Routes, ServerRequests, TaskMakers } from './routes.ts';

/** The client's introduction to several servers at once, and what they answer as if one had. */
type Introduced =
  | {
      readonly kind: 'agreed';
      readonly result: Readonly<Record<string, unknown>>;
      readonly refusing: readonly Child[];
      /** Those that have not answered yet, and their answers once they come. */
      readonly late: readonly LateAnswer[];
    }
  /** They have no revision in common with the client and each other. */
  | { readonly kind: 'refused'; readonly how: 'method' | 'server'; readonly why: string };

interface LateAnswer {
  readonly child: Child;
  readonly answer: Promise<Message | null>;
}

async function introduce(
  message: Message,
  method: string,
  children: readonly Child[],
  patienceMs: number,
): Promise<Introduced> {
  const late: LateAnswer[] = [];
  const asked = await Promise.all(
    children.map(async (child) => {
      const answer = child.ask(message, null);
      const first = await within(answer, patienceMs);
      if (first !== 'late') return [{ child, answer: first }];
      late.push({ child, answer });
      return [];
    }),
  );
  const answers = asked.flat();
  const refusing = answers.filter(({ answer }) => answer?.members.has('result') !== true);
  // A revision that one of them does not speak cannot be spoken with all; asked for the older one,
  // they may have one in common.
  if (method === 'server/discover' && refusing.length > 0) {
    const names = refusing.map(({ child }) => child.name).join(', ');
    const why = REFUSED.needsHandshake(names);
    return { kind: 'refused', how: 'method', why };
  }
  const introductions = answers.flatMap(({ child, answer }) => {
    const result = resultOf(answer);
    if (result === null) return [];
    child.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
    return [{ name: child.name, result }];
  });
  if (introductions.length === 0) return { kind: 'refused', how: 'server', why: REFUSED.noAnswer };
  const revision = mergedRevision(introductions);
  if (typeof revision !== 'string') return { kind: 'refused', how: 'server', why: revision.why };
  const { instructions: _first, ...rest } = introductions[0]?.result ?? {};
  const instructions = mergedInstructions(introductions);
  const result = {
    ...rest,
    ...(method === 'initialize' ? { protocolVersion: revision } : {}),
    capabilities: mergedCapabilities([...introductions.map((one) => one.result.capabilities), MAY_CHANGE]),
    serverInfo: { name: 'spillway', version: '1', title: introductions.map(({ name }) => name).join(', ') },
    ...(instructions === '' ? {} : { instructions }),
  };
  return { kind: 'agreed', result, refusing: refusing.map(({ child }) => child), late };
}

/** A server may be late, end, or come back. */
const MAY_CHANGE = { tools: { listChanged: true } };

function resultOf(answer: Message | null): Record<string, unknown> | null {
  const member = answer?.members.get('result');
  if (answer === null || member === undefined) return null;
  return valueIn(answer.bytes, member.value) as Record<string, unknown>;
}

// What several servers agreed to, as if one had said it.

interface Introduction {
  readonly name: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** From this revision on there is no handshake. */
const WITHOUT_HANDSHAKE = '2026-07-28';

/**
 * The revision that all of them speak: the oldest one answered. Those with and without a handshake
 * cannot be mixed.
 */
function mergedRevision(introductions: readonly Introduction[]): string | { readonly why: string } {
  const revisions = introductions.map(({ result }) => String(result.protocolVersion ?? ''));
  const named = revisions.filter((revision) => revision !== '');
  const late = named.filter((revision) => revision >= WITHOUT_HANDSHAKE);
  if (late.length > 0 && late.length < named.length) {
    const list = introductions.map(({ name }, i) => `${name} (${revisions[i]})`).join(', ');
    return {
      why: REFUSED.noRevision(list),
    };
  }
  return [...named].sort()[0] ?? '';
}

/** What any of them can do. */
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

/** Each under the name of who said it. */
function mergedInstructions(introductions: readonly Introduction[]): string {
  return introductions
    .flatMap(({ name, result }) =>
      typeof result.instructions === 'string' ? [`## ${name}\n\n${result.instructions}`] : [],
    )
    .join('\n\n');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface MergedOptions {
  readonly names: readonly string[];
  readonly connect: (
    name: string,
    events: UpstreamEvents,
    failed: (why: string) => void,
  ) => Promise<Upstream>;
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  /** None of them can be used. */
  readonly failed: (why: string) => void;
}

/**
 * How long a server may take to introduce itself, or to list what it has, before the others go on.
 */
const PATIENCE_MS = 10_000;
/** The pause before a server that cannot be used is tried again; doubled each time. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const SERVER_ERROR = -32000;
const CHANGING = ['tools', 'prompts', 'resources'] as const;
/** Requests whose server is remembered before those that were answered are forgotten. */
const MOST_ROUTED = 1_000;

export class MergedUpstream implements Upstream {
  readonly #options: MergedOptions;
  readonly #children: readonly Child[];
  readonly #lists = new Lists(
    () => this.#usable,
    new Listings({
      patienceMs: PATIENCE_MS,
      late: (child, method) => this.#options.log(LOG.listIsLate(child.name, method)),
      changed: (method) => this.#tellChanged(method.split('/')[0] as string),
    }),
  );
  readonly #retries = new Map<Child, NodeJS.Timeout>();
  #closing = false;
  readonly #tasks = new TaskMakers();
  readonly #routes = new Routes(this.#lists, (name) => this.#child(name), this.#tasks.makers);
  readonly #asking = new ServerRequests();
  /** Which server a request went to, by its id. */
  #routed = new Map<string, Child>();
  #request: Message | null = null;
  #initialized: Buffer | null = null;

  static async open(options: MergedOptions): Promise<MergedUpstream> {
    const merged = new MergedUpstream(options);
    await Promise.all(merged.#children.map((child) => merged.#connect(child)));
    return merged;
  }

  private constructor(options: MergedOptions) {
    this.#options = options;
    const { events } = options;
    this.#children = options.names.map(
      (name) =>
        new Child({
          name,
          received: (incoming, about) => this.#received(this.#child(name), incoming, about),
          refused: (id, why) => events.refused(id, `${name}: ${why}`),
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
    if (current.method === null) return this.#asking.answered(current);
    if (current.id === null) return this.#notify(current);
    this.#serve(current, current.id, current.method).catch((error: unknown) =>
      this.#options.events.refused(
        current.id as string,
        error instanceof SpillwayError ? error.message : REFUSED.notPassedOn,
      ),
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
    const failed = (why: string) => {
      child.disconnected = true;
      if (child.failure === null) this.#options.log(`${child.name}: ${why}`);
      child.failure = why;
      this.#retry(child);
      if (this.#children.every(({ failure }) => failure !== null)) this.#options.failed(LOG.noneUsable);
    };
    child.disconnected = false;
    child.attach(await this.#options.connect(child.name, child, failed));
  }

  /** Tries a server that cannot be used again, after a pause. */
  #retry(child: Child, pause = FIRST_PAUSE_MS): void {
    if (this.#closing || this.#retries.has(child)) return;
    const again = async () => {
      if (child.disconnected) await this.#connect(child);
      const request = this.#request;
      const answer = request === null ? null : await within(child.ask(request, null), PATIENCE_MS);
      const isBack = answer !== 'late' && this.#returned(child, answer);
      this.#retries.delete(child);
      if (!isBack) this.#retry(child, Math.min(2 * pause, LONGEST_PAUSE_MS));
    };
    this.#retries.set(child, setTimeout(again, pause).unref());
  }

  /** A server that could not be used has introduced itself. */
  #returned(child: Child, answer: Message | null): boolean {
    const result = resultOf(answer);
    if (result === null || this.#closing) return false;
    child.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
    child.failure = null;
    const initialized = this.#initialized === null ? null : readMessage(this.#initialized);
    if (initialized !== null) child.pass(initialized.bytes, initialized).catch(() => undefined);
    this.#options.log(LOG.isBack(child.name));
    for (const kind of CHANGING) if (kind in child.capabilities) this.#tellChanged(kind);
    return true;
  }

  #tellChanged(kind: string): void {
    this.#say(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`));
  }

  #child(name: string): Child {
    return this.#children.find((child) => child.name === name) as Child;
  }

  get #usable(): readonly Child[] {
    return this.#children.filter(({ failure }) => failure === null);
  }

  async #received(
    child: Child,
    incoming: Parameters<UpstreamEvents['received']>[0],
    about: string | null,
  ): Promise<void> {
    const message = incoming.kind === 'whole' ? readMessage(incoming.bytes) : null;
    if (message !== null) this.#tasks.look(child, message);
    const bytes = message === null ? null : this.#asking.toClient(child, message);
    await this.#options.events.received(bytes === null ? incoming : { kind: 'whole', bytes }, about);
  }

  async #notify(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#initialized = message.bytes;
    const about = message.method === 'notifications/cancelled' ? message.params.get('requestId') : undefined;
    const only =
      about === undefined ? undefined : this.#routed.get(sameId(textIn(message.bytes, about.value)));
    await Promise.all(
      (only === undefined ? this.#usable : [only]).map((child) => child.pass(message.bytes, message)),
    );
  }

  async #serve(message: Message, id: string, method: string): Promise<void> {
    if (method === 'initialize' || method === 'server/discover') return this.#introduce(message, id, method);
    if (method === 'ping') return this.#answer(message, '{}');
    const list = await this.#lists.result(method, message);
    if (list !== null) return this.#answer(message, `{${list}${caching(message)}}`);
    if (method === 'logging/setLevel') {
      await Promise.all(this.#lists.having('logging').map((child) => child.ask(message, null)));
      return this.#answer(message, '{}');
    }
    const route = await this.#routes.find(message, method);
    if (route === null) {
      const named = method === 'tools/call' || method === 'prompts/get';
      const [code, why] = named
        ? ([INVALID_PARAMS, REFUSED.noServer] as const)
        : ([METHOD_NOT_FOUND, REFUSED.methodNotFound] as const);
      return this.#say(errorMessage(id, code, why));
    }
    this.#remember(sameId(id), route.child);
    await route.child.pass(route.bytes, readMessage(route.bytes) ?? message);
  }

  #remember(id: string, child: Child): void {
    if (this.#routed.size >= MOST_ROUTED)
      this.#routed = new Map([...this.#routed].filter(([one]) => this.#options.events.waits(one)));
    this.#routed.set(id, child);
  }

  /** The client introduces itself to all of them. */
  async #introduce(message: Message, id: string, method: string): Promise<void> {
    this.#request = message;
    const introduced = await introduce(message, method, this.#usable, PATIENCE_MS);
    if (introduced.kind === 'refused') {
      const code = introduced.how === 'method' ? METHOD_NOT_FOUND : SERVER_ERROR;
      return this.#say(errorMessage(id, code, introduced.why));
    }
    for (const child of introduced.refusing) {
      child.failure = LOG.refusedHandshake;
      this.#options.log(LOG.goesOnWithout(child.name));
      this.#retry(child);
    }
    for (const { child, answer } of introduced.late) {
      child.failure = LOG.late;
      this.#options.log(LOG.goesOnWithoutLate(child.name, PATIENCE_MS));
      answer.then((came) => this.#returned(child, came) || this.#retry(child));
    }
    return this.#answer(message, JSON.stringify(introduced.result));
  }

  #answer(message: Message, result: string): Promise<void> {
    const stateless = metaOf(message, PROTOCOL_KEY) !== undefined && !result.includes('"resultType"');
    const kind = stateless
      ? result === '{}'
        ? '{"resultType":"complete"}'
        : `{"resultType":"complete",${result.slice(1)}`
      : result;
    return this.#say(Buffer.from(`{"jsonrpc":"2.0","id":${message.id},"result":${kind}}`));
  }

  #say(bytes: Buffer): Promise<void> {
    return this.#options.events.received({ kind: 'whole', bytes }, null);
  }
}

function caching(message: Message): string {
  return metaOf(message, PROTOCOL_KEY) === undefined ? '' : ',"ttlMs":0,"cacheScope":"private"';
}
