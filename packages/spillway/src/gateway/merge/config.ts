/**
 * The servers of a file like `mcp.json`: `mcpServers` (or `servers`) by name, each a process or a
 * URL. `${NAME}` and `${NAME:-default}` stand for variables of ours.
 */
import { SpillwayError } from '@spillway/core';
import { type NamedTarget, targetUrl } from '../connecting.ts';
import { upstreamEnvironment } from '../environment.ts';

export function readServers(
  text: string,
  own: Readonly<Record<string, string | undefined>>,
  cwd: string,
): readonly NamedTarget[] {
  const file = parsed(text);
  const servers = (file.mcpServers ?? file.servers) as Record<string, unknown> | undefined;
  if (typeof servers !== 'object' || servers === null || Object.keys(servers).length === 0)
    throw invalid('The configuration names no servers: put them under "mcpServers".');
  const named = Object.entries(servers)
    .filter(([, entry]) => (entry as { disabled?: unknown } | null)?.disabled !== true)
    .map(([name, entry]) => ({ name: nameOf(name), target: targetOf(name, expanded(entry, own), own, cwd) }));
  if (new Set(named.map(({ name }) => name)).size < named.length)
    throw invalid('Two servers have names that only differ in signs. Rename one.');
  return named;
}

function targetOf(
  name: string,
  entry: unknown,
  own: Readonly<Record<string, string | undefined>>,
  cwd: string,
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
  const given = Object.entries(stringsIn(env, name)).map(([key, value]) => `${key}=${value}`);
  const variables = upstreamEnvironment(given, own);
  return { kind: 'process', command, args: args.map(String), env: variables, cwd: folder };
}

function stringsIn(value: unknown, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (entries.some(([, one]) => typeof one !== 'string'))
    throw invalid(`Variables and headers of the server ${JSON.stringify(name)} must be strings.`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function expanded(value: unknown, own: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return withVariables(value, own);
  if (Array.isArray(value)) return value.map((one) => expanded(one, own));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expanded(one, own)]));
}

/** Goes from one closing brace to the next, so that no value makes it slow. */
function withVariables(value: string, own: Readonly<Record<string, string | undefined>>): string {
  const pieces = value.split('}');
  const last = pieces.pop() ?? '';
  const said = pieces.map((piece) => {
    const opened = VARIABLE.exec(piece);
    if (opened === null) return `${piece}}`;
    const [, name = '', fallback] = opened;
    const found = own[name] ?? fallback;
    if (found === undefined) throw invalid(`The variable ${name.slice(0, 60)} is not set.`);
    return piece.slice(0, opened.index) + found;
  });
  return said.join('') + last;
}

/** `${NAME` or `${NAME:-default`, up to the brace that closes it. */
const VARIABLE = /\$\{(\w+)(?::-(.*))?$/s;

/** A name that can stand before the name of a tool. */
function nameOf(name: string): string {
  return name.replace(/[^\w-]+/g, '_').slice(0, 40) || 'server';
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalid('The configuration is not a JSON object.');
}

function invalid(message: string): SpillwayError {
  return new SpillwayError('invalid_argument', message);
}
