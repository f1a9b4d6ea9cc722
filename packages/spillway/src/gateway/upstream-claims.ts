/**
 * Removes claims of an upstream in our name: members of any `_meta` that begin with `spillway/`
 * move under `spillway/upstream`, so a client does not take them for ours. The message is stored as
 * it came.
 */
import {
  type ByteRange,
  type Edit,
  edited,
  elementsOf,
  type Member,
  membersOf,
  textIn,
} from './json-edit.ts';

const OURS = /^spillway\//;
const UPSTREAM = 'spillway/upstream';
/** A `_meta` in there is data of the tool. */
const DATA = new Set(['structuredContent', 'arguments', 'inputSchema', 'outputSchema']);
const DEEPEST = 6;
const [OBJECT, ARRAY] = [0x7b, 0x5b];

export function withoutClaims(bytes: Buffer): Buffer {
  // A name may be written with escapes.
  if (!bytes.includes('spillway') && !bytes.includes('\\u')) return bytes;
  const edits = [...claimsIn(bytes, undefined, 0)];
  return edits.length === 0 ? bytes : edited(bytes, edits);
}

function* claimsIn(bytes: Buffer, at: ByteRange | undefined, depth: number): Generator<Edit> {
  if (depth > DEEPEST) return;
  for (const { key, value } of membersOf(bytes, at)?.values() ?? []) {
    if (key === '_meta') yield* movedClaims(bytes, value);
    else if (!DATA.has(key)) yield* claimsBelow(bytes, value, depth);
  }
}

function* claimsBelow(bytes: Buffer, value: ByteRange, depth: number): Generator<Edit> {
  const first = bytes[value.start];
  if (first === OBJECT) yield* claimsIn(bytes, value, depth + 1);
  if (first !== ARRAY) return;
  for (const element of elementsOf(bytes, value) ?? []) yield* claimsBelow(bytes, element, depth + 1);
}

function* movedClaims(bytes: Buffer, meta: ByteRange): Generator<Edit> {
  const all = [...(membersOf(bytes, meta)?.values() ?? [])];
  const claims = all.filter(({ key }) => OURS.test(key));
  if (claims.length === 0) return;
  const written = (list: readonly Member[]): string[] => list.map(({ whole }) => textIn(bytes, whole));
  const others = written(all.filter((member) => !claims.includes(member)));
  const moved = `"${UPSTREAM}":{${written(claims).join(',')}}`;
  yield { ...meta, by: `{${[...others, moved].join(',')}}` };
}
