/**
 * The things that merged servers offer, by the names under which the client knows them. A name that
 * only one server has stays as it is; one that several have gets the server's name before it, for
 * each of them, so that it does not depend on who answered first.
 */
import { type ByteRange, edited, elementsOf, membersOf, stringIn, textIn } from '../json-edit.ts';
import type { Message } from '../message.ts';

/** What a list of one server holds, as it was written. */
export interface ListedBy {
  readonly server: string;
  readonly elements: readonly string[];
}

/** Where a name leads. */
export interface Owner {
  readonly server: string;
  readonly name: string;
}

export class Names {
  readonly #owners = new Map<string, Owner>();

  /** Whether anything is known. */
  get known(): boolean {
    return this.#owners.size > 0;
  }

  get(name: string): Owner | undefined {
    return this.#owners.get(name);
  }

  /** The first whose name a test is true of. */
  find(test: (name: string) => boolean): Owner | undefined {
    return [...this.#owners].find(([name]) => test(name))?.[1];
  }

  /** The merged list, each element named as the client will know it. */
  merge(lists: readonly ListedBy[], key: 'name' | 'uri' | 'uriTemplate'): string[] {
    this.#owners.clear();
    const all = lists.flatMap(({ server, elements }) =>
      elements.map((element) => ({ server, element, name: keyOf(element, key) })),
    );
    const servers = new Map<string, Set<string>>();
    for (const { name, server } of all) servers.set(name, (servers.get(name) ?? new Set()).add(server));
    return all.flatMap(({ server, element, name }) => {
      const clash = (servers.get(name)?.size ?? 0) > 1;
      let shown = clash && key === 'name' ? `${server}__${name}` : name;
      // What one server says twice is there once; a name that another was changed to is changed
      // too.
      while (key === 'name' && this.#isAnothers(shown, { server, name })) shown = `${server}__${shown}`;
      // A URI is what it is: of several servers that have it, the first serves it.
      if (this.#owners.has(shown)) return [];
      this.#owners.set(shown, { server, name });
      return [shown === name ? element : renamed(element, key, shown)];
    });
  }

  #isAnothers(shown: string, { server, name }: Owner): boolean {
    const owner = this.#owners.get(shown);
    return owner !== undefined && (owner.server !== server || owner.name !== name);
  }
}

/** The elements of a page of a list, and where it goes on. */
export function pageOf(
  message: Message,
  member: string,
): { readonly elements: string[]; readonly next: string | undefined } {
  const result = message.result;
  const list = result.get(member);
  const found = list === undefined ? null : elementsOf(message.bytes, list.value);
  return {
    elements: (found ?? []).map((element: ByteRange) => textIn(message.bytes, element)),
    next: stringIn(message.bytes, result.get('nextCursor')),
  };
}

/** A request for the same thing by another name. */
export function withName(message: Message, key: string, name: string): Buffer {
  const member = message.params.get(key);
  return member === undefined
    ? message.bytes
    : edited(message.bytes, [{ ...member.value, by: JSON.stringify(name) }]);
}

function keyOf(element: string, key: string): string {
  const bytes = Buffer.from(element);
  return stringIn(bytes, membersOf(bytes)?.get(key)) ?? '';
}

function renamed(element: string, key: string, name: string): string {
  const bytes = Buffer.from(element);
  const member = membersOf(bytes)?.get(key);
  return member === undefined
    ? element
    : edited(bytes, [{ ...member.value, by: JSON.stringify(name) }]).toString();
}
