/**
 * Access control over HTTP. Requests must name this machine as host and, if a browser sends an
 * origin, come from a page of this machine, which stops DNS rebinding. Each needs the token of a
 * principal.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname, LOOPBACK_NAMES } from '../loopback.ts';
import { REFUSED } from './wording.ts';

export const OWNER = '';

export interface Principal {
  readonly name: string;
  readonly token: string;
}

export type Admission =
  | { readonly principal: string }
  | { readonly status: number; readonly why: string; readonly headers: Readonly<Record<string, string>> };

export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #principals: readonly { readonly name: string; readonly digest: Buffer }[];

  /** `hosts`: further names under which this machine may be reached. */
  constructor(principals: readonly Principal[], hosts: readonly string[]) {
    this.#hosts = new Set([...LOOPBACK_NAMES, ...hosts.map((host) => host.toLowerCase())]);
    this.#principals = principals.map(({ name, token }) => ({ name, digest: digest(token) }));
  }

  admit({ headers }: IncomingMessage): Admission {
    if (!this.#hosts.has(hostname(headers.host ?? '')))
      return { status: 403, why: REFUSED.host, headers: {} };
    const { origin } = headers;
    if (origin !== undefined && !this.#isKnownOrigin(origin))
      return { status: 403, why: REFUSED.origin, headers: {} };
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    const given = digest(token ?? '');
    // Compare all, so that timing reveals nothing.
    const found = this.#principals.filter((principal) => timingSafeEqual(principal.digest, given));
    if (token === undefined || found[0] === undefined)
      return { status: 401, why: REFUSED.token, headers: { 'www-authenticate': 'Bearer' } };
    return { principal: found[0].name };
  }

  #isKnownOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    return this.#hosts.has(new URL(origin).hostname.toLowerCase());
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
