/**
 * Function responses of the Gemini API. A response is an object: `output` or `result` holds what
 * the function said, `error` what went wrong, and any other object is all output. Images stand
 * beside it, in `parts`.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import { shapeMediaType } from '../content.ts';
import { isError, type ResultBlock, type SentMedia, type SentPart, type SentResult } from '../message.ts';
import {
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  parsed,
  recordsOf,
  textField,
} from './json.ts';
import { onlyText, writeBlocks } from './results.ts';
import type { ImportedResult } from './shape.ts';

const NAME = 'google';
const OUTPUT = 'output';
const ERROR = 'error';
/** Fields that hold a result when they stand alone. */
const HOLDERS = [OUTPUT, 'result', ERROR];

/** Whether a call came without an id, so that its result has none either. */
export function isUnnamed(part: SentPart): boolean {
  return keptFor(NAME, part).$noId === true;
}

/** `open`: calls without an id, which answer in order. */
export function readResult(
  part: Fields,
  role: string,
  open: { readonly callId: string; readonly tool: string }[],
): ImportedResult {
  const answer = isRecord(part.functionResponse) ? part.functionResponse : {};
  const { id, name, response, parts, ...more } = answer;
  const tool = textField(answer, 'name');
  const { holder, value } = heldIn(response);
  const extra = {
    ...(holder === OUTPUT || holder === ERROR ? {} : { $holder: holder }),
    ...(typeof value === 'string' ? {} : { $json: true }),
    ...(response === undefined ? { $noResponse: true } : {}),
    ...(Array.isArray(parts) ? { $parts: true } : {}),
    ...(role === 'user' ? {} : { $role: role }),
    ...(Object.keys(more).length === 0 ? {} : { $answer: more }),
    ...(typeof id === 'string' ? {} : { $noId: true }),
    ...(name === undefined ? { $noName: true } : {}),
  };
  return {
    type: 'result',
    callId: typeof id === 'string' ? id : nextOpen(open, tool),
    tool,
    result: resultOf(value, parts),
    ...(holder === ERROR ? { outcome: { status: 'error' } as const } : {}),
    ...extrasOf(NAME, part, ['functionResponse'], extra),
  };
}

/** The one that asked the same function, or the first one. */
function nextOpen(open: { readonly callId: string; readonly tool: string }[], tool: string): string {
  const same = open.findIndex((call) => call.tool === tool);
  const [call] = open.splice(Math.max(0, same), 1);
  return call?.callId ?? '';
}

/** What a response holds, and under which field; null where all of it counts. */
function heldIn(response: unknown): { readonly holder: string | null; readonly value: unknown } {
  if (!isRecord(response)) return { holder: null, value: response ?? '' };
  const names = Object.keys(response);
  const [only = ''] = names;
  if (names.length === 1 && HOLDERS.includes(only)) return { holder: only, value: response[only] };
  return { holder: null, value: response };
}

function resultOf(value: unknown, parts: unknown): ToolResult {
  if (!Array.isArray(parts))
    return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'value', value };
  const first: ContentBlock =
    typeof value === 'string' ? { type: 'text', text: value } : { type: 'json', value };
  return { kind: 'blocks', blocks: [first, ...recordsOf(parts).map(blockOf)] };
}

function blockOf(part: Fields): ContentBlock {
  const { inlineData } = part;
  if (isRecord(inlineData) && Object.keys(part).length === 1 && Object.keys(inlineData).length === 2) {
    const { mimeType, data } = inlineData;
    if (typeof mimeType === 'string' && typeof data === 'string') return { type: 'image', data, mimeType };
  }
  return { type: 'other', json: jsonOf(part), mediaType: shapeMediaType(NAME) };
}

/** `unnamed`: its call has no id. */
export function writeResult(result: SentResult, unnamed: boolean): Fields {
  const kept = keptFor(NAME, result);
  const isOwn = (block: ResultBlock): boolean => block.type === 'json' && block.shape === NAME;
  const texts = result.blocks.filter((block) => block.type !== 'media' && !isOwn(block));
  const media = result.blocks.filter((block) => block.type === 'media' || isOwn(block));
  const { written } = writeBlocks(NAME, media, (block) => (block.type === 'media' ? mediaPart(block) : null));
  const { callId, tool: name } = result;
  const answer = {
    ...(unnamed || kept.$noId === true ? {} : { id: callId }),
    ...(kept.$noName === true ? {} : { name }),
    ...(kept.$noResponse === true ? {} : { response: responseOf(result, texts, kept) }),
    ...(written.length > 0 || kept.$parts === true ? { parts: written } : {}),
    ...(isRecord(kept.$answer) ? kept.$answer : {}),
  };
  return { functionResponse: answer, ...ownFields(kept) };
}

/** In the form it came, where what is shown still has that form. */
function responseOf(result: SentResult, texts: readonly ResultBlock[], kept: Fields): unknown {
  const text = texts.flatMap((block) => (block.type === 'media' ? [] : [block.text])).join('\n');
  const isJson = kept.$json === true || (kept.$json === undefined && onlyJson(texts));
  const value = isJson ? parsed(onlyText({ blocks: texts }) ?? text) : text;
  const failed = isError(result);
  if (kept.$holder === null && isRecord(value) && !failed) return value;
  const holder = failed ? ERROR : typeof kept.$holder === 'string' ? kept.$holder : OUTPUT;
  return { [holder]: value };
}

/** A result that is a value, of a tool that runs here. */
function onlyJson(texts: readonly ResultBlock[]): boolean {
  return texts.length === 1 && texts[0]?.type === 'json';
}

/** A file by its bytes or by its address. */
export function mediaPart({ mediaType, data }: Pick<SentMedia, 'mediaType' | 'data'>): Fields {
  if ('url' in data) {
    const typed = mediaType.endsWith('/*') ? {} : { mimeType: mediaType };
    return { fileData: { fileUri: data.url, ...typed } };
  }
  return { inlineData: { mimeType: mediaType, data: data.base64 } };
}
