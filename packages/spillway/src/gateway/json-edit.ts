/**
 * Small changes to JSON that is there as bytes: what is not changed stays as it was written, byte
 * for byte. Positions are bytes.
 */
import type { TreeToken } from '@spillway/core/plugin';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: string;
  readonly whole: ByteRange;
  readonly value: ByteRange;
}

export type Members = ReadonlyMap<string, Member>;

export interface Edit extends ByteRange {
  readonly by: string | Uint8Array;
}

/**
 * The members of an object; of keys that come twice, the last. Null if it is no object. What lies at
 * `at` is known to be JSON; bytes as a whole are checked.
 */
export function membersOf(bytes: Uint8Array, at?: ByteRange): Members | null {
  const children = childrenOf(bytes, at, OPEN.object);
  return children === null ? null : new Map(children.map((member) => [member.key, member]));
}

/** The elements of an array, likewise. */
export function elementsOf(bytes: Uint8Array, at?: ByteRange): readonly ByteRange[] | null {
  return childrenOf(bytes, at, OPEN.array)?.map(({ value }) => value) ?? null;
}

const OPEN = { object: 0x7b, array: 0x5b };
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** What a container holds, if it begins with this bracket. */
function childrenOf(bytes: Uint8Array, at: ByteRange | undefined, bracket: number): readonly Member[] | null {
  const open = skipSpace(bytes, at?.start ?? 0, 1);
  if (bytes[open] !== bracket || (at === undefined && !isJson(bytes))) return null;
  const found: Member[] = [];
  for (let start = skipSpace(bytes, open + 1, 1); bytes[start] !== closing(bracket); ) {
    const keyEnd = bracket === OPEN.object ? endOfValue(bytes, start) : start;
    const key = bracket === OPEN.object ? nameIn(bytes, start + 1, keyEnd - 1) : '';
    const from = bracket === OPEN.object ? skipSpace(bytes, skipSpace(bytes, keyEnd, 1) + 1, 1) : start;
    const end = endOfValue(bytes, from);
    found.push({ key, whole: { start, end }, value: { start: from, end } });
    const next = skipSpace(bytes, end, 1);
    start = bytes[next] === COMMA ? skipSpace(bytes, next + 1, 1) : next;
  }
  return found;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    // A char for each byte: what is no UTF-8 inside of strings is left to others.
    JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
    return true;
  } catch {
    return false;
  }
}

function closing(bracket: number): number {
  return bracket + 2;
}

function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start);
  let at = start;
  if (first !== OPEN.object && first !== OPEN.array) {
    while (!isBehindValue(bytes[at])) at++;
    return at;
  }
  for (let depth = 0; ; ) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN.object || byte === OPEN.array) depth++;
    else if (byte === closing(OPEN.object) || byte === closing(OPEN.array)) depth--;
    at++;
    if (depth === 0) return at;
  }
}

function isBehindValue(byte = COMMA): boolean {
  return byte <= 0x20 || byte === COMMA || byte === closing(OPEN.object) || byte === closing(OPEN.array);
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); ; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = at - 1;
    while (bytes[escapes] === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 1) return at + 1;
  }
}

export function keyOf(token: Pick<TreeToken, 'key'>): string {
  const key = token.key();
  return nameIn(key, 0, key.length);
}

function nameIn(bytes: Uint8Array, start: number, end: number): string {
  const name = textIn(bytes, { start, end });
  return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

/** Ranges must not overlap. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, by } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(bytes.subarray(at, start), typeof by === 'string' ? Buffer.from(by) : by);
    at = end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

export function withoutMember(bytes: Uint8Array, { whole: { start, end } }: Member): Edit {
  const next = skipSpace(bytes, end, 1);
  if (bytes[next] === 0x2c) return { start, end: skipSpace(bytes, next + 1, 1), by: '' };
  const before = skipSpace(bytes, start - 1, -1);
  return bytes[before] === 0x2c ? { start: before, end, by: '' } : { start, end, by: '' };
}

export function addedMember(bytes: Uint8Array, object: ByteRange, key: string, json: string): Edit {
  return addedElement(bytes, object, `${JSON.stringify(key)}:${json}`);
}

/** Decodes a range. Not for numbers that must stay exact. */
export function valueIn(bytes: Uint8Array, { start, end }: ByteRange): unknown {
  return JSON.parse(textIn(bytes, { start, end }));
}

export function textIn(bytes: Uint8Array, { start, end }: ByteRange): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

export function stringIn(bytes: Uint8Array, member: Member | undefined): string | undefined {
  if (member === undefined || bytes[member.value.start] !== 0x22) return undefined;
  return valueIn(bytes, member.value) as string;
}

export function addedElement(bytes: Uint8Array, container: ByteRange, json: string): Edit {
  const close = skipSpace(bytes, container.end - 1, -1);
  const last = skipSpace(bytes, close - 1, -1);
  const empty = bytes[last] === 0x7b || bytes[last] === 0x5b;
  return { start: close, end: close, by: empty ? json : `,${json}` };
}

function skipSpace(bytes: Uint8Array, from: number, step: 1 | -1): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += step;
  return at;
}
