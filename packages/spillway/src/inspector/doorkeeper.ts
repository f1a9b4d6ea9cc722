/**
 * Looks at a request before anything else does. It must name the inspector's own host, with its
 * port: a name from elsewhere that was made to point here is refused. A browser must say that the
 * request comes from the inspector's own page, or from the person directly.
 */
import type { IncomingMessage } from 'node:http';
import { LOOPBACK_NAMES } from '../loopback.ts';
import { Problem } from './problem.ts';

const FROM_HERE = ['same-origin', 'none'];

export class Doorkeeper {
  readonly #names: readonly string[];
  #hosts: ReadonlySet<string> = new Set();

  /** `names`: other names, with or without a port, for a tunnel that is called differently. */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => name.toLowerCase());
  }

  /** The port that is listened on, once it is known. */
  set port(port: number) {
    const named = this.#names.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`]));
    this.#hosts = new Set([...LOOPBACK_NAMES.map((name) => `${name}:${port}`), ...named]);
  }

  /** Throws a `Problem` if the request may not come in. */
  check({ headers, method = 'GET' }: Pick<IncomingMessage, 'headers' | 'method'>): void {
    const host = (headers.host ?? '').toLowerCase();
    if (!this.#hosts.has(host)) throw new Problem('forbidden', WRONG_HOST);
    const site = headers['sec-fetch-site'];
    if (site !== undefined && !FROM_HERE.includes(String(site))) throw new Problem('forbidden', ELSEWHERE);
    const { origin } = headers;
    if (origin === undefined && (method === 'GET' || method === 'HEAD')) return;
    if (origin !== `http://${host}` && origin !== `https://${host}`)
      throw new Problem('forbidden', ELSEWHERE);
  }
}

const WRONG_HOST =
  'The inspector is not known by this name. If a tunnel leads here, start it with --host NAME, as the browser shows it.';
const ELSEWHERE = 'This request does not come from the page of the inspector. Open its address in a new tab.';
