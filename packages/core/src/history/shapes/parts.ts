/**
 * Parts of messages in the words of a framework. A map of its fields tells how texts, calls, media
 * and the contents of results are spelled; reading and writing follow from it. Whatever has no word
 * of ours is kept whole and comes back in its own shape.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageCall, ShapeExtras } from '../../model/message.ts';
import { shapeMediaType } from '../content.ts';
import {
  isError,
  type MediaInput,
  type ResultBlock,
  type SentMedia,
  type SentPart,
  type SentResult,
} from '../message.ts';
import {
  dataOf,
  dataUrl,
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  parsed,
  storable,
  textField,
  wholeAgain,
} from './json.ts';
import type { ImportedPart, ImportedResult, Losses } from './shape.ts';

/** How a framework spells the parts of its messages. */
export interface PartMap {
  /** The name of the shape. */
  readonly name: string;
  /** Parts have no type: a text is `{ text }`. */
  readonly untyped?: true;
  readonly call?: CallMap;
  readonly result?: ResultMap;
  /** An image or file; null for any other part. */
  readMedia?(part: Fields): ImportedPart | null;
  /** `own` are its other fields. Null where the framework cannot send such a file. */
  writeMedia(media: SentMedia, own: Fields, kept: Fields): Fields | null;
  /** An image or file in a result. */
  readBlock?(block: Fields): ContentBlock | null;
  /** Default: a text, or media like that of a message. */
  writeBlock?(block: ResultBlock): Fields | null;
}

interface CallMap {
  readonly type: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  /** Arguments may be any value. Default: they must be an object. */
  readonly takesAnyInput?: true;
}

interface ResultMap {
  readonly fixed: Fields;
  readonly callId: string;
  readonly tool?: string;
  readonly content: string;
  /** The field that says that the call failed. Without it a failure is a loss. */
  readonly failed?: Fields;
  /** The content as one text, where only a text can stand. */
  textOf?(result: SentResult): string;
  idOf?(callId: string): string;
}

const ERROR = { status: 'error' } as const;

export function readPart(map: PartMap, part: Fields): ImportedPart {
  const { name, untyped, call } = map;
  const isText = untyped === true ? part.thought !== true : part.type === 'text';
  if (isText && typeof part.text === 'string')
    return {
      type: 'text',
      text: part.text,
      ...extrasOf(name, part, untyped === true ? ['text'] : ['type', 'text']),
    };
  if (call !== undefined && part.type === call.type) return readCall(map, call, part);
  const unnamed = part.thought === true ? 'thought' : Object.keys(part)[0];
  return (
    map.readMedia?.(part) ??
    embeddedMedia(name, part) ??
    dataOf(name, part, untyped === true ? unnamed : undefined)
  );
}

export function writePart(map: PartMap, id: string, part: SentPart, losses: Losses): Fields[] {
  const { name, untyped, call } = map;
  const kept = keptFor(name, part);
  const own = ownFields(kept);
  if (part.type === 'text')
    return [{ ...(untyped === true ? {} : { type: 'text' }), text: part.text, ...own }];
  if (part.type === 'call') return call === undefined ? [] : [writeCall(map, call, id, part, losses)];
  if (part.type === 'result') return map.result === undefined ? [] : [writeResult(map, id, part, losses)];
  if (part.type === 'media') {
    const written = closedAround(name, part) ?? map.writeMedia(part, own, kept);
    if (written === null) losses.add(id, `media of type ${part.mediaType}`);
    return written === null ? [] : [written];
  }
  if (part.foreign !== undefined && name in part.foreign) return [wholeAgain(part.json)];
  losses.add(id, `data called ${part.name}`);
  return [];
}

export function readCall({ name }: PartMap, call: CallMap, part: Fields): MessageCall {
  const isTyped = part.type === call.type;
  const known = [call.callId, call.tool, call.input, ...(isTyped ? ['type'] : [])];
  return {
    type: 'call',
    callId: textField(part, call.callId),
    tool: textField(part, call.tool),
    input: jsonOf(part[call.input] ?? (call.takesAnyInput === true ? null : {})),
    ...extrasOf(name, part, known, { $noType: !('type' in part) || undefined }),
  };
}

export function writeCall(
  map: PartMap,
  call: CallMap,
  id: string,
  part: MessageCall,
  losses: Losses,
): Fields {
  const kept = keptFor(map.name, part);
  const write = call.takesAnyInput === true ? valueInput : objectInput;
  return {
    ...(kept.$noType === true ? {} : { type: call.type }),
    [call.callId]: map.result?.idOf?.(part.callId) ?? part.callId,
    [call.tool]: part.tool,
    [call.input]: write(id, part, losses),
    ...ownFields(kept),
  };
}

/** The arguments of a call where a framework wants an object: what is none stands under `input`. */
export function objectInput(id: string, { callId, input }: MessageCall, losses: Losses): Fields {
  const value = input.trim() === '' ? null : parsed(input);
  if (isRecord(value)) return value;
  if (value === null) return {};
  losses.add(id, `that the arguments of ${callId} are no JSON object: they are under "input"`);
  return { input: value };
}

/** The arguments of a call where a framework takes any value. */
export function valueInput(id: string, { callId, input }: MessageCall, losses: Losses): unknown {
  return parsed(input.trim() === '' ? '{}' : input, (text) => {
    losses.add(id, `that the arguments of ${callId} are no JSON: they are a text`);
    return text;
  });
}

/** The name of the tool is that of the call with the same id, where that is known. */
export function readResult({ name, result, readBlock }: PartMap, fields: Fields): ImportedResult {
  const { fixed, callId, content, failed = {} } = result as ResultMap;
  const [failing = ''] = Object.keys(failed);
  const isFailed = failing !== '' && fields[failing] === failed[failing];
  const known = [...Object.keys(fixed), callId, content, ...(isFailed ? [failing] : [])];
  return {
    type: 'result',
    callId: textField(fields, callId),
    tool: textField(fields, 'name', 'unknown'),
    result: resultOf(
      name,
      content in fields ? fields[content] : '',
      (block) => plainText(block, 'text') ?? readBlock?.(block) ?? null,
    ),
    ...(isFailed ? { outcome: ERROR } : {}),
    ...extrasOf(name, fields, known, {
      $list: Array.isArray(fields[content]) || undefined,
      $content: content in fields ? undefined : 'absent',
    }),
  };
}

export function writeResult(map: PartMap, id: string, result: SentResult, losses: Losses): Fields {
  const { fixed, callId, content, failed, textOf, idOf } = map.result as ResultMap;
  const kept = keptFor(map.name, result);
  if (failed === undefined && isError(result)) losses.add(id, endedWith(result));
  const written = writeBlocks(map, id, result, losses);
  const value = kept.$list === true ? written : (textOf?.(result) ?? onlyText(result) ?? written);
  return {
    ...fixed,
    [callId]: idOf?.(result.callId) ?? result.callId,
    ...(kept.$content === 'absent' && value === '' ? {} : { [content]: value }),
    ...(isError(result) ? failed : {}),
    ...ownFields(kept),
  };
}

/** The loss of a framework that cannot say that a call failed. */
export function endedWith({ callId, status }: SentResult): string {
  return `that the call ${callId} ended with ${status}`;
}

/** The blocks of a result; foreign ones of the same shape as they were. */
export function writeBlocks(
  map: PartMap,
  id: string,
  { callId, blocks }: SentResult,
  losses: Losses,
): readonly Fields[] {
  const write =
    map.writeBlock ??
    ((block) =>
      block.type === 'media' ? map.writeMedia(block, {}, {}) : { type: 'text', text: block.text });
  const all = blocks.map((block) =>
    block.type === 'json' && block.shape === map.name ? wholeAgain(block.text) : write(block),
  );
  const written = all.filter((block) => block !== null);
  const dropped = all.length - written.length;
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${callId}`);
  return written;
}

/** A text as it is, a list as blocks, anything else as a value. */
export function resultOf(
  shape: string,
  content: unknown,
  read: (block: Fields) => ContentBlock | null,
): ToolResult {
  if (typeof content === 'string') return { kind: 'text', text: content };
  if (!Array.isArray(content)) return { kind: 'value', value: content };
  const blocks = content.map((block: unknown): ContentBlock => {
    const known = isRecord(block) ? read(block) : null;
    const json = jsonOf(isRecord(block) ? storable(block) : block);
    return known ?? { type: 'other', json, mediaType: shapeMediaType(shape) };
  });
  return { kind: 'blocks', blocks };
}

/** A text block with nothing else in it; whatever has more is kept whole. */
export function plainText(block: Fields, type: string): ContentBlock | null {
  const { text, ...rest } = block;
  const plain = block.type === type && typeof text === 'string' && Object.keys(rest).length === 1;
  return plain ? { type: 'text', text } : null;
}

/** The text of content that is one block with nothing but text; null for any other. */
export function plainContent(content: readonly Fields[]): string | null {
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  return isPlain ? String(only.text) : null;
}

/** The one text of a result; null if it is not exactly one. */
export function onlyText({ blocks }: Pick<SentResult, 'blocks'>): string | null {
  const [only, ...others] = blocks;
  return only !== undefined && others.length === 0 && only.type !== 'media' ? only.text : null;
}

/** Media by its data URL, or by its address as an image. */
export function mediaAt(url: string, extras: { readonly foreign?: ShapeExtras | undefined }): ImportedPart {
  const data = dataUrl(url);
  return data === null
    ? { type: 'media', mediaType: 'image/*', source: { url }, ...extras }
    : { type: 'media', mediaType: data.mediaType, data: data.base64, ...extras };
}

/** `data:` and base64, or the address. */
export function urlOf({ mediaType, data }: SentMedia): string {
  return 'url' in data ? data.url : `data:${mediaType};base64,${data.base64}`;
}

/** Files inside parts that have no type of ours: only the first run of base64 that is long enough. */
const LEAST_CHARS = 512;
const DEEPEST = 4;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const TYPE_FIELDS = ['media_type', 'mediaType', 'mimeType', 'mime_type'];

interface Found {
  readonly path: readonly string[];
  readonly mediaType: string;
  readonly base64: string;
  readonly before: string;
}

/** The part as media with everything around it, or null if it holds no file. */
export function embeddedMedia(shape: string, part: Fields): MediaInput | null {
  const found = findBytes(part, [], '');
  if (found === null) return null;
  const { path, mediaType, base64, before } = found;
  const around = replaced(part, path, before);
  return { type: 'media', mediaType, data: base64, foreign: { [shape]: { $around: around, $path: path } } };
}

/** The part again, with the file in its place; null if it was none. */
export function closedAround(shape: string, media: SentMedia): Fields | null {
  const { $around: around, $path: path } = keptFor(shape, media);
  if (!isRecord(around) || !Array.isArray(path) || 'url' in media.data) return null;
  return replaced(around, path as string[], null, media.data.base64);
}

function findBytes(fields: Fields, path: readonly string[], typed: string): Found | null {
  const named = TYPE_FIELDS.map((name) => textField(fields, name)).find((type) => type !== '') ?? typed;
  const format = textField(fields, 'format');
  for (const [name, value] of Object.entries(fields)) {
    if (isRecord(value) && path.length < DEEPEST) {
      const found = findBytes(value, [...path, name], named);
      if (found !== null) return found;
    }
    if (typeof value !== 'string' || value.length < LEAST_CHARS) continue;
    const data = dataUrl(value);
    if (data !== null) {
      const before = value.slice(0, value.length - data.base64.length);
      return { path: [...path, name], before, ...data };
    }
    // Without a type it is no file: signatures and encrypted thoughts look the same.
    const mediaType = named === '' && format !== '' ? `audio/${format}` : named;
    if (mediaType === '' || !BASE64.test(value) || value.length % 4 !== 0) continue;
    return { path: [...path, name], before: '', mediaType, base64: value };
  }
  return null;
}

/** A copy with `text` at the end of a path, or with `more` behind what is there. */
function replaced(
  fields: Fields,
  [name = '', ...rest]: readonly string[],
  text: string | null,
  more = '',
): Fields {
  const there = fields[name];
  if (rest.length > 0) return { ...fields, [name]: replaced(isRecord(there) ? there : {}, rest, text, more) };
  return { ...fields, [name]: text ?? `${typeof there === 'string' ? there : ''}${more}` };
}
