/**
 * What an upstream says under names that are ours: members of `_meta` that begin with `spillway/`. A client would take them for
 * the gateway's own, so they move, as they were written, under `spillway/upstream`. What is stored is the message as it came.
 */
import { type Edit, edited, elementsOf, type Member, membersOf, textIn } from './json-edit.ts';

const OURS = /^spillway\//;
const UPSTREAM = 'spillway/upstream';

/** The message of a result without claims of the upstream; itself if there are none. */
export function withoutClaims(bytes: Buffer): Buffer {
  if (!mayClaim(bytes)) return bytes;
  const result = membersOf(bytes)?.get('result')?.value;
  const members = result === undefined ? null : membersOf(bytes, result);
  if (members === null) return bytes;
  const content = members.get('content')?.value;
  const blocks = content === undefined ? [] : (elementsOf(bytes, content) ?? []);
  const metas = [members, ...blocks.map((block) => membersOf(bytes, block))].map((one) => one?.get('_meta'));
  const edits = metas.flatMap((meta) => movedClaims(bytes, meta) ?? []);
  return edits.length === 0 ? bytes : edited(bytes, edits);
}

/** The same for one block. */
export function blockWithoutClaims(json: string): string {
  const bytes = Buffer.from(json);
  if (!mayClaim(bytes)) return json;
  const edit = movedClaims(bytes, membersOf(bytes)?.get('_meta'));
  return edit === null ? json : edited(bytes, [edit]).toString();
}

/** A name may be written with escapes. */
function mayClaim(bytes: Buffer): boolean {
  return bytes.includes('spillway') || bytes.includes('\\u');
}

function movedClaims(bytes: Buffer, meta: Member | undefined): Edit | null {
  const members = meta === undefined ? null : membersOf(bytes, meta.value);
  if (meta === undefined || members === null) return null;
  const all = [...members.values()];
  const claims = all.filter(({ key }) => OURS.test(key));
  if (claims.length === 0) return null;
  const written = (list: readonly Member[]): string[] => list.map(({ whole }) => textIn(bytes, whole));
  const others = written(all.filter((member) => !claims.includes(member)));
  const moved = `"${UPSTREAM}":{${written(claims).join(',')}}`;
  return { ...meta.value, by: `{${[...others, moved].join(',')}}` };
}
