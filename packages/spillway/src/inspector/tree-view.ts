/**
 * JSON as a tree, a level at a time: the children of one value, each with its place in the part. The
 * page tells from the places which of them the model was shown.
 */
import type { OutputRecord, Spillway } from '@spillway/core';
import type { PartRecord } from '@spillway/core/plugin';
import type { ApiRequest } from './api-request.ts';
import type { Inspected } from './inspected.ts';
import { Problem } from './problem.ts';

const MOST_CHARS = 16 * 1024 * 1024;
const PAGE = 200;
const CLIP = 160;

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
  const at = request.number('at', 1, text.length) ?? behindSpace(text, 0) + 1;
  const after = request.number('after', 0, 1e9) ?? 0;
  const children = [...childrenOf(text, at - 1, after + PAGE + 1)];
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
function* childrenOf(text: string, at: number, most: number) {
  const isObject = text[at] === '{';
  if (!isObject && text[at] !== '[') return;
  let from = behindSpace(text, at + 1);
  for (let index = 0; index < most && text[from] !== '}' && text[from] !== ']'; index++) {
    let key: string | number = index;
    if (isObject) {
      const end = behindString(text, from);
      key = JSON.parse(text.slice(from, end)) as string;
      from = behindSpace(text, behindSpace(text, end) + 1);
    }
    const end = behindValue(text, from);
    const shown = text.slice(from, Math.min(end, from + CLIP)).toWellFormed();
    yield { key, kind: kindOf(text[from]), text: shown, first_char: from + 1, last_char: end };
    from = behindSpace(text, end);
    if (text[from] === ',') from = behindSpace(text, from + 1);
  }
}

function kindOf(first: string | undefined) {
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  return first === 't' || first === 'f' || first === 'n' ? 'literal' : 'number';
}

function behindValue(text: string, at: number): number {
  if (text[at] === '"') return behindString(text, at);
  let [depth, i] = [0, at];
  for (; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') i = behindString(text, i) - 1;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) break;
      depth--;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (char === ',' || char <= ' ')) break;
  }
  return i;
}

function behindString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function behindSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && (text[i] as string) <= ' ') i++;
  return i;
}
