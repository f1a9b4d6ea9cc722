/**
 * JSON as a tree, a level at a time: the children of one value, each with its place in the part. The
 * page tells from the places which of them the model was shown.
 */
import type { OutputRecord, Spillway } from '@spillway/core';
import type { PartRecord } from '@spillway/core/plugin';
import { scanChildren } from '../gateway/json-edit.ts';
import type { ApiRequest } from './api-request.ts';
import type { Inspected } from './inspected.ts';
import { Problem } from './problem.ts';

const MOST_CHARS = 16 * 1024 * 1024;
const PAGE = 200;
const CLIP = 160;

interface Child {
  readonly key: string | number;
  readonly kind: ReturnType<typeof kindOf>;
  readonly text: string;
  readonly first_char: number;
  readonly last_char: number;
}

/** The text that was read last: a person opens one level after the other. */
let last = { key: '', text: '' };

export async function startsAsJson(
  spillway: Spillway,
  record: OutputRecord,
  { index, kind, chars }: PartRecord,
): Promise<boolean> {
  if (kind === 'binary' || chars < 2 || chars > MOST_CHARS) return false;
  return /^\s*[[{]/.test(await spillway.reader.chars(record, { part: index, from: 1, chars: 64 }));
}

export async function showTree(inspected: Inspected, request: ApiRequest) {
  const { record, spillway } = await inspected.find(request.id);
  const [part, { signal }] = [request.part(), request];
  const key = `${record.id} ${part}`;
  if (last.key !== key)
    last = {
      key,
      text: checked(await spillway.reader.chars(record, { part, from: 1, chars: MOST_CHARS + 1, signal })),
    };
  const { text } = last;
  const at = request.number('at', 1, text.length) ?? text.search(/\S/) + 1;
  const after = request.number('after', 0, 1e9) ?? 0;
  const children = childrenOf(text, at - 1);
  const page = children.slice(after, after + PAGE);
  return { children: page, more: children.length > after + PAGE };
}

function checked(text: string): string {
  if (text.length > MOST_CHARS)
    throw new Problem('too_large', 'It is too large for a tree: read it by lines.');
  try {
    JSON.parse(text);
    return text;
  } catch {
    // The words of the parser would quote the text.
    throw new Problem('invalid_argument', 'This is not valid JSON, so it has no tree.');
  }
}

/** The children of the value at an offset. The text is known to be valid. */
function childrenOf(text: string, at: number) {
  const isObject = text[at] === '{';
  if (!isObject && text[at] !== '[') return [];
  const bytes = Buffer.from(text.slice(at));
  const children: Child[] = [];
  const last = { bytes: 0, chars: at };
  const charAt = (place: number) => {
    last.chars += bytes.toString('utf8', last.bytes, place).length;
    last.bytes = place;
    return last.chars;
  };
  scanChildren(bytes, ({ key, value }) => {
    const [from, end] = [charAt(value.start), charAt(value.end)];
    const shown = text.slice(from, Math.min(end, from + CLIP)).toWellFormed();
    const name = isObject ? key : children.length;
    children.push({ key: name, kind: kindOf(text[from]), text: shown, first_char: from + 1, last_char: end });
  });
  return children;
}

function kindOf(first: string | undefined) {
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  return first === 't' || first === 'f' || first === 'n' ? 'literal' : 'number';
}
