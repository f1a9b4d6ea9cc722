/**
 * Texts a model reads that are not results of calls: task results in `tasks/get` and
 * `notifications/tasks`, contents of `resources/read`, messages of `prompts/get`. Each is written
 * as a tool result, bounded by tool-results.ts, and put back in its place.
 */
import {
  addedMember,
  type ByteRange,
  type Edit,
  edited,
  elementsOf,
  membersOf,
  stringIn,
  textIn,
} from './json-edit.ts';
import type { Message } from './message.ts';
import { PROJECTION_KEY } from './wording.ts';

export interface InnerResult {
  readonly asResult: Buffer;
  with(answer: Buffer): Buffer;
}

export const BOUNDED_METHODS: ReadonlySet<string> = new Set(['tasks/get', 'resources/read', 'prompts/get']);

/** Null if there is nothing to bound. */
export function innerResult(method: string, message: Message): InnerResult | null {
  if (method === 'notifications/tasks') return ofTask(message, message.params.get('result')?.value);
  if (method === 'tasks/get') return ofTask(message, message.result.get('result')?.value);
  if (method === 'resources/read') return inList(message, 'contents', RESOURCE);
  return method === 'prompts/get' ? inList(message, 'messages', PROMPT) : null;
}

function ofTask({ bytes }: Message, result: ByteRange | undefined): InnerResult | null {
  if (result === undefined || membersOf(bytes, result) === null) return null;
  return {
    asResult: asResult(textIn(bytes, result)),
    with: (answer) => edited(bytes, [{ ...result, by: resultIn(answer) }]),
  };
}

function asResult(json: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":0,"result":${json}}`);
}

function resultIn(answer: Buffer): string {
  const result = membersOf(answer)?.get('result');
  return result === undefined ? '{}' : textIn(answer, result.value);
}

interface ListShape {
  block(bytes: Buffer, element: ByteRange): string | null;
  element(answer: Buffer, block: ByteRange, former: string | undefined, artifact: string | undefined): string;
}

const RESOURCE: ListShape = {
  block: (bytes, element) => `{"type":"resource","resource":${textIn(bytes, element)}}`,
  element(answer, block, _former, artifact) {
    const members = membersOf(answer, block);
    const resource = members?.get('resource');
    if (resource !== undefined) return textIn(answer, resource.value);
    const text = stringIn(answer, members?.get('text')) ?? '';
    return JSON.stringify({ uri: `artifact://${artifact ?? ''}`, mimeType: 'text/plain', text });
  },
};

const PROMPT: ListShape = {
  block(bytes, element) {
    const content = membersOf(bytes, element)?.get('content');
    return content === undefined || membersOf(bytes, content.value) === null
      ? null
      : textIn(bytes, content.value);
  },
  /** The role stays; a notice gets the role of the last message. */
  element(answer, block, former) {
    const message = Buffer.from(former ?? '{}');
    const content = membersOf(message)?.get('content');
    const by = textIn(answer, block);
    return content === undefined
      ? `{"role":"user","content":${by}}`
      : edited(message, [{ ...content.value, by }]).toString();
  },
};

function inList({ bytes, members, result }: Message, key: string, shape: ListShape): InnerResult | null {
  const list = result.get(key);
  const elements = list === undefined ? null : elementsOf(bytes, list.value);
  const whole = members.get('result');
  if (list === undefined || elements === null || whole === undefined) return null;
  const blocks = elements.map((element) => shape.block(bytes, element));
  if (blocks.length === 0 || blocks.includes(null)) return null;
  return {
    asResult: asResult(`{"content":[${blocks.join(',')}]}`),
    with(answer) {
      const answered = membersOf(answer)?.get('result');
      const given = answered === undefined ? null : membersOf(answer, answered.value);
      const facts = factsIn(answer, given?.get('_meta')?.value);
      const shown = (elementsOf(answer, given?.get('content')?.value) ?? []).filter(
        (block) => !isLinkTo(facts.artifact, answer, block),
      );
      const last = elements.length - 1;
      const written = shown.map((block, at) => {
        const former = elements[Math.min(at, last)];
        return shape.element(answer, block, former && textIn(bytes, former), facts.artifact);
      });
      const edits: Edit[] = [{ ...list.value, by: `[${written.join(',')}]` }];
      if (facts.json !== undefined) {
        const meta = result.get('_meta');
        if (meta === undefined)
          edits.push(addedMember(bytes, whole.value, '_meta', `{"${PROJECTION_KEY}":${facts.json}}`));
        else if (membersOf(bytes, meta.value) !== null)
          edits.push(addedMember(bytes, meta.value, PROJECTION_KEY, facts.json));
      }
      return edited(bytes, edits);
    },
  };
}

/** The notice already names what the link leads to. */
function isLinkTo(artifact: string | undefined, answer: Buffer, block: ByteRange): boolean {
  return stringIn(answer, membersOf(answer, block)?.get('uri')) === `artifact://${artifact}`;
}

function factsIn(
  answer: Buffer,
  meta: ByteRange | undefined,
): { readonly json?: string; readonly artifact?: string | undefined } {
  const facts = meta === undefined ? undefined : membersOf(answer, meta)?.get(PROJECTION_KEY)?.value;
  if (facts === undefined) return {};
  return {
    json: textIn(answer, facts),
    artifact: stringIn(answer, membersOf(answer, facts)?.get('artifact_id')),
  };
}
