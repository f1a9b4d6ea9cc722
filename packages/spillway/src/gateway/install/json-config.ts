/**
 * Servers in a JSON file with comments. Only the members that start a server are changed; comments,
 * order and layout stay. Comments and commas before a bracket are blanked out for reading, so that
 * places in what is read are places in the file.
 */
import { SpillwayError } from '@spillway/core';
import { withoutComments } from '../json-comments.ts';
import { addedMember, type Edit, edited, type Member, membersOf, valueIn } from '../json-edit.ts';
import type { ClientFormat } from './clients.ts';
import type { Changed, Entry } from './entry.ts';

export interface ConfigEntries {
  readonly entries: readonly Entry[];
  /** The text with some entries changed. */
  with(changes: ReadonlyMap<Entry, Changed>): string;
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
  if (membersOf(plain) === null) throw new SpillwayError('invalid_argument', 'it is not valid JSON');
  const found = new Map(
    [[client.key], ...(inside === null ? [] : [inside])]
      .flatMap((path) => membersAt(plain, path))
      .map((member) => [readEntry(plain, member, client), member]),
  );
  return {
    entries: [...found.keys()],
    with(changes) {
      const edits = [...changes].flatMap(([entry, changed]) => {
        const member = found.get(entry);
        return member === undefined ? [] : entryEdits(plain, member, changed, client);
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
  const read = valueIn(plain, value);
  const entry = isObject(read) ? read : {};
  const { command, args } = entry;
  const words =
    client.command === 'list' ? command : typeof command === 'string' ? [command, ...list(args)] : [];
  const tools = client.tools === undefined ? undefined : entry[client.tools];
  return { name: key, command: list(words), tools: Array.isArray(tools) ? list(tools) : null };
}

function entryEdits(
  plain: Buffer,
  { value }: Member,
  { command, tools }: Changed,
  client: ClientFormat,
): Edit[] {
  const members = membersOf(plain, value);
  const [program, ...args] = command;
  const written = client.command === 'list' ? command : program;
  const edits: Edit[] = [];
  const put = (key: string, given: string | readonly string[] | undefined) => {
    const member = members?.get(key);
    const former = member === undefined ? '[]' : plain.toString('utf8', member.value.start, member.value.end);
    const json = typeof given === 'object' ? laidOutAs(former, given) : JSON.stringify(given);
    edits.push(member === undefined ? addedMember(plain, value, key, json) : { ...member.value, by: json });
  };
  put('command', written);
  if (client.command === 'apart') put('args', args);
  if (tools !== null && client.tools !== undefined) put(client.tools, tools);
  return edits;
}

/** A list with the layout of a former one: a line for each element, or all on one line. */
function laidOutAs(former: string, elements: readonly string[]): string {
  const [, before = '', after = ''] = /^\[(\s*)[\s\S]*?(\s*)\]$/.exec(former) ?? [];
  const isCompact = /^\["(?:[^"\\]|\\.)*",\S/.test(former);
  const between = before.includes('\n') ? before : isCompact ? '' : ' ';
  const written = elements.map((element) => JSON.stringify(element));
  return `[${before}${written.join(`,${between}`)}${after}]`;
}

export function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
