/**
 * Small changes to JSON that is there as bytes: what is not changed stays as it was written, byte
 * for byte. Positions are bytes.
 */
import { JsonScan, type TreeSink, type TreeToken } from '@spillway/core/plugin';

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

/** The members of an object; of keys that come twice, the last. Null if it is no object. */
export function membersOf(bytes: Uint8Array, at: ByteRange = whole(bytes)): Members | null {
  const children = childrenOf(bytes, at, 0x7b);
  return children === null ? null : new Map(children.map((member) => [member.key, member]));
}

/** The elements of an array; null if it is no array. */
export function elementsOf(bytes: Uint8Array, at: ByteRange = whole(bytes)): readonly ByteRange[] | null {
  return childrenOf(bytes, at, 0x5b)?.map(({ value }) => value) ?? null;
}

/** What a container holds, if it begins with this bracket. */
function childrenOf(bytes: Uint8Array, at: ByteRange, bracket: number): readonly Member[] | null {
  const from = skipSpace(bytes, at.start, 1);
  if (bytes[from] !== bracket) return null;
  const found: Member[] = [];
  const scan = scanChildren(bytes.subarray(from, at.end), ({ key, whole, value }) => {
    const moved = ({ start, end }: ByteRange) => ({ start: from + start, end: from + end });
    found.push({ key, whole: moved(whole), value: moved(value) });
  });
  scan.finish();
  return scan.failure === null ? found : null;
}

/** Tells of each child of the container that the bytes begin with. */
function scanChildren(bytes: Uint8Array, tell: (child: Member) => void): JsonScan {
  let open = { key: '', start: 0, keyAt: 0 };
  const begin = (token: TreeToken) => {
    const { start, keyBytes, keyAt } = token;
    open = { key: keyOf(token), start, keyAt: keyBytes === 0 ? start : keyAt };
  };
  const end = ({ end: to }: TreeToken) =>
    tell({ key: open.key, whole: { start: open.keyAt, end: to }, value: { start: open.start, end: to } });
  const sink: TreeSink = {
    open: (token) => scan.depth === 1 && begin(token),
    close: (token) => scan.depth === 1 && end(token),
    leaf(token) {
      if (scan.depth !== 1) return;
      begin(token);
      end(token);
    },
  };
  const scan = new JsonScan(sink, 'one', Number.POSITIVE_INFINITY);
  scan.push(bytes);
  return scan;
}

export function keyOf(token: Pick<TreeToken, 'key'>): string {
  const key = Buffer.from(token.key()).toString('utf8');
  return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key;
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

function whole(bytes: Uint8Array): ByteRange {
  return { start: 0, end: bytes.length };
}
