/**
 * Small changes to JSON that is there as bytes: what is not changed stays as it was written, byte
 * for byte. Everything works on valid JSON (json-reader.ts checks it first); positions are bytes.
 */
import { JsonReader } from './json-reader.ts';

/** A range of bytes: `start` inclusive, `end` exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. */
export interface Member {
  readonly key: string;
  /** From the key's quote to the end of the value. */
  readonly whole: ByteRange;
  readonly value: ByteRange;
}

/** A range to be replaced. */
export interface Edit extends ByteRange {
  readonly by: string | Uint8Array;
}

/** The members of an object; of keys that come twice, the last. Null if it is no object. */
export function membersOf(
  bytes: Uint8Array,
  at: ByteRange = whole(bytes),
): ReadonlyMap<string, Member> | null {
  const object = trimmed(bytes, at);
  if (bytes[object.start] !== 0x7b) return null;
  const found = new Map<string, Member>();
  let start = 0;
  const reader = new JsonReader({
    begin(_kind, depth, position) {
      if (depth === 1) start = object.start + position;
    },
    end(_kind, depth, position) {
      if (depth !== 1) return;
      const value = { start, end: object.start + position };
      found.set(reader.keyAt(1), {
        key: reader.keyAt(1),
        value,
        whole: { start: keyStart(bytes, start), end: value.end },
      });
    },
  });
  reader.push(bytes.subarray(object.start, object.end));
  return reader.done ? found : null;
}

/** The elements of an array; null if it is no array. */
export function elementsOf(bytes: Uint8Array, at: ByteRange = whole(bytes)): readonly ByteRange[] | null {
  const array = trimmed(bytes, at);
  if (bytes[array.start] !== 0x5b) return null;
  const found: ByteRange[] = [];
  let start = 0;
  const reader = new JsonReader({
    begin(_kind, depth, position) {
      if (depth === 1) start = array.start + position;
    },
    end(_kind, depth, position) {
      if (depth === 1) found.push({ start, end: array.start + position });
    },
  });
  reader.push(bytes.subarray(array.start, array.end));
  return reader.done ? found : null;
}

/** The bytes with ranges replaced; they may not overlap. */
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

/** Takes a member out, with its comma. */
export function withoutMember(bytes: Uint8Array, { whole: { start, end } }: Member): Edit {
  const next = skipSpace(bytes, end, 1);
  if (bytes[next] === 0x2c) return { start, end: skipSpace(bytes, next + 1, 1), by: '' };
  const before = skipSpace(bytes, start - 1, -1);
  return bytes[before] === 0x2c ? { start: before, end, by: '' } : { start, end, by: '' };
}

/** Takes an element out of an array, with its comma. */
export function withoutElement(bytes: Uint8Array, element: ByteRange): Edit {
  return withoutMember(bytes, { key: '', whole: element, value: element });
}

/** Puts a member at the end of an object. */
export function addedMember(bytes: Uint8Array, object: ByteRange, key: string, json: string): Edit {
  return addedBefore(bytes, object, `${JSON.stringify(key)}:${json}`);
}

/** Puts an element at the end of an array. */
export function addedElement(bytes: Uint8Array, array: ByteRange, json: string): Edit {
  return addedBefore(bytes, array, json);
}

/**
 * What a range says, decoded. Numbers become JavaScript numbers: not for what must stay exact.
 */
export function valueIn(bytes: Uint8Array, { start, end }: ByteRange): unknown {
  return JSON.parse(textIn(bytes, { start, end }));
}

/** The text of a range as it is written. */
export function textIn(bytes: Uint8Array, { start, end }: ByteRange): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** The string in a member, or undefined if it is none. */
export function stringIn(bytes: Uint8Array, member: Member | undefined): string | undefined {
  if (member === undefined || bytes[member.value.start] !== 0x22) return undefined;
  return valueIn(bytes, member.value) as string;
}

function addedBefore(bytes: Uint8Array, container: ByteRange, json: string): Edit {
  const close = skipSpace(bytes, container.end - 1, -1);
  const last = skipSpace(bytes, close - 1, -1);
  const empty = bytes[last] === 0x7b || bytes[last] === 0x5b;
  return { start: close, end: close, by: empty ? json : `,${json}` };
}

/** Back from a value over colon and space to the quote that opens its key. */
function keyStart(bytes: Uint8Array, value: number): number {
  const colon = skipSpace(bytes, value - 1, -1);
  let quote = skipSpace(bytes, colon - 1, -1) - 1;
  for (; ; quote--) {
    if (bytes[quote] !== 0x22) continue;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote;
  }
}

function skipSpace(bytes: Uint8Array, from: number, step: 1 | -1): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += step;
  return at;
}

function trimmed(bytes: Uint8Array, { start, end }: ByteRange): ByteRange {
  return { start: skipSpace(bytes, start, 1), end };
}

function whole(bytes: Uint8Array): ByteRange {
  return { start: 0, end: bytes.length };
}
