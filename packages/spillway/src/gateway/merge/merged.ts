/**
 * Several upstreams as one. Lists are put together, calls go to whom they belong, the handshake says what all can do. One that fails takes nothing with it
 * but what waited for it. Servers that have no revision in common with the client and each other cannot be merged, which is said by name.
 */
import { SpillwayError } from '@spillway/core';
import { edited, membersOf, stringIn, textIn, valueIn } from '../json-edit.ts';
import { errorMessage, type Message, metaOf, PROTOCOL_KEY, readMessage, sameId, within } from '../message.ts';
import type { Upstream, UpstreamEvents } from '../ports.ts';
import type { Spooled } from '../spool.ts';
import { Child } from './child.ts';
import { mergedCapabilities, mergedInstructions, mergedRevision } from './handshakes.ts';
import { type ListedBy, Names, type Owner, pageOf, withName } from './names.ts';

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

interface ListMethod {
  readonly method: string;
  readonly member: string;
  readonly key: 'name' | 'uri' | 'uriTemplate';
  readonly capability: string;
}

const LISTS: readonly ListMethod[] = [
  { method: 'tools/list', member: 'tools', key: 'name', capability: 'tools' },
  { method: 'prompts/list', member: 'prompts', key: 'name', capability: 'prompts' },
  { method: 'resources/list', member: 'resources', key: 'uri', capability: 'resources' },
  {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
  },
];
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const SERVER_ERROR = -32000;

export class MergedUpstream implements Upstream {
  readonly #options: MergedOptions;
  readonly #children: readonly Child[];
  readonly #names = new Map(LISTS.map(({ method }) => [method, new Names()]));
  readonly #askedBy = new Map<string, Child>();
  readonly #routes = new Map<string, Child>();
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
            this.#request === null ? null : { request: this.#request, initialized: this.#initialized },
        }),
    );
  }

  async send(bytes: Buffer | Spooled, message: Message | null): Promise<void> {
    if (message === null || !Buffer.isBuffer(bytes))
      throw new SpillwayError(
        'invalid_argument',
        'The message is too large to be passed on to one of several servers.',
      );
    const current = bytes === message.bytes ? message : (readMessage(bytes) ?? message);
    if (current.method === null) return this.#answered(current);
    if (current.id === null) return this.#notify(current);
    this.#serve(current, current.id, current.method).catch((error: unknown) =>
      this.#options.events.refused(
        current.id as string,
        error instanceof SpillwayError ? error.message : 'The message could not be passed on.',
      ),
    );
  }

  restart(): void {
    for (const child of this.#children) child.upstream?.restart();
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.upstream?.close()));
  }

  async #connect(child: Child): Promise<void> {
    const failed = (why: string) => {
      child.failure = why;
      this.#options.log(`${child.name}: ${why}`);
      if (this.#children.every(({ failure }) => failure !== null))
        this.#options.failed('None of the servers can be used.');
    };
    child.attach(await this.#options.connect(child.name, child, failed));
  }

  #child(name: string): Child {
    return this.#children.find((child) => child.name === name) as Child;
  }

  get #usable(): readonly Child[] {
    return this.#children.filter(({ failure }) => failure === null);
  }

  /** Requests of servers may have the same id: towards the client the server's name stands before it. */
  async #received(
    child: Child,
    incoming: Parameters<UpstreamEvents['received']>[0],
    about: string | null,
  ): Promise<void> {
    const message = incoming.kind === 'whole' ? readMessage(incoming.bytes) : null;
    if (message === null || message.method === null || message.id === null)
      return this.#options.events.received(incoming, about);
    const id = JSON.stringify(`${child.name}:${message.id}`);
    this.#askedBy.set(id, child);
    const member = message.members.get('id');
    const bytes = member === undefined ? message.bytes : edited(message.bytes, [{ ...member.value, by: id }]);
    await this.#options.events.received({ kind: 'whole', bytes }, about);
  }

  async #answered(message: Message): Promise<void> {
    const id = sameId(message.id ?? 'null');
    const child = this.#askedBy.get(id);
    const member = message.members.get('id');
    if (child === undefined || member === undefined) return;
    this.#askedBy.delete(id);
    const original = (JSON.parse(id) as string).slice(child.name.length + 1);
    await child.pass(edited(message.bytes, [{ ...member.value, by: original }]), message);
  }

  async #notify(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#initialized = message.bytes;
    const about =
      message.method === 'notifications/cancelled' ? within(message, 'params').get('requestId') : undefined;
    const only =
      about === undefined ? undefined : this.#routes.get(sameId(textIn(message.bytes, about.value)));
    await Promise.all(
      (only === undefined ? this.#usable : [only]).map((child) => child.pass(message.bytes, message)),
    );
  }

  async #serve(message: Message, id: string, method: string): Promise<void> {
    const list = LISTS.find((one) => one.method === method);
    if (list !== undefined)
      return this.#answer(
        message,
        `{${JSON.stringify(list.member)}:[${(await this.#list(list, message)).join(',')}]${caching(message)}}`,
      );
    if (method === 'initialize' || method === 'server/discover') return this.#introduce(message, id, method);
    if (method === 'ping') return this.#answer(message, '{}');
    if (method === 'logging/setLevel') {
      await Promise.all(this.#having('logging').map((child) => child.ask(message, null)));
      return this.#answer(message, '{}');
    }
    const route = await this.#routeFor(message, method);
    if (route === null) {
      const named = method === 'tools/call' || method === 'prompts/get';
      return this.#say(
        errorMessage(
          id,
          named ? INVALID_PARAMS : METHOD_NOT_FOUND,
          named ? 'No server has that name.' : 'Method not found',
        ),
      );
    }
    this.#routes.set(sameId(id), route.child);
    await route.child.pass(route.bytes, readMessage(route.bytes) ?? message);
  }

  /** The client introduces itself to all of them. */
  async #introduce(message: Message, id: string, method: string): Promise<void> {
    if (method === 'initialize') this.#request = message;
    const answers = await Promise.all(
      this.#usable.map(async (child) => ({ child, answer: await child.ask(message, null) })),
    );
    const refusing = answers
      .filter(({ answer }) => answer?.members.has('result') !== true)
      .map(({ child }) => child.name);
    // A revision that one of them does not speak cannot be spoken with all; asked for the older one, they may have one in common.
    if (method === 'server/discover' && refusing.length > 0)
      return this.#say(
        errorMessage(
          id,
          METHOD_NOT_FOUND,
          `Method not found: ${refusing.join(', ')} cannot do without a handshake.`,
        ),
      );
    for (const name of refusing) this.#giveUp(name);
    const results = answers.flatMap(({ child, answer }) =>
      answer?.members.has('result') === true ? [{ child, answer }] : [],
    );
    if (results.length === 0)
      return this.#say(errorMessage(id, SERVER_ERROR, 'None of the servers answered.'));
    const read = results.map(({ child, answer }) => {
      const member = answer.members.get('result');
      const result = (member === undefined ? {} : valueIn(answer.bytes, member.value)) as Record<
        string,
        unknown
      >;
      child.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
      return { name: child.name, result };
    });
    const revision = mergedRevision(read);
    if (typeof revision !== 'string') return this.#say(errorMessage(id, SERVER_ERROR, revision.why));
    const base = read[0]?.result ?? {};
    const instructions = mergedInstructions(read);
    const merged = {
      ...base,
      ...(method === 'initialize' ? { protocolVersion: revision } : {}),
      capabilities: mergedCapabilities(read.map(({ result }) => result.capabilities)),
      serverInfo: { name: 'spillway', version: '1', title: read.map(({ name }) => name).join(', ') },
    };
    const { instructions: _one, ...rest } = merged as Record<string, unknown>;
    return this.#answer(message, JSON.stringify(instructions === '' ? rest : { ...rest, instructions }));
  }

  #giveUp(name: string): void {
    const child = this.#child(name);
    child.failure = 'It refused the handshake.';
    this.#options.log(`${name} refused the handshake; the others go on without it.`);
  }

  /** All pages of all servers that have such things. */
  async #list(list: ListMethod, like: Message): Promise<string[]> {
    const lists = await Promise.all(
      this.#having(list.capability).map(
        async (child): Promise<ListedBy> => ({ server: child.name, elements: await all(child, list, like) }),
      ),
    );
    return (this.#names.get(list.method) as Names).merge(lists, list.key);
  }

  #having(capability: string): readonly Child[] {
    const known = this.#usable.some((child) => Object.keys(child.capabilities).length > 0);
    return known ? this.#usable.filter((child) => capability in child.capabilities) : this.#usable;
  }

  async #routeFor(
    message: Message,
    method: string,
  ): Promise<{ readonly child: Child; readonly bytes: Buffer } | null> {
    const params = within(message, 'params');
    if (method === 'tools/call') return this.#byName(message, 'tools/list');
    if (method === 'prompts/get') return this.#byName(message, 'prompts/list');
    if (method === 'completion/complete') return this.#byReference(message);
    const uri = stringIn(message.bytes, params.get('uri'));
    if (method.startsWith('resources/') && uri !== undefined) return this.#byUri(message, uri);
    const task = stringIn(message.bytes, params.get('taskId'));
    const child = this.#having(task === undefined ? (method.split('/')[0] ?? '') : 'tasks')[0];
    return child === undefined ? null : { child, bytes: message.bytes };
  }

  async #byName(message: Message, listed: string): Promise<{ child: Child; bytes: Buffer } | null> {
    const owner = await this.#owner(
      message,
      listed,
      stringIn(message.bytes, within(message, 'params').get('name')) ?? '',
    );
    return owner === undefined
      ? null
      : {
          child: this.#child(owner.server),
          bytes: owner.name === '' ? message.bytes : withName(message, 'name', owner.name),
        };
  }

  async #owner(message: Message, listed: string, name: string): Promise<Owner | undefined> {
    const names = this.#names.get(listed) as Names;
    const list = LISTS.find(({ method }) => method === listed) as ListMethod;
    if (names.get(name) === undefined) await this.#list(list, asList(message, listed));
    return names.get(name) ?? (list.key === 'name' ? this.#unlisted(name, list.capability) : undefined);
  }

  /** What no list shows may be there all the same: under the name of its server, or with the only one that has such things. */
  #unlisted(name: string, capability: string): Owner | undefined {
    const able = this.#having(capability);
    const owner = able.find((child) => name.startsWith(`${child.name}__`));
    if (owner !== undefined) return { server: owner.name, name: name.slice(owner.name.length + 2) };
    const [only] = able;
    return able.length === 1 && only !== undefined ? { server: only.name, name } : undefined;
  }

  async #byReference(message: Message): Promise<{ child: Child; bytes: Buffer } | null> {
    const ref = within(message, 'params').get('ref');
    const members = ref === undefined ? null : membersOf(message.bytes, ref.value);
    const name = members?.get('name');
    const uri = stringIn(message.bytes, members?.get('uri'));
    const written = stringIn(message.bytes, name);
    const listed = written === undefined ? 'resources/templates/list' : 'prompts/list';
    const owner = await this.#owner(message, listed, written ?? uri ?? '');
    if (owner === undefined) return null;
    const bytes =
      name === undefined
        ? message.bytes
        : edited(message.bytes, [{ ...name.value, by: JSON.stringify(owner.name) }]);
    return { child: this.#child(owner.server), bytes };
  }

  /** Who listed it; else whoever can read it. */
  async #byUri(message: Message, uri: string): Promise<{ child: Child; bytes: Buffer } | null> {
    const owner = await this.#owner(message, 'resources/list', uri);
    if (owner !== undefined) return { child: this.#child(owner.server), bytes: message.bytes };
    const readers = this.#having('resources');
    for (const child of readers.slice(0, -1)) {
      const answer = await child.ask(message, null);
      if (answer?.members.has('result') === true) return { child, bytes: message.bytes };
    }
    const last = readers.at(-1);
    return last === undefined ? null : { child: last, bytes: message.bytes };
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

async function all(child: Child, { member }: ListMethod, like: Message): Promise<string[]> {
  const elements: string[] = [];
  const meta = within(like, 'params').get('_meta');
  const shared = meta === undefined ? [] : [`"_meta":${textIn(like.bytes, meta.value)}`];
  let cursor: string | undefined;
  do {
    const given = [...shared, ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`])];
    const answer: Message | null = await child.ask(like, `{${given.join(',')}}`);
    if (answer === null) break;
    const page = pageOf(answer, member);
    elements.push(...page.elements);
    cursor = page.next;
  } while (cursor !== undefined);
  return elements;
}

/** A request for a list that is made like another request: the same revision, nothing else of it. */
function asList(message: Message, method: string): Message {
  const meta = within(message, 'params').get('_meta');
  const params = meta === undefined ? '{}' : `{"_meta":${textIn(message.bytes, meta.value)}}`;
  return readMessage(
    Buffer.from(`{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)},"params":${params}}`),
  ) as Message;
}

function caching(message: Message): string {
  return metaOf(message, PROTOCOL_KEY) === undefined ? '' : ',"ttlMs":0,"cacheScope":"private"';
}
