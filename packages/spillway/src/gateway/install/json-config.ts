/**
 * Servers in a JSON file with comments. Only the members that start a server are changed; comments, order and layout stay. Comments and commas before
 * a bracket are blanked out for reading, so that places in what is read are places in the file.
 */
import { SpillwayError } from '@spillway/core';
import { addedMember, type Edit, edited, type Member, membersOf, valueIn } from '../json-edit.ts';
import type { ClientFormat } from './clients.ts';
import type { Entry } from './entry.ts';

export interface ConfigEntries {
  readonly entries: readonly Entry[];
  /** The text with other commands for some entries. */
  with(commands: ReadonlyMap<string, readonly string[]>): string;
}

export function jsonEntries(text: string, client: ClientFormat): ConfigEntries {
  const bytes = Buffer.from(text.replace(/^\uFEFF/, ''));
  const plain = withoutComments(bytes);
  const root = membersOf(plain);
  if (root === null)
    throw new SpillwayError('invalid_argument', 'The file is not valid JSON. Nothing was changed.');
  const servers = root.get(client.key);
  const found = servers === undefined ? null : membersOf(plain, servers.value);
  const entries = [...(found?.values() ?? [])].map((member) => readEntry(plain, member, client));
  return {
    entries,
    with(commands) {
      const edits = [...commands].flatMap(([name, command]) => {
        const member = found?.get(name);
        return member === undefined ? [] : entryEdits(plain, member, command, client);
      });
      return edited(bytes, edits).toString('utf8');
    },
  };
}

function readEntry(plain: Buffer, { key, value }: Member, client: ClientFormat): Entry {
  const read = valueIn(plain, value) as Record<string, unknown> | null;
  const { command, args } = (read ?? {}) as { command?: unknown; args?: unknown };
  const env = read?.[client.env];
  const words =
    client.command === 'list' ? command : typeof command === 'string' ? [command, ...list(args)] : [];
  return { name: key, command: list(words), env: isObject(env) ? Object.keys(env) : [] };
}

function entryEdits(
  plain: Buffer,
  { value }: Member,
  command: readonly string[],
  client: ClientFormat,
): Edit[] {
  const members = membersOf(plain, value);
  const [program, ...args] = command;
  const written = client.command === 'list' ? command : program;
  const edits: Edit[] = [];
  const put = (key: string, json: string) => {
    const member = members?.get(key);
    edits.push(member === undefined ? addedMember(plain, value, key, json) : { ...member.value, by: json });
  };
  put('command', JSON.stringify(written));
  if (client.command === 'apart') put('args', JSON.stringify(args));
  return edits;
}

function withoutComments(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const blanked = text
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g, (found) =>
      found.startsWith('"') ? found : found.replace(/[^\n\r]/g, ' '),
    )
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === ',' ? ' ' : found));
  return Buffer.from(blanked, 'latin1');
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
