/**
 * Servers in a JSON file with comments. Only the members that start a server are changed; comments,
 * order and layout stay. Comments and commas before a bracket are blanked out for reading, so that
 * places in what is read are places in the file.
 */
import { SpillwayError } from '@spillway/core';
import { withoutComments } from '../json-comments.ts';
import { addedMember, type Edit, edited, type Member, membersOf, valueIn } from '../json-edit.ts';
import type { ClientFormat } from './clients.ts';
import { type Changed, type Entry, isSameKind, readEntry, rewritten } from './entry.ts';

export interface ConfigEntries {
  readonly entries: readonly Entry[];
  /** All that is written of an entry. */
  read(entry: Entry): unknown;
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
      .map((member) => [readEntry(member.key, valueIn(plain, member.value), client), member]),
  );
  return {
    entries: [...found.keys()],
    read(entry) {
      const member = found.get(entry);
      return member === undefined ? {} : valueIn(plain, member.value);
    },
    with(changes) {
      const edits = [...changes].flatMap(([entry, changed]) => {
        const member = found.get(entry);
        if (member === undefined) return [];
        return isSameKind(entry, changed)
          ? entryEdits(plain, member, changed, client)
          : [
              {
                ...member.value,
                by: laidOut(plain, member, rewritten(valueIn(plain, member.value), changed, client)),
              },
            ];
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
  const inner = former.slice(1, -1);
  const before = /^\s*/.exec(inner)?.[0] ?? '';
  const after = inner.trim() === '' ? '' : inner.slice(inner.trimEnd().length);
  const isCompact = /^\["(?:[^"\\]|\\.)*",\S/.test(former);
  const between = before.includes('\n') ? before : isCompact ? '' : ' ';
  const written = elements.map((element) => JSON.stringify(element));
  return `[${before}${written.join(`,${between}`)}${after}]`;
}

/** An object over several lines where the former one was, indented as its surroundings. */
function laidOut(plain: Buffer, { whole, value }: Member, entry: object): string {
  const text = plain.toString('utf8', value.start, value.end);
  const inner = /\n([ \t]*)\S/.exec(text)?.[1];
  if (inner === undefined) return JSON.stringify(entry);
  const before = plain.toString('utf8', 0, whole.start);
  const outer = before.slice(before.trimEnd().length).split('\n').at(-1) ?? '';
  const step = inner.slice(outer.length) || '  ';
  return JSON.stringify(entry, null, step).replaceAll('\n', `\n${outer}`);
}
