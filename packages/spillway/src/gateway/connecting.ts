/** How an upstream is reached: a process, or a URL. */

import { SpillwayError } from '@spillway/core';
import { loadConfig } from '../config/load.ts';
import { JsonFile } from '../json-file.ts';
import { sourcesOf } from '../open.ts';
import { isShared } from '../shared-store.ts';
import type { Gateway } from './gateway.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import type { ServerCommand, ServerProcess } from './server-process.ts';

export type Target = SingleTarget | { readonly kind: 'merged'; readonly servers: readonly NamedTarget[] };

interface NamedTarget {
  readonly name: string;
  readonly target: SingleTarget;
}

type SingleTarget =
  | (ServerCommand & { readonly kind: 'process' })
  | { readonly kind: 'url'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

export interface Connecting {
  readonly gateway: Gateway;
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  readonly failed: (why: string) => void;
  readonly started?: ServerProcess;
}

export async function connect(
  target: Target,
  { gateway, events, log, failed, started }: Connecting,
): Promise<Upstream> {
  if (target.kind === 'merged') {
    const { MergedUpstream } = await import('./merged.ts');
    const servers = target.servers.map(({ name, target: one }) => ({
      name,
      connect: (own: UpstreamEvents, lost: (why: string) => void) =>
        connect(one, { gateway, events: own, log: (line) => log(`${name}: ${line}`), failed: lost }),
    }));
    return MergedUpstream.open({ servers, events, log, failed });
  }
  if (target.kind === 'process') {
    const { StdioUpstream } = await import('./upstream-stdio.ts');
    return new StdioUpstream({ ...target, events, log, failed, ...(started && { started }) });
  }
  const { HttpUpstream } = await import('./upstream-http.ts');
  return new HttpUpstream({ ...target, events, log, callHeaders: (message) => gateway.callHeaders(message) });
}

/** Errors do not repeat the URL, which may hold a secret. */
export function targetUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new SpillwayError('invalid_argument', 'A URL begins with http:// or https://.');
  return url;
}

/** `Name: value`, as in `--header`; `${NAME}` in a value stands for a variable. */
export function headersIn(given: readonly string[], own: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((header) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw new SpillwayError('invalid_argument', '--header takes "Name: value".');
      return [name.toLowerCase(), withVariables(value.trimStart(), own)];
    }),
  );
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Linear: goes from one closing brace to the next. */
export function withVariables(value: string, own: Variables): string {
  const pieces = value.split('}');
  const last = pieces.pop() ?? '';
  const texts = pieces.map((piece) => {
    const opened = VARIABLE.exec(piece);
    if (opened === null) return `${piece}}`;
    const [, name = '', fallback] = opened;
    const found = own[name] ?? fallback;
    if (found === undefined)
      throw new SpillwayError('invalid_argument', `The variable ${name.slice(0, 60)} is not set.`);
    return piece.slice(0, opened.index) + found;
  });
  return texts.join('') + last;
}

const VARIABLE = /\$\{(\w+)(?::-(.*))?$/s;

// The servers of a file like `mcp.json`: `mcpServers` (or `servers`) by name, each a process or a
// URL. `${NAME}` and `${NAME:-default}` stand for variables of ours.

export interface ConfiguredServers {
  readonly servers: readonly NamedTarget[];
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
}

export interface ServerSurroundings {
  readonly own: Variables;
  readonly inherited: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** One bad server does not stop the others; an error if none can be used. */
export function readServers(text: string, around: ServerSurroundings): ConfiguredServers {
  const file = parsed(text);
  const entries = file.value(['mcpServers']) ?? file.value(['servers']);
  if (typeof entries !== 'object' || entries === null || Object.keys(entries).length === 0)
    throw invalid('The configuration names no servers: put them under "mcpServers".');
  const servers: NamedTarget[] = [];
  const skipped: { name: string; error: SpillwayError }[] = [];
  for (const [written, entry] of Object.entries(entries)) {
    if ((entry as { disabled?: unknown } | null)?.disabled === true) continue;
    const name = nameOf(written);
    if (servers.some((other) => other.name === name))
      throw invalid('Two servers have names that only differ in signs. Rename one.');
    try {
      servers.push({ name, target: targetOf(written, expanded(entry, around.own), around) });
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error;
      skipped.push({ name, error });
    }
  }
  if (servers.length === 0 && skipped[0] !== undefined) throw skipped[0].error;
  return { servers, skipped: skipped.map(({ name, error }) => ({ name, why: error.message })) };
}

function targetOf(
  name: string,
  entry: unknown,
  { inherited, cwd }: ServerSurroundings,
): NamedTarget['target'] {
  const {
    command,
    args = [],
    env = {},
    url,
    headers = {},
    cwd: folder = cwd,
  } = (entry ?? {}) as Record<string, unknown>;
  if (typeof url === 'string' && command === undefined)
    return { kind: 'url', url: targetUrl(url), headers: stringsIn(headers, name) };
  if (typeof command !== 'string' || !Array.isArray(args) || typeof folder !== 'string')
    throw invalid(`The server ${JSON.stringify(name)} needs a command with args, or a url.`);
  const variables = { ...inherited, ...stringsIn(env, name) };
  return { kind: 'process', command, args: args.map(String), env: variables, cwd: folder };
}

function stringsIn(value: unknown, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (entries.some(([, one]) => typeof one !== 'string'))
    throw invalid(`Variables and headers of the server ${JSON.stringify(name)} must be strings.`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function expanded(value: unknown, own: Variables): unknown {
  if (typeof value === 'string') return withVariables(value, own);
  if (Array.isArray(value)) return value.map((one) => expanded(one, own));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expanded(one, own)]));
}

function nameOf(name: string): string {
  return name.replace(/[^\w-]+/g, '_').slice(0, 40) || 'server';
}

function parsed(text: string): JsonFile {
  try {
    return new JsonFile(text);
  } catch (error) {
    throw error instanceof SpillwayError ? invalid('The configuration is not a JSON object.') : error;
  }
}

function invalid(message: string): SpillwayError {
  return new SpillwayError('invalid_argument', message);
}

// The environment of an upstream: by default ours without our secrets; with `--env`, what any
// program needs plus the variables named.

const NEEDED =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'PROGRAMFILES',
      ]
    : [
        'HOME',
        'LANG',
        'LC_ALL',
        'LOGNAME',
        'PATH',
        'SHELL',
        'TERM',
        'TMPDIR',
        'TZ',
        'USER',
        // Certificates this machine trusts; required behind inspecting proxies.
        'NODE_EXTRA_CA_CERTS',
        'SSL_CERT_DIR',
        'SSL_CERT_FILE',
      ];

type Environment = Readonly<Record<string, string | undefined>>;

/** `given` holds `NAME=VALUE`, or `NAME` for the value that we have ourselves. */
export function namedEnvironment(
  given: readonly string[],
  own: Environment,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  const take = (name: string) => {
    const value = own[name];
    if (value !== undefined) env[name] = value;
  };
  for (const name of NEEDED) take(name);
  for (const setting of given) {
    const equals = setting.indexOf('=');
    if (setting === '' || equals === 0)
      throw new SpillwayError('invalid_argument', '--env takes NAME=VALUE, or NAME.');
    if (equals === -1) take(setting);
    else env[setting.slice(0, equals)] = setting.slice(equals + 1);
  }
  return env;
}

/**
 * Without the tokens for our gateway and store. PGPASSWORD is ours only if the store is on a
 * server.
 */
export async function inheritedEnvironment(own: Environment): Promise<Readonly<Record<string, string>>> {
  const { SPILLWAY_TOKEN: _token, SPILLWAY_PASSWORD_FILE: _file, SPILLWAY_STORE, PGPASSWORD, ...rest } = own;
  const env = {
    ...rest,
    // Without a word of a store nothing is loaded that could read it: the server starts sooner.
    ...(SPILLWAY_STORE === undefined || isShared(SPILLWAY_STORE) ? {} : { SPILLWAY_STORE }),
    ...(PGPASSWORD === undefined || (await storesOnServer(own)) ? {} : { PGPASSWORD }),
  };
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function storesOnServer(own: Environment): Promise<boolean> {
  if (own.SPILLWAY_STORE) return isShared(own.SPILLWAY_STORE);
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), own), passOver: true });
  return isShared(storage.store);
}
