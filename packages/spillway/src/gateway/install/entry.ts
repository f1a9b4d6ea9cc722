/**
 * One server entry of a client's configuration, with and without the gateway. The client gives its
 * variables to the gateway, which passes them on. Headers of a remote server may hold secrets, so
 * they become variables instead of command line arguments.
 */

import { createHash } from 'node:crypto';
import { parse, patch } from '@decimalturn/toml-patch';
import { GET_ARTIFACT, SpillwayError } from '@spillway/core';
import { type Fields, isFields } from '../../fields.ts';
import { JsonFile, type JsonPath } from '../../json-file.ts';
import type { Program } from '../../own-program.ts';
import { isServerName } from '../tool-directory.ts';
import type { ClientFormat } from './clients.ts';

export interface Entry {
  readonly name: string;
  /** The words of a process; none for a remote server. */
  readonly command: readonly string[];
  readonly remote: Remote | null;
  readonly variables: Readonly<Record<string, string>>;
  /** The only tools that the client offers to a model, where the entry says so. */
  readonly tools: readonly string[] | null;
}

interface Remote {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Changed = Omit<Entry, 'name'>;

export type Left =
  | 'already behind the gateway'
  | 'not behind the gateway'
  | 'already there for this project'
  | 'neither a command nor a URL that can be used';

export interface Wrapping {
  readonly program: Program;
  /** Whether its tool gets a name of its own, because the client has several gateways. */
  readonly ownTool: boolean;
  /** Whether results are only stored, because programs of the client read them. */
  readonly uncut: boolean;
}

const VARIABLE = /^MCP_HEADER_\w+$/;

export function wrapEntry(entry: Entry, { program, ownTool, uncut }: Wrapping): Changed | Left {
  const { name, command, remote, tools } = entry;
  if (gatewayIn(command) !== null) return 'already behind the gateway';
  if (!canBeWrapped(entry)) return 'neither a command nor a URL that can be used';
  const server = nameFor(name);
  const toolName = ownTool ? toolFor(server) : GET_ARTIFACT.name;
  const flags = [...(uncut ? ['--uncut'] : []), ...(ownTool ? ['--tool-name', toolName] : [])];
  const headers = Object.entries(remote?.headers ?? {}).map(([header, value]) => ({
    header,
    value,
    variable: `MCP_HEADER_${header.toUpperCase().replace(/\W/g, '_')}`,
  }));
  const target =
    remote === null
      ? ['--', ...command]
      : [
          '--url',
          remote.url,
          ...headers.flatMap(({ header, variable }) => ['--header', `${header}: \${${variable}}`]),
        ];
  return {
    command: [...program, 'mcp', '--name', server, ...flags, ...target],
    remote: null,
    variables: Object.fromEntries(headers.map(({ variable, value }) => [variable, value])),
    tools: offered(tools, toolName),
  };
}

function offered(tools: readonly string[] | null, own: string): readonly string[] | null {
  if (tools === null || tools.includes('*')) return tools;
  return [...tools.filter((tool) => tool !== own), own];
}

/** Placeholders that the client fills in (`\${input:url}`) cannot be read here. */
export function canBeWrapped({ command, remote }: Entry): boolean {
  if (command.length > 0) return true;
  return remote !== null && URL.canParse(remote.url) && /^https?:/.test(remote.url);
}

export function unwrapEntry({ command, tools, variables }: Entry): Changed | Left {
  const flags = gatewayIn(command);
  if (flags === null) return 'not behind the gateway';
  const toolName = flagValue(flags, '--tool-name') ?? GET_ARTIFACT.name;
  const url = flagValue(flags, '--url');
  const headers = flags.flatMap((flag, at) => (flag === '--header' ? [flags[at + 1] ?? ''] : []));
  return {
    command: url === undefined ? command.slice(command.indexOf('--', command.indexOf('mcp')) + 1) : [],
    remote:
      url === undefined
        ? null
        : { url, headers: Object.fromEntries(headers.map((one) => headerIn(one, variables))) },
    variables: {},
    tools: tools === null ? null : tools.filter((tool) => tool !== toolName),
  };
}

function headerIn(written: string, variables: Readonly<Record<string, string>>): readonly [string, string] {
  const colon = written.indexOf(':');
  const value = written.slice(colon + 1).trimStart();
  const variable = /^\$\{(\w+)\}$/.exec(value)?.[1] ?? '';
  return [written.slice(0, colon), variables[variable] ?? value];
}

function flagValue(flags: readonly string[], name: string): string | undefined {
  const at = flags.indexOf(name);
  return at === -1 ? undefined : flags[at + 1];
}

function gatewayIn(command: readonly string[]): readonly string[] | null {
  const at = command.indexOf('mcp');
  const end = command.indexOf('--', at);
  const isOurs = command
    .slice(0, Math.max(0, at))
    .some((word) => /(?:^|[/\\])(?:spillway|acode)(?:\.js|\.cmd|@[\s\S]*)?$/.test(word));
  if (!isOurs) return null;
  if (end !== -1) return command.slice(at, end);
  return command.includes('--url', at) ? command.slice(at) : null;
}

/** If the name does not fit `--name`, a hash keeps two names apart. */
function nameFor(name: string): string {
  if (isServerName(name) && /^[ -~]+$/.test(name)) return name;
  const plain = name.replace(/[^\w.-]+/g, '-').slice(0, 80);
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return /\w/.test(plain) ? `${plain}-${mark}` : `server-${mark}`;
}

/** A name that every client takes for a tool: at most 64 letters, digits, `_` and `-`. */
function toolFor(server: string): string {
  return `${GET_ARTIFACT.name}_${server.replace(/[^\w-]/g, '_')}`.slice(0, 64);
}

// An entry as an object. Members that are not ours stay.

function readEntry(name: string, read: unknown, client: ClientFormat): Entry {
  const entry = isFields(read) ? read : {};
  const { command, args } = entry;
  const words =
    client.command === 'list' ? command : typeof command === 'string' ? [command, ...list(args)] : [];
  const tools = client.tools === undefined ? undefined : entry[client.tools];
  const url = client.remote.url.map((key) => entry[key]).find((value) => typeof value === 'string');
  const isRemote = list(words).length === 0 && typeof url === 'string';
  const remote = isRemote ? { url: url as string, headers: headersOf(entry, client) } : null;
  const variables = Object.fromEntries(
    Object.entries(texts(entry[client.env ?? 'env'])).filter(([key]) => VARIABLE.test(key)),
  );
  return { name, command: list(words), remote, variables, tools: Array.isArray(tools) ? list(tools) : null };
}

/** Codex names the variable that holds a token. */
function headersOf(entry: Fields, { remote }: ClientFormat): Record<string, string> {
  const token = entry.bearer_token_env_var;
  return {
    ...texts(entry[remote.headers]),
    ...(typeof token === 'string' ? { Authorization: `Bearer \${${token}}` } : {}),
  };
}

/** Then only command and tools change, and the rest keeps its layout. */
function isSameKind(entry: Entry, changed: Changed): boolean {
  return entry.remote === null && changed.remote === null;
}

export function rewritten(read: unknown, changed: Changed, client: ClientFormat): Fields {
  const { remote: format, env: key = 'env', tools: toolsKey } = client;
  const { command: _c, args: _a, type: _t, bearer_token_env_var: token, ...all } = isFields(read) ? read : {};
  const env = Object.entries(texts(all[key])).filter(([name]) => !VARIABLE.test(name));
  const rest = Object.fromEntries(
    Object.entries(all).filter(([name]) => ![...format.url, format.headers, key, toolsKey].includes(name)),
  );
  const { remote, command, variables, tools } = changed;
  const listed = tools === null || toolsKey === undefined ? {} : { [toolsKey]: tools };
  if (remote !== null) {
    const isSse = /\/sse\/?$/.test(new URL(remote.url).pathname);
    const type = format.type === undefined ? {} : { type: isSse ? format.type.sse : format.type.http };
    const urlKey = (isSse ? format.url.at(-1) : format.url[0]) ?? 'url';
    const headers = Object.keys(remote.headers).length === 0 ? {} : { [format.headers]: remote.headers };
    return { ...type, [urlKey]: remote.url, ...headers, ...withEnv(key, env), ...listed, ...rest };
  }
  const [program, ...args] = command;
  return {
    ...(format.type === undefined ? {} : { type: format.type.process }),
    ...(client.command === 'list' ? { command } : { command: program, args }),
    ...withEnv(key, [...env, ...Object.entries(variables)]),
    // Codex gives a process no variables but those that are named.
    ...(typeof token === 'string' ? { env_vars: [token] } : {}),
    ...listed,
    ...rest,
  };
}

function withEnv(key: string, env: readonly (readonly [string, string])[]): Fields {
  return env.length === 0 ? {} : { [key]: Object.fromEntries(env) };
}

function texts(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

// The servers of a client's configuration, in JSON with comments or in TOML (tables, dotted keys or
// inline tables). Only what starts a server is changed; comments, order and layout stay.

export interface ConfigEntries {
  readonly entries: readonly Entry[];
  read(entry: Entry): unknown;
  with(changes: ReadonlyMap<Entry, Changed>): string;
}

/** `inside` leads to servers that stand deeper in the file. */
export function jsonEntries(
  text: string,
  client: ClientFormat,
  inside: readonly string[] | null,
): ConfigEntries {
  const file = new JsonFile(text);
  const found = new Map(
    [[client.key], ...(inside === null ? [] : [inside])].flatMap((path) => {
      const servers = file.value(path);
      return Object.entries(isFields(servers) ? servers : {}).map(
        ([name, server]) => [readEntry(name, server, client), [...path, name]] as const,
      );
    }),
  );
  return {
    entries: [...found.keys()],
    read: (entry) => file.value(found.get(entry) ?? []),
    with: (changes) =>
      [...changes].reduce((now, [entry, changed]) => {
        const path = found.get(entry) ?? [];
        if (isSameKind(entry, changed)) return withWords(now, path, changed, client);
        const server = new JsonFile(now);
        return server.replaced(path, laidOut(server, path, rewritten(server.value(path), changed, client)));
      }, text),
  };
}

function withWords(text: string, path: JsonPath, { command, tools }: Changed, client: ClientFormat): string {
  const [program, ...args] = command;
  const members = {
    ...(client.command === 'list' ? { command } : { command: program, args }),
    ...(tools === null || client.tools === undefined ? {} : { [client.tools]: tools }),
  };
  return Object.entries(members).reduce((now, [key, value]) => {
    const file = new JsonFile(now);
    const former = file.written([...path, key]);
    if (former === undefined) return file.withMember([...path, key], value);
    const json = Array.isArray(value) ? laidOutAs(former, value) : JSON.stringify(value);
    return file.replaced([...path, key], json);
  }, text);
}

/** Keeps the layout of the former list: one line per element, or one line. */
function laidOutAs(former: string, elements: readonly string[]): string {
  const inner = former.slice(1, -1);
  const before = /^\s*/.exec(inner)?.[0] ?? '';
  const after = inner.trim() === '' ? '' : inner.slice(inner.trimEnd().length);
  const isCompact = /^\["(?:[^"\\]|\\.)*",\S/.test(former);
  const between = before.includes('\n') ? before : isCompact ? '' : ' ';
  const written = elements.map((element) => JSON.stringify(element));
  return `[${before}${written.join(`,${between}`)}${after}]`;
}

function laidOut(file: JsonFile, path: JsonPath, entry: object): string {
  const inner = /\n([ \t]*)\S/.exec(file.written(path) ?? '')?.[1];
  if (inner === undefined) return JSON.stringify(entry);
  const outer = file.indentOf(path);
  const step = inner.slice(outer.length) || '  ';
  return JSON.stringify(entry, null, step).replaceAll('\n', `\n${outer}`);
}

type Table = Record<string, unknown>;

export function tomlEntries(text: string, client: ClientFormat): ConfigEntries {
  const servers = serversIn(read(text), client);
  return {
    entries: Object.entries(servers).map(([name, server]) => readEntry(name, server, client)),
    read: ({ name }) => servers[name],
    with(changes) {
      const after = read(text);
      for (const [entry, changed] of changes) {
        const server = serversIn(after, client)[entry.name];
        if (server === undefined) continue;
        const { command, tools } = changed;
        if (isSameKind(entry, changed)) {
          [server.command, server.args] = [command[0], command.slice(1)];
          if (tools !== null && client.tools !== undefined) server[client.tools] = tools;
        } else {
          const written = rewritten(server, changed, client);
          for (const key of Object.keys(server)) delete server[key];
          Object.assign(server, written);
        }
      }
      return patch(text, after);
    },
  };
}

function read(text: string): Table {
  try {
    return parse(text) as Table;
  } catch {
    // The parser's message may quote the file, which may hold secrets.
    throw new SpillwayError('invalid_argument', 'it is not valid TOML');
  }
}

function serversIn(file: Table, client: ClientFormat): Record<string, Table> {
  const servers = file[client.key];
  if (!isFields(servers)) return {};
  return Object.fromEntries(
    Object.entries(servers).filter((entry): entry is [string, Table] => isFields(entry[1])),
  );
}
