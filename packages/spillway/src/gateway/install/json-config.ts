/**
 * Servers in a JSON file with comments. Only the members that start a server are changed; comments,
 * order and layout stay. Comments and commas before a bracket are blanked out for reading, so that
 * places in what is read are places in the file.
 */
import { SpillwayError } from '@spillway/core';
import { addedMember, type Edit, edited, type Member, membersOf, valueIn } from '../json-edit.ts';
import type { ClientFormat } from './clients.ts';
import type { Entry } from './entry.ts';

export interface ConfigEntries {
  readonly entries: readonly Entry[];
  /** The text with other commands for some entries. */
  with(commands: ReadonlyMap<Entry, readonly string[]>): string;
}

const MARK = '\uFEFF';

/** `inside` leads to servers that stand deeper in the file. */
export function jsonEntries(
  text: string,
  client: ClientFormat,
  inside: readonly string[] | null,
): ConfigEntries {
  const mark = text.startsWith(MARK) ? MARK : '';
  const bytes = Buffer.from(text.slice(mark.length));
  const plain = withoutComments(bytes);
  if (membersOf(plain) === null)
    throw new SpillwayError('invalid_argument', 'The file is not valid JSON. Nothing was changed.');
  const found = new Map(
    [[client.key], ...(inside === null ? [] : [inside])]
      .flatMap((path) => membersAt(plain, path))
      .map((member) => [readEntry(plain, member, client), member]),
  );
  return {
    entries: [...found.keys()],
    with(commands) {
      const edits = [...commands].flatMap(([entry, command]) => {
        const member = found.get(entry);
        return member === undefined ? [] : entryEdits(plain, member, command, client);
      });
      return mark + edited(bytes, edits).toString('utf8');
    },
  };
}

function membersAt(plain: Buffer, path: readonly string[]): Member[] {
  let at: ReadonlyMap<string, Member> | null = membersOf(plain);
  for (const key of path) {
    const next = at?.get(key);
    at = next === undefined ? null : membersOf(plain, next.value);
  }
  return [...(at?.values() ?? [])];
}

function readEntry(plain: Buffer, { key, value }: Member, client: ClientFormat): Entry {
  const read = valueIn(plain, value) as Record<string, unknown> | null;
  const { command, args } = (read ?? {}) as { command?: unknown; args?: unknown };
  const env = read?.[client.env];
  const words =
    client.command === 'list' ? command : typeof command === 'string' ? [command, ...list(args)] : [];
  const named = isObject(env) ? Object.keys(env) : [];
  return { name: key, command: list(words), env: typeof read?.envFile === 'string' ? null : named };
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

/** Each byte is looked at once, whatever the file holds. */
function withoutComments(bytes: Buffer): Buffer {
  const plain = Buffer.from(bytes);
  /** A comma behind which only blanks have come so far. */
  let comma = -1;
  for (let at = 0; at < plain.length; ) {
    const end = commentEnd(plain, at);
    if (end > at) {
      for (let i = at; i < end; i++) if (plain[i] !== LF && plain[i] !== CR) plain[i] = SPACE;
      at = end;
      continue;
    }
    const byte = plain[at] ?? 0;
    if (comma !== -1 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) plain[comma] = SPACE;
    if (byte === COMMA) comma = at;
    else if (byte > SPACE) comma = -1;
    at = byte === QUOTE ? stringEnd(plain, at) : at + 1;
  }
  return plain;
}

const [LF, CR, SPACE, QUOTE, STAR, COMMA, SLASH] = [0x0a, 0x0d, 0x20, 0x22, 0x2a, 0x2c, 0x2f];
const [CLOSE_LIST, BACKSLASH, CLOSE_OBJECT] = [0x5d, 0x5c, 0x7d];

/** Where the comment ends that begins here; the same place if none does. */
function commentEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== SLASH) return at;
  if (bytes[at + 1] === SLASH) {
    let end = at;
    while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end++;
    return end;
  }
  if (bytes[at + 1] !== STAR) return at;
  const close = bytes.indexOf('*/', at + 2);
  return close === -1 ? bytes.length : close + 2;
}

/** Behind the closing quote; the end of the file if it has none. */
function stringEnd(bytes: Buffer, at: number): number {
  for (let end = at + 1; end < bytes.length; end++) {
    if (bytes[end] === BACKSLASH) end++;
    else if (bytes[end] === QUOTE) return end + 1;
  }
  return bytes.length;
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
