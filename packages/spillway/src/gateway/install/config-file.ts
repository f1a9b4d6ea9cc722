/**
 * The servers of a client's configuration, in JSON with comments or in TOML (tables, dotted keys or
 * inline tables). Only what starts a server is changed; comments, order and layout stay.
 */

import { parse, patch } from '@decimalturn/toml-patch';
import { SpillwayError } from '@spillway/core';
import { isFields } from '../../fields.ts';
import { JsonFile, type JsonPath } from '../../json-file.ts';
import type { ClientFormat } from './clients.ts';
import { type Changed, type Entry, isSameKind, readEntry, rewritten } from './entry.ts';

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
