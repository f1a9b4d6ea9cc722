/**
 * Servers in a TOML file: tables `[mcp_servers.NAME]` with `command`, `args` and `env`. Only command and args are changed, in place; everything else of the
 * file stays as it is, also what this reader does not understand.
 */
import type { ClientFormat } from './clients.ts';
import type { Entry } from './entry.ts';
import type { ConfigEntries } from './json-config.ts';

interface Table {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`;

export function tomlEntries(text: string, client: ClientFormat): ConfigEntries {
  const tables = tablesOf(text, client.key);
  const entries = tables.map((table) => readEntry(table, text, client));
  return {
    entries,
    with(commands) {
      let changed = text;
      // From the end, so that places before stay where they are.
      for (const [i, table] of [...tables.entries()].reverse()) {
        const command = commands.get(entries[i] as Entry);
        if (command !== undefined)
          changed = changed.slice(0, table.start) + rewritten(table.text, command) + changed.slice(table.end);
      }
      return changed;
    },
  };
}

function tablesOf(text: string, key: string): Table[] {
  const heads = [...text.matchAll(/^[ \t]*\[+[^\]\n]*\]+/gm)].map((match) => ({
    at: match.index,
    head: match[0].trim(),
  }));
  return heads.flatMap(({ at, head }, i) => {
    const [, quoted, bare] = new RegExp(`^\\[${key}\\.(?:(${STRING})|([\\w-]+))\\]$`).exec(head) ?? [];
    const name = quoted === undefined ? bare : unquoted(quoted);
    const end = heads[i + 1]?.at ?? text.length;
    return name === undefined ? [] : [{ name, start: at, end, text: text.slice(at, end) }];
  });
}

function readEntry({ name, text }: Table, whole: string, client: ClientFormat): Entry {
  const command = member(text, 'command');
  const args = member(text, 'args');
  const words = command === null ? [] : [unquoted(command.value), ...strings(args?.value ?? '')];
  return { name, command: words, env: variables(text, whole, name, client) };
}

/** `env = { A = "…" }` in the table, or a table of its own below it; and `env_vars`, those passed on from outside. */
function variables(text: string, whole: string, name: string, client: ClientFormat): string[] {
  const inline = member(text, client.env)?.value ?? '';
  const below = [...whole.matchAll(/^[ \t]*\[([^\]\n]*)\]\s*$/gm)].find(
    ([, head = '']) => head.replace(/["'\s]/g, '') === `${client.key}.${name}.${client.env}`,
  );
  const rest = below === undefined ? '' : whole.slice(below.index + below[0].length).split(/^[ \t]*\[/m)[0];
  const keys = (body: string) =>
    [...body.matchAll(/([\w-]+|"[^"]*")\s*=\s*(?:"|')/g)].map(([, key = '']) => unquoted(key));
  return [...keys(inline), ...keys(rest ?? ''), ...strings(member(text, 'env_vars')?.value ?? '')];
}

function rewritten(table: string, [program = '', ...args]: readonly string[]): string {
  const command = `command = ${JSON.stringify(program)}`;
  const list = `args = [${args.map((word) => JSON.stringify(word)).join(', ')}]`;
  const before = member(table, 'args');
  const replaced = before === null ? table : table.slice(0, before.start) + list + table.slice(before.end);
  const at = member(replaced, 'command');
  if (at === null) return replaced;
  return (
    replaced.slice(0, at.start) + (before === null ? `${command}\n${list}` : command) + replaced.slice(at.end)
  );
}

/** A member of a table: a string, a list over any number of lines, or a table in one line. */
function member(
  table: string,
  key: string,
): { readonly start: number; readonly end: number; readonly value: string } | null {
  const value = String.raw`(${STRING}|\[(?:[^\]"'#]|#[^\n]*|${STRING})*\]|\{[^}\n]*\})`;
  const match = new RegExp(String.raw`^([ \t]*)${key}\s*=\s*${value}`, 'm').exec(table);
  if (match === null) return null;
  const [all, indent = '', written = ''] = match;
  return { start: match.index + indent.length, end: match.index + all.length, value: written };
}

function strings(list: string): string[] {
  return [...list.replace(/#[^\n"']*$/gm, '').matchAll(new RegExp(STRING, 'g'))].map(([word]) =>
    unquoted(word),
  );
}

function unquoted(word: string): string {
  if (word.startsWith("'")) return word.slice(1, -1);
  return word.startsWith('"') ? (JSON.parse(word.replace(/\\U([0-9a-fA-F]{8})/g, '')) as string) : word;
}
