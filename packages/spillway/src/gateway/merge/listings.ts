/**
 * What each of several servers lists, asked for anew each time and waited for so long. A server
 * that is late is left out, or shown as it last was; when its list comes after all and differs from
 * what was shown, that is told.
 */

import { within } from '../framing.ts';
import { textIn } from '../json-edit.ts';
import type { Message } from '../message.ts';
import type { Child } from './child.ts';
import { pageOf } from './names.ts';

export interface ListingsOptions {
  /** How long a list is waited for. */
  readonly patienceMs: number;
  readonly late: (child: Child, method: string) => void;
  /** A list differs from what was shown of it. */
  readonly changed: (method: string) => void;
}

interface Listing {
  readonly elements: Promise<readonly string[] | null>;
  /** Whether somebody gave up waiting for it. */
  late: boolean;
}

/** A server that always names a next page must not hold the others up for ever. */
const MOST_PAGES = 1_000;
/** How long one that was late before is waited for again. */
const LATE_AGAIN_MS = 500;

export class Listings {
  readonly #options: ListingsOptions;
  readonly #running = new Map<string, Listing>();
  readonly #last = new Map<string, readonly string[]>();

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  async of(child: Child, method: string, member: string, like: Message): Promise<readonly string[]> {
    const key = `${child.name} ${method}`;
    const listing = this.#running.get(key) ?? this.#begin(key, child, method, member, like);
    const patience = listing.late ? LATE_AGAIN_MS : this.#options.patienceMs;
    const elements = await within(listing.elements, patience);
    if (elements !== 'late') return elements ?? [];
    if (!listing.late) this.#options.late(child, method);
    listing.late = true;
    return this.#last.get(key) ?? [];
  }

  #begin(key: string, child: Child, method: string, member: string, like: Message): Listing {
    const elements = all(child, member, like).then((found) => {
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

/** All pages; null if the server cannot be asked. */
async function all(child: Child, member: string, like: Message): Promise<readonly string[] | null> {
  const elements: string[] = [];
  const meta = like.params.get('_meta');
  const shared = meta === undefined ? [] : [`"_meta":${textIn(like.bytes, meta.value)}`];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const given = [...shared, ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`])];
    const answer: Message | null = await child.ask(like, `{${given.join(',')}}`);
    if (answer === null) return pages === 0 ? null : elements;
    const page = pageOf(answer, member);
    for (const element of page.elements) elements.push(element);
    if (page.next === undefined || page.next === cursor) break;
    cursor = page.next;
  }
  return elements;
}
