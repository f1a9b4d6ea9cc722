/**
 * The answer to a call whose result was cut: the message as it came, with its blocks replaced by
 * those of the projection. Blocks that are not text and unknown members stay; structured content
 * goes unless a bounded form of it is given. `_meta` says what was cut, and a link leads to the
 * whole.
 */

import type { Projection, ProjectionMetadata } from '@spillway/core';
import type { ProjectedBlock } from '@spillway/core/plugin';
import { inSnakeCase } from '../fields.ts';
import {
  addedMember,
  type ByteRange,
  type Edit,
  edited,
  elementsOf,
  type Member,
  membersOf,
  textIn,
  withoutMember,
} from './json-edit.ts';
import type { AnswerRules } from './message.ts';
import type { Block } from './message-scan.ts';
import { bytesIn, frameOf, type ScannedResult } from './result-parts.ts';
import { ARTIFACT_WORDS, PROJECTION_KEY, RESULT } from './wording.ts';

export interface AnswerParts {
  readonly result: ScannedResult;
  readonly projection: Projection;
  /** Parts of the scan by their index in the output. */
  readonly scanned: ReadonlyMap<number, number>;
  readonly rules: AnswerRules;
  readonly storedBytes: number;
  readonly structured: { readonly json: string; readonly meta?: unknown } | null;
}

/** What goes beside the text, most useful first; left out if it costs more than it saves. */
const BESIDES = ['link and facts', 'facts', 'handle', 'nothing'] as const;
type Besides = (typeof BESIDES)[number];

/** `most`: the size of the original message. The answer must not be longer. */
export function answerWith(parts: AnswerParts, most: number | null): Buffer {
  let answer: Buffer = Buffer.alloc(0);
  for (const besides of BESIDES) {
    answer = answerBeside({ ...parts, besides });
    if (most === null || answer.length <= most) break;
  }
  return answer;
}

interface AnswerBeside extends AnswerParts {
  readonly besides: Besides;
}

function answerBeside(parts: AnswerBeside): Buffer {
  const came = withoutClaims(frameOf(parts.result));
  const frame = parts.structured === null ? withoutStructured(came) : came;
  const members = membersOf(frame);
  const result = members?.get('result')?.value;
  const error = members?.get('error')?.value;
  if (result !== undefined) return edited(frame, resultEdits(frame, result, parts));
  const message = error === undefined ? undefined : membersOf(frame, error)?.get('message');
  if (message === undefined) return frame;
  return edited(frame, [{ ...message.value, by: JSON.stringify(parts.projection.text) }]);
}

function withoutStructured(frame: Buffer): Buffer {
  const result = membersOf(frame)?.get('result')?.value;
  const structured = result === undefined ? undefined : membersOf(frame, result)?.get('structuredContent');
  return structured === undefined
    ? frame
    : withoutStructured(edited(frame, [withoutMember(frame, structured)]));
}

function resultEdits(frame: Buffer, result: { start: number; end: number }, parts: AnswerBeside): Edit[] {
  const members = membersOf(frame, result);
  if (members === null) return [{ ...result, by: `{"content":${contentJson(parts)}${metaMember(parts)}}` }];
  const content = members.get('content');
  const structured = members.get('structuredContent');
  const meta = members.get('_meta');
  const json = contentJson(parts);
  const edits: Edit[] = [];
  const added: string[] = [];
  if (content === undefined) added.push(`"content":${json}`);
  else edits.push({ ...content.value, by: json });
  if (structured !== undefined && parts.structured !== null)
    edits.push({ ...structured.value, by: parts.structured.json });
  if (parts.besides !== 'nothing') {
    if (meta !== undefined && frame[meta.value.start] === 0x7b)
      edits.push(addedMember(frame, meta.value, PROJECTION_KEY, JSON.stringify(factsOf(parts))));
    else added.push(`"_meta":${metaJson(parts)}`);
  }
  const at = result.start + 1;
  const rest = members.size === 0 ? '' : ',';
  if (added.length > 0) edits.push({ start: at, end: at, by: `${added.join(',')}${rest}` });
  return edits;
}

function contentJson(parts: AnswerBeside): string {
  return `[${contentOf(parts).join(',')}]`;
}

function metaMember(parts: AnswerBeside): string {
  return parts.besides === 'nothing' ? '' : `,"_meta":${metaJson(parts)}`;
}

function metaJson(parts: AnswerBeside): string {
  return JSON.stringify({ [PROJECTION_KEY]: factsOf(parts) });
}

function contentOf({ result, projection, scanned, rules, storedBytes, besides }: AnswerBeside): string[] {
  const byPart = new Map(result.scan.blocks.map((block) => [block.part, block]));
  // The tool's own text comes first, so that a program finds it in its usual place.
  const ours = (block: ProjectedBlock) => block.type === 'text' && block.part === undefined;
  const ordered = [...projection.blocks.filter((block) => !ours(block)), ...projection.blocks.filter(ours)];
  const blocks = ordered.map((block) => {
    const part = block.part === undefined ? undefined : scanned.get(block.part);
    return blockJson(block, part === undefined ? undefined : byPart.get(part), result);
  });
  const { artifact_id: id } = projection.metadata;
  if (id !== null && rules.links && besides === 'link and facts')
    blocks.push(JSON.stringify(linkTo(id, storedBytes)));
  return blocks;
}

function blockJson(block: ProjectedBlock, source: Block | undefined, result: ScannedResult): string {
  if (block.type === 'text') {
    if (source?.kind !== 'text' || source.around === null)
      return JSON.stringify({ type: 'text', text: block.text });
    const { before, after } = source.around;
    const body = JSON.stringify(block.text).slice(1, -1);
    return unclaimed(`${bytesIn(result, before)}${body}${bytesIn(result, after)}`);
  }
  if (source?.kind !== 'other') return JSON.stringify({ type: 'text', text: RESULT.partNotPassedOn(0) });
  if (source.inPlace) return unclaimed(bytesIn(result, source.at));
  const bytes = source.at.end - source.at.start;
  return JSON.stringify({ type: 'text', text: RESULT.partNotPassedOn(bytes) });
}

function unclaimed(json: string): string {
  return withoutClaims(Buffer.from(json)).toString();
}

function linkTo(id: string, size: number): Readonly<Record<string, unknown>> {
  return {
    type: 'resource_link',
    uri: `artifact://${id}`,
    name: ARTIFACT_WORDS.link,
    size,
  };
}

function factsOf({
  projection: { metadata },
  structured,
  besides,
}: AnswerBeside): Readonly<Record<string, unknown>> {
  if (besides === 'handle') return { artifact_id: metadata.artifact_id };
  const { omitted, ...facts }: ProjectionMetadata = metadata;
  return {
    ...(inSnakeCase(facts) as typeof facts),
    gaps: omitted.length,
    ...(structured?.meta === undefined ? {} : { structured: structured.meta }),
  };
}

// Removes claims of an upstream in our name: members of any `_meta` that begin with `spillway/`
// move under `spillway/upstream`, so a client does not take them for ours. The message is stored as
// it came.

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
