/**
 * The things that merged servers offer, by the names under which the client knows them. A name that only one server has stays as it is; one that several
 * have gets the server's name before it, for each of them, so that it does not depend on who answered first.
 */
import { edited, elementsOf, membersOf, type Stretch, stringIn, textIn } from '../json-edit.ts';
import type { Message } from '../message.ts';
import { within } from '../message.ts';

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

  /** The merged list, each element named as the client will know it. */
  merge(lists: readonly ListedBy[], key: 'name' | 'uri' | 'uriTemplate'): string[] {
    this.#owners.clear();
    const all = lists.flatMap(({ server, elements }) =>
      elements.map((element) => ({ server, element, name: keyOf(element, key) })),
    );
    const counts = new Map<string, number>();
    for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
    return all.flatMap(({ server, element, name }) => {
      const clash = (counts.get(name) ?? 0) > 1;
      const shown = clash && key === 'name' ? `${server}__${name}` : name;
      // A URI is what it is: of several servers that have it, the first serves it.
      if (this.#owners.has(shown)) return [];
      this.#owners.set(shown, { server, name });
      return [shown === name ? element : renamed(element, key, shown)];
    });
  }
}

/** The elements of a page of a list, and where it goes on. */
export function pageOf(
  message: Message,
  member: string,
): { readonly elements: string[]; readonly next: string | undefined } {
  const result = within(message, 'result');
  const list = result.get(member);
  const found = list === undefined ? null : elementsOf(message.bytes, list.value);
  return {
    elements: (found ?? []).map((element: Stretch) => textIn(message.bytes, element)),
    next: stringIn(message.bytes, result.get('nextCursor')),
  };
}

/** A request for the same thing by another name. */
export function withName(message: Message, key: string, name: string): Buffer {
  const member = within(message, 'params').get(key);
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
