/**
 * What merged servers list: tools, prompts, resources and templates, all pages of all servers put
 * together, and which server each is from. A list is asked for anew each time; names are remembered
 * from the last.
 */
import { textIn } from '../json-edit.ts';
import { type Message, readMessage } from '../message.ts';
import type { Child } from './child.ts';
import type { Listings } from './listings.ts';
import { type ListedBy, Names, type Owner } from './names.ts';

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
export class Lists {
  readonly #usable: () => readonly Child[];
  readonly #listings: Listings;
  readonly #names = new Map(LISTS.map(({ method }) => [method, new Names()]));

  constructor(usable: () => readonly Child[], listings: Listings) {
    this.#usable = usable;
    this.#listings = listings;
  }

  /** The merged list as the members of a result; null if that method lists nothing. */
  async result(method: string, like: Message): Promise<string | null> {
    const list = LISTS.find((one) => one.method === method);
    return list === undefined
      ? null
      : `${JSON.stringify(list.member)}:[${(await this.#list(list, like)).join(',')}]`;
  }

  /** Servers that said they can do something; all of them before they said anything. */
  having(capability: string): readonly Child[] {
    const usable = this.#usable();
    const known = usable.some((child) => Object.keys(child.capabilities).length > 0);
    return known ? usable.filter((child) => capability in child.capabilities) : usable;
  }

  /** Whose something of that list is, asked in the revision of a message. */
  async owner(like: Message, listed: string, name: string): Promise<Owner | undefined> {
    const names = this.#names.get(listed) as Names;
    const list = LISTS.find(({ method }) => method === listed) as ListMethod;
    if (names.get(name) === undefined) await this.#list(list, asList(like, listed));
    return names.get(name) ?? (list.key === 'name' ? this.#unlisted(name, list.capability) : undefined);
  }

  /** Whose template a URI may have been made from. */
  async ownerByTemplate(like: Message, uri: string): Promise<Owner | undefined> {
    const names = this.#names.get('resources/templates/list') as Names;
    if (!names.known) await this.result('resources/templates/list', asList(like, 'resources/templates/list'));
    return names.find((template) => matchesTemplate(template, uri));
  }

  /**
   * What no list shows may be there all the same: under the name of its server, or with the only
   * one that has such things.
   */
  #unlisted(name: string, capability: string): Owner | undefined {
    const able = this.having(capability);
    const owner = able.find((child) => name.startsWith(`${child.name}__`));
    if (owner !== undefined) return { server: owner.name, name: name.slice(owner.name.length + 2) };
    const [only] = able;
    return able.length === 1 && only !== undefined ? { server: only.name, name } : undefined;
  }

  /** All pages of all servers that have such things. */
  async #list(list: ListMethod, like: Message): Promise<string[]> {
    const lists = await Promise.all(
      this.having(list.capability).map(
        async (child): Promise<ListedBy> => ({
          server: child.name,
          elements: await this.#listings.of(child, list.method, list.member, like),
        }),
      ),
    );
    return (this.#names.get(list.method) as Names).merge(lists, list.key);
  }
}

/**
 * A request for a list that is made like another request: the same revision, nothing else of it.
 */
function asList(message: Message, method: string): Message {
  const meta = message.params.get('_meta');
  const params = meta === undefined ? '{}' : `{"_meta":${textIn(message.bytes, meta.value)}}`;
  return readMessage(
    Buffer.from(`{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)},"params":${params}}`),
  ) as Message;
}

// Templates of URIs (RFC 6570), as far as it takes to tell whether a URI may have been made from
// one. Linear in the length of the URI.

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
