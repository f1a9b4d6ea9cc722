/**
 * Servers in a TOML file, however they are written: tables, dotted keys or inline tables. Only what
 * starts a server is changed; comments and layout stay.
 */
import { parse, patch } from '@decimalturn/toml-patch';
import { SpillwayError } from '@spillway/core';
import type { ClientFormat } from './clients.ts';
import { isObject, isSameKind, readEntry, rewritten } from './entry.ts';
import type { ConfigEntries } from './json-config.ts';

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
    // Its message may quote the file, which may hold secrets.
    throw new SpillwayError('invalid_argument', 'it is not valid TOML');
  }
}

function serversIn(file: Table, client: ClientFormat): Record<string, Table> {
  const servers = file[client.key];
  if (!isObject(servers)) return {};
  return Object.fromEntries(
    Object.entries(servers).filter((entry): entry is [string, Table] => isObject(entry[1])),
  );
}
