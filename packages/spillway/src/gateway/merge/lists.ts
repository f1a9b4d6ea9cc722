/**
 * Lists of merged servers (tools, prompts, resources, templates): all pages of all servers, and
 * which server each entry is from. Lists are fetched anew each time, within a time limit. A late
 * server appears with its last list; if the new one differs, the client is notified.
 */
import { within } from '../framing.ts';
import { edited, elementsOf, type Member, membersOf, stringIn, textIn } from '../json-edit.ts';
import { type Message, ownMessage, pagesOf } from '../message.ts';
import type { Child } from './child.ts';

interface ListMethod {
  readonly member: string;
  readonly key: 'name' | 'uri' | 'uriTemplate';
}

const LISTS = {
  'tools/list': { member: 'tools', key: 'name' },
  'prompts/list': { member: 'prompts', key: 'name' },
  'resources/list': { member: 'resources', key: 'uri' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate' },
} as const satisfies Readonly<Record<string, ListMethod>>;

type ListName = keyof typeof LISTS;

export interface ListsOptions {
  readonly usable: () => readonly Child[];
  readonly late: (child: Child, method: string) => void;
  readonly changed: (method: string) => void;
}

interface Listing {
  readonly elements: Promise<readonly string[] | null>;
  late: boolean;
}

/** Time limit for a list, and for a server that was late before. */
const PATIENCE_MS = 10_000;
const LATE_AGAIN_MS = 500;

export class Lists {
  readonly #options: ListsOptions;
  readonly #names = new Map(Object.keys(LISTS).map((method) => [method, new Names()]));
  readonly #running = new Map<string, Listing>();
  readonly #last = new Map<string, readonly string[]>();

  constructor(options: ListsOptions) {
    this.#options = options;
  }

  /** Null if that method lists nothing. */
  async result(method: string, like: Message): Promise<string | null> {
    if (!isListName(method)) return null;
    return `${JSON.stringify(LISTS[method].member)}:[${(await this.#list(method, like)).join(',')}]`;
  }

  having(capability: string): readonly Child[] {
    const usable = this.#options.usable();
    const known = usable.some((child) => Object.keys(child.capabilities).length > 0);
    return known ? usable.filter((child) => capability in child.capabilities) : usable;
  }

  async owner(like: Message, method: ListName, name: string): Promise<Owner | undefined> {
    const names = this.#names.get(method) as Names;
    if (names.get(name) === undefined) await this.#list(method, asList(like, method));
    return names.get(name) ?? (LISTS[method].key === 'name' ? this.#unlisted(name, method) : undefined);
  }

  async ownerByTemplate(like: Message, uri: string): Promise<Owner | undefined> {
    const method = 'resources/templates/list';
    const names = this.#names.get(method) as Names;
    if (!names.known) await this.#list(method, asList(like, method));
    return names.find((template) => matchesTemplate(template, uri));
  }

  /**
   * An unlisted name may still exist: under its server's prefix, or at the only server that has
   * such things.
   */
  #unlisted(name: string, method: ListName): Owner | undefined {
    const able = this.having(capabilityOf(method));
    const owner = able.find((child) => name.startsWith(`${child.name}__`));
    if (owner !== undefined) return { server: owner.name, name: name.slice(owner.name.length + 2) };
    const [only] = able;
    return able.length === 1 && only !== undefined ? { server: only.name, name } : undefined;
  }

  async #list(method: ListName, like: Message): Promise<string[]> {
    const lists = await Promise.all(
      this.having(capabilityOf(method)).map(async (child) => ({
        server: child.name,
        elements: await this.#listed(child, method, like),
      })),
    );
    return (this.#names.get(method) as Names).merge(lists, LISTS[method].key);
  }

  async #listed(child: Child, method: ListName, like: Message): Promise<readonly string[]> {
    const key = `${child.name} ${method}`;
    const listing = this.#running.get(key) ?? this.#begin(key, child, method, like);
    const elements = await within(listing.elements, listing.late ? LATE_AGAIN_MS : PATIENCE_MS);
    if (elements !== 'late') return elements ?? [];
    if (!listing.late) this.#options.late(child, method);
    listing.late = true;
    return this.#last.get(key) ?? [];
  }

  #begin(key: string, child: Child, method: ListName, like: Message): Listing {
    const elements = elementsIn(child, LISTS[method].member, like).then((found) => {
      this.#running.delete(key);
      const before = this.#last.get(key) ?? [];
      if (found !== null) this.#last.set(key, found);
      if (listing.late && found !== null && found.join('\n') !== before.join('\n'))
        this.#options.changed(method);
      return found;
    });
    const listing: Listing = { elements, late: false };
    this.#running.set(key, listing);
    return listing;
  }
}

function isListName(method: string): method is ListName {
  return Object.hasOwn(LISTS, method);
}

function capabilityOf(method: ListName): string {
  return method.split('/')[0] as string;
}

/** Null if the server cannot be asked. */
async function elementsIn(child: Child, member: string, like: Message): Promise<readonly string[] | null> {
  let elements: string[] | null = null;
  const meta = like.written(like.params.get('_meta'));
  for await (const { bytes, result } of pagesOf(meta, (params) => child.ask(like, params))) {
    const list = result.get(member);
    const found = list === undefined ? null : elementsOf(bytes, list.value);
    elements = [...(elements ?? []), ...(found ?? []).map((element) => textIn(bytes, element))];
  }
  return elements;
}

function asList(message: Message, method: string): Message {
  const meta = message.written(message.params.get('_meta'));
  return ownMessage('0', method, meta === undefined ? '{}' : `{"_meta":${meta}}`);
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

  get known(): boolean {
    return this.#owners.size > 0;
  }

  get(name: string): Owner | undefined {
    return this.#owners.get(name);
  }

  find(test: (name: string) => boolean): Owner | undefined {
    return [...this.#owners].find(([name]) => test(name))?.[1];
  }

  merge(
    lists: readonly { readonly server: string; readonly elements: readonly string[] }[],
    key: ListMethod['key'],
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
      return [shown === name ? bytes.toString() : renamed(bytes, member, shown)];
    });
  }

  #isAnothers(shown: string, { server, name }: Owner): boolean {
    const owner = this.#owners.get(shown);
    return owner !== undefined && (owner.server !== server || owner.name !== name);
  }
}

function renamed(bytes: Buffer, member: Member | undefined, name: string): string {
  const edits = member === undefined ? [] : [{ ...member.value, by: JSON.stringify(name) }];
  return edited(bytes, edits).toString();
}

/** Whether a URI may come from a template (RFC 6570). Linear in the length of the URI. */
export function matchesTemplate(template: string, uri: string): boolean {
  const [first = '', ...rest] = template.split(/\{[^{}]*\}/);
  if (!uri.startsWith(first)) return false;
  if (rest.length === 0) return uri === first;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const literal of rest) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}
