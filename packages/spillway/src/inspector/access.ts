/**
 * Who may look. A start code is valid once and for 60 seconds; it opens a visit, which has a cookie
 * and a key. Browsers share cookies between all ports of a host, so the cookie alone proves
 * nothing: the key, which the page keeps in its own storage, must come with every request. Links to
 * raw bytes are valid once and for 60 seconds too. Secrets are compared by their hashes.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { keepLast } from './rows.ts';

const VALID_MS = 60_000;
/** Visits that are remembered: the oldest ends when more people come. */
const MOST_VISITS = 32;
/** Codes and links that may be open at the same time. */
const MOST_TICKETS = 32;
const BETWEEN_CODES_MS = 5_000;

export interface Visit {
  readonly cookie: string;
  readonly key: string;
}

interface KnownVisit {
  readonly cookie: Buffer;
  /** Of cookie and key together. */
  readonly both: Buffer;
}

/** Things that are handed out once, and not for long. */
class Tickets<T> {
  readonly #open = new Map<string, { readonly what: T; readonly until: number }>();

  issue(what: T): string {
    const ticket = newSecret();
    const known = { what, until: performance.now() + VALID_MS };
    keepLast(this.#open, digest(ticket).toString('hex'), known, MOST_TICKETS);
    return ticket;
  }

  take(ticket: string): T | null {
    const name = digest(ticket).toString('hex');
    const found = this.#open.get(name);
    this.#open.delete(name);
    return found === undefined || found.until < performance.now() ? null : found.what;
  }
}

/** What a link leads to. */
export interface RawTarget {
  readonly id: string;
  readonly part: number | null;
  readonly name: string;
}

export class Access {
  readonly #codes = new Tickets<{ readonly open: string | null }>();
  readonly #links = new Tickets<RawTarget>();
  readonly #visits: KnownVisit[] = [];
  #lastCode = Number.NEGATIVE_INFINITY;

  /** A new start code; `open`: the address that the page goes to. */
  code(open: string | null = null): string {
    return this.#codes.issue({ open });
  }

  /** The same on demand of a page; null if the last one was asked for a moment ago. */
  codeOnDemand(): string | null {
    if (performance.now() - this.#lastCode < BETWEEN_CODES_MS) return null;
    this.#lastCode = performance.now();
    return this.code();
  }

  /** Takes a code; null if it was used, is too old or was never issued. */
  start(code: string): (Visit & { readonly open: string | null }) | null {
    const found = this.#codes.take(code);
    if (found === null) return null;
    const visit = { cookie: newSecret(), key: newSecret() };
    const both = digest(visit.cookie + digest(visit.key).toString('hex'));
    this.#visits.push({ cookie: digest(visit.cookie), both });
    if (this.#visits.length > MOST_VISITS) this.#visits.shift();
    return { ...visit, ...found };
  }

  isCookie(cookie = ''): boolean {
    const given = digest(cookie);
    return this.#visits.filter((visit) => timingSafeEqual(visit.cookie, given)).length > 0;
  }

  /**
   * Whether cookie and key belong together. All visits are compared, so that the time tells
   * nothing.
   */
  isVisit(cookie = '', key = ''): boolean {
    const given = digest(cookie + digest(key).toString('hex'));
    return this.#visits.filter(({ both }) => timingSafeEqual(both, given)).length > 0;
  }

  link(target: RawTarget): string {
    return this.#links.issue(target);
  }

  takeLink(ticket: string): RawTarget | null {
    return this.#links.take(ticket);
  }
}

/** Whether a header is this secret; how long it takes tells nothing. */
export function isSame(given: string | readonly string[] | undefined, known: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(known));
}

export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
