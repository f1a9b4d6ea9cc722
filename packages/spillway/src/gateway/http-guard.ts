/**
 * Access control over HTTP. Requests must name this machine as host and, if a browser sends an
 * origin, come from a page of this machine, which stops DNS rebinding. Each needs the token of a
 * principal.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { isOpenToOthers, isOwn } from '../accounts.ts';
import { homeOf } from '../config/locations.ts';
import { hostname, LOOPBACK_NAMES } from '../loopback.ts';
import { ownFolders, writableFolder } from '../own-folders.ts';
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

// The token of an HTTP gateway that was given none: created once per workspace and kept in a
// private file of the user, so that clients still know it after a restart. Not kept in the
// workspace, which others may have written.

const SHAPE = /^[\w-]{32}$/;

/** Not persisted if the user has no folder. */
export function keptToken(root: string, env: Readonly<Record<string, string | undefined>>): string {
  const made = randomBytes(24).toString('base64url');
  const file = ownFileFor(root, env, 'tokens');
  return file === null ? made : (read(file) ?? write(file, made) ?? made);
}

/** A file of the user that belongs to one workspace; null if no folder of the user can be written. */
export function ownFileFor(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  kind: string,
): string | null {
  const folder = writableFolder(ownFolders(env, homeOf(env)));
  if (folder === undefined) return null;
  return join(folder, kind, createHash('sha256').update(root).digest('hex').slice(0, 32));
}

function read(file: string): string | null {
  try {
    const found = lstatSync(file);
    if (!found.isFile() || !isOwn(file) || isOpenToOthers(found)) return null;
    const token = readFileSync(file, 'utf8').trim();
    return SHAPE.test(token) ? token : null;
  } catch {
    return null;
  }
}

function write(file: string, token: string): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch {
    // Another gateway of this workspace was faster.
    return read(file);
  }
}
