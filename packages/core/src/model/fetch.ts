/**
 * How a caller fetches more of an artifact, and how that call is spelled in notices and pages. Only what the caller really has is
 * named: a model's tool, a command, or nothing.
 */
import type { ArtifactId } from './artifact.ts';
import { isShown, type PartRecord } from './part.ts';

/** What the reader of a projection has to fetch more with. */
export type FetchHint =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'command'; readonly program: string }
  | { readonly kind: 'none' };

/** A place in an artifact: 1-based and inclusive. `part` is left out where there is only one. */
export interface FetchAddress {
  readonly part?: string;
  readonly lines?: readonly [first: number, last: number];
  readonly chars?: readonly [first: number, last: number];
  readonly pattern?: string;
  readonly context?: number;
  readonly jsonPath?: string;
  readonly rows?: readonly [first: number, last: number];
  readonly file?: string;
  readonly xmlPath?: string;
  readonly cursor?: string;
}

export function fetchCall(hint: FetchHint, id: ArtifactId, address: FetchAddress): string | null {
  if (hint.kind === 'none') return null;
  const given = Object.entries({
    part: address.part,
    lines: address.lines?.join('-'),
    chars: address.chars?.join('-'),
    pattern: address.pattern,
    context: address.context,
    json_path: address.jsonPath,
    rows: address.rows?.join('-'),
    file: address.file,
    xml_path: address.xmlPath,
    cursor: address.cursor,
  }).filter(([, value]) => value !== undefined);
  if (hint.kind === 'tool') return spellCall(hint.name, { artifact_id: id, ...Object.fromEntries(given) });
  const flags = given.map(
    ([name, value]) =>
      `--${name === 'pattern' ? 'grep' : name.replace('_', '-')} ${shellWord(String(value))}`,
  );
  return [`${hint.program} artifacts show ${id}`, ...flags].join(' ');
}

/** A tool call as a model would write it. */
export function spellCall(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${tool}(${Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')})`;
}

function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Longer names cost more than they tell. */
const MOST_NAME_CHARS = 60;

/** The content parts that hold text, in order: what a retrieval reads. One that only repeats another is read when it is named. */
export function readableParts(parts: readonly PartRecord[]): PartRecord[] {
  return parts.filter((part) => isShown(part) && part.kind !== 'binary');
}

/** How a part is named in a call: not at all if no other has content, by its name where that is enough and plain, else by its number. */
export function partAddress(parts: readonly PartRecord[], index: number): string | undefined {
  const readable = readableParts(parts);
  if (readable.filter((part) => part.bytes > 0).length < 2) return undefined;
  const place = readable.findIndex((part) => part.index === index);
  const name = readable[place]?.name ?? '';
  const unique = readable.filter((part) => part.name === name).length === 1;
  const plain = name.length <= MOST_NAME_CHARS && !/^\d+$|\p{C}/u.test(name);
  return unique && plain ? name : String(place + 1);
}
