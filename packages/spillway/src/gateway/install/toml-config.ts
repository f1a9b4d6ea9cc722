/**
 * Servers in a TOML file: tables `[mcp_servers.NAME]` with `command`, `args` and `env`. Only
 * command and args are changed, in place; everything else of the file stays as it is, also what
 * this reader does not understand.
 */
import type { ClientFormat } from './clients.ts';
import type { Entry } from './entry.ts';
import type { ConfigEntries } from './json-config.ts';
import { isString, type TomlMember, type TomlTable, tomlKeys, tomlStrings, tomlTables } from './toml-scan.ts';
import { tomlString } from './toml-string.ts';

export function tomlEntries(text: string, client: ClientFormat): ConfigEntries {
  const tables = tomlTables(text);
  const variables = variablesByServer(tables, client);
  const servers = tables.filter(({ path }) => path.length === 2 && path[0] === client.key);
  const found = new Map(servers.map((table) => [readEntry(table, variables, client), table]));
  return {
    entries: [...found.keys()],
    with(commands) {
      const edits = [...commands].flatMap(([entry, command]) => {
        const table = found.get(entry);
        return table === undefined ? [] : commandEdits(table, command);
      });
      return edited(text, edits);
    },
  };
}

function readEntry(table: TomlTable, variables: ReadonlyMap<string, string[]>, client: ClientFormat): Entry {
  const name = table.path[1] ?? '';
  const command = memberOf(table, 'command')?.value ?? '';
  const words = isString(command)
    ? [tomlString(command), ...tomlStrings(memberOf(table, 'args')?.value ?? '')]
    : [];
  const env = [
    ...tomlKeys(memberOf(table, client.env)?.value ?? ''),
    // `env.NAME = "…"`
    ...table.members.flatMap(({ key }) => (key.length === 2 && key[0] === client.env ? [key[1] ?? ''] : [])),
    ...(variables.get(name) ?? []),
    ...tomlStrings(memberOf(table, 'env_vars')?.value ?? ''),
  ];
  return { name, command: words, env };
}

/** Variables that stand in a table of their own: `[mcp_servers.NAME.env]`. */
function variablesByServer(
  tables: readonly TomlTable[],
  client: ClientFormat,
): ReadonlyMap<string, string[]> {
  return new Map(
    tables
      .filter(({ path }) => path.length === 3 && path[0] === client.key && path[2] === client.env)
      .map(({ path, members }) => [path[1] ?? '', members.map(({ key }) => key[0] ?? '')]),
  );
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function commandEdits(table: TomlTable, [program = '', ...args]: readonly string[]): Edit[] {
  const command = memberOf(table, 'command');
  const before = memberOf(table, 'args');
  if (command === undefined) return [];
  const list = `args = [${args.map((word) => JSON.stringify(word)).join(', ')}]`;
  const line = `command = ${JSON.stringify(program)}`;
  return [
    { ...command, by: before === undefined ? `${line}\n${list}` : line },
    ...(before === undefined ? [] : [{ ...before, by: list }]),
  ];
}

function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, by } of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), by);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}

function memberOf({ members }: TomlTable, name: string): TomlMember | undefined {
  return members.find(({ key }) => key.length === 1 && key[0] === name);
}
