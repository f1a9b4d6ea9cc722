/**
 * An entry of a client's configuration as an object: what it says of a server, and the object that
 * says something else of it. Members that are not ours stay.
 */
import type { ClientFormat } from './clients.ts';
import { type Changed, type Entry, VARIABLE } from './entry.ts';

export type Fields = Record<string, unknown>;

export function readEntry(name: string, read: unknown, client: ClientFormat): Entry {
  const entry = isObject(read) ? read : {};
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

/** Whether only the words of a process and its tools differ: then the rest keeps its layout. */
export function isSameKind(entry: Entry, changed: Changed): boolean {
  return entry.remote === null && changed.remote === null;
}

/** The object of an entry that becomes a process, or a remote server again. */
export function rewritten(read: unknown, changed: Changed, client: ClientFormat): Fields {
  const { remote: format, env: key = 'env', tools: toolsKey } = client;
  const { command: _c, args: _a, type: _t, bearer_token_env_var: token, ...all } = isObject(read) ? read : {};
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
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
