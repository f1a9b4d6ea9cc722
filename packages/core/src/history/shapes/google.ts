/**
 * Contents of Google's Gemini API, as plain data. The system instruction travels as a content with
 * role `system`; results travel in contents of the user. Older models give calls no id: such a call
 * is written without one again. The response of a function is an object: `output` or `result` holds
 * what the function said, `error` what went wrong, and any other object is all output; images stand
 * beside it, in `parts`.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import { withCallIds } from '../call-ids.ts';
import { shapeMediaType } from '../content.ts';
import { isError, type ResultBlock, type SentMedia, type SentResult } from '../message.ts';
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
import { type MessageMap, messageShape } from './message-shape.ts';
import { objectInput, onlyText, writeBlocks } from './parts.ts';
import { type ImportedPart, type ImportedResult, Losses, type Shape } from './shape.ts';

const NAME = 'google';
const OUTPUT = 'output';
const ERROR = 'error';
/** Fields that hold a result when they stand alone. */
const HOLDERS = [OUTPUT, 'result', ERROR];

const MAP: MessageMap = {
  name: NAME,
  untyped: true,
  roles: { user: 'user', model: 'assistant', system: 'system' },
  otherRoles: ['function'],
  content: 'parts',
  partFields: { functionCall: ['id', 'name', 'args'], functionResponse: ['id', 'name', 'response'] },
  types: `text thought inlineData fileData executableCode codeExecutionResult toolCall toolResponse
    audioTranscription`,
  results: 'next',
  unwrap: (content) => ({ role: textField(content, 'role', 'user'), fields: content }),
  isResult: ({ functionResponse }) => isRecord(functionResponse),
  marksOf: ({ role }) => ({ $noRole: typeof role !== 'string' || role === '' || undefined }),
  readPart: (part) => (isRecord(part.functionCall) ? readCall(part, part.functionCall) : null),
  writePart: (id, part, losses) => (part.type === 'call' ? writeCall(id, part, losses) : null),
  readMedia,
  writeMedia: (media, own) => ({ ...mediaPart(media), ...own }),
  writeBlock: (block) => (block.type === 'media' ? mediaPart(block) : null),
  readResult,
  writeResult,
};

const LIST = messageShape(MAP);

export const google: Shape = {
  ...LIST,
  read(given) {
    const { messages, losses } = LIST.read(given);
    return { messages: withCallIds(messages, null), losses };
  },
  usage: [['usageMetadata', 'promptTokenCount']],
  messagesOf({ candidates }) {
    if (!Array.isArray(candidates)) return undefined;
    const [first] = recordsOf(candidates);
    return isRecord(first?.content) ? [first.content] : [];
  },
  bodyOf(contents) {
    const system = contents.filter(({ role }) => role === 'system').flatMap(({ parts }) => recordsOf(parts));
    const config = system.length === 0 ? {} : { systemInstruction: { parts: system } };
    return { contents: contents.filter(({ role }) => role !== 'system'), config };
  },
  toolOf: ({ name, description, inputSchema }) => ({ name, description, parametersJsonSchema: inputSchema }),
};

function readCall(part: Fields, { id, name, args, ...more }: Fields): MessageCall {
  const callId = typeof id === 'string' ? id : '';
  return {
    type: 'call',
    callId,
    tool: textField({ name }, 'name'),
    input: jsonOf(args ?? {}),
    ...extrasOf(NAME, part, ['functionCall'], {
      $noId: callId === '' || undefined,
      $noArgs: args === undefined || undefined,
      $call: filledOnly(more),
    }),
  };
}

function writeCall(messageId: string, part: MessageCall, losses: Losses): Fields {
  const kept = keptFor(NAME, part);
  const { callId: id, tool: name } = part;
  const args = objectInput(messageId, part, losses);
  const functionCall = {
    ...(kept.$noId === true ? {} : { id }),
    name,
    ...(kept.$noArgs === true ? {} : { args }),
    ...(isRecord(kept.$call) ? kept.$call : {}),
  };
  return { functionCall, ...ownFields(kept) };
}

function filledOnly(fields: Fields): Fields | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function readMedia(part: Fields): ImportedPart | null {
  const { inlineData: inline, fileData: file } = part;
  if (isPlain(inline, 'data'))
    return {
      type: 'media',
      mediaType: textField(inline, 'mimeType'),
      data: textField(inline, 'data'),
      ...extrasOf(NAME, part, ['inlineData']),
    };
  if (!isPlain(file, 'fileUri')) return null;
  const source = { url: textField(file, 'fileUri') };
  return {
    type: 'media',
    mediaType: textField(file, 'mimeType'),
    source,
    ...extrasOf(NAME, part, ['fileData']),
  };
}

function isPlain(media: unknown, name: string): media is Fields {
  if (!isRecord(media)) return false;
  const { mimeType, [name]: content } = media;
  return typeof mimeType === 'string' && typeof content === 'string' && Object.keys(media).length === 2;
}

function mediaPart({ mediaType, data }: SentMedia): Fields {
  if (!('url' in data)) return { inlineData: { mimeType: mediaType, data: data.base64 } };
  const typed = mediaType.endsWith('/*') ? {} : { mimeType: mediaType };
  return { fileData: { fileUri: data.url, ...typed } };
}

function readResult(part: Fields, role: string): ImportedResult {
  const answer = part.functionResponse as Fields;
  const { id, name, response, parts, ...more } = answer;
  const { holder, value } = heldIn(response);
  return {
    type: 'result',
    callId: textField(answer, 'id'),
    tool: textField(answer, 'name'),
    result: resultOf(value, parts),
    ...(holder === ERROR ? { outcome: { status: 'error' } as const } : {}),
    ...extrasOf(NAME, part, ['functionResponse'], {
      $holder: holder === OUTPUT || holder === ERROR ? undefined : holder,
      $json: typeof value !== 'string' || undefined,
      $noResponse: response === undefined || undefined,
      $parts: Array.isArray(parts) || undefined,
      $role: role === 'user' ? undefined : role,
      $answer: filledOnly(more),
      $noId: typeof id !== 'string' || undefined,
      $noName: name === undefined || undefined,
    }),
  };
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
  const others = recordsOf(parts).map((part): ContentBlock => {
    const { inlineData: inline } = part;
    if (isPlain(inline, 'data') && Object.keys(part).length === 1)
      return { type: 'image', data: String(inline.data), mimeType: String(inline.mimeType) };
    return { type: 'other', json: jsonOf(part), mediaType: shapeMediaType(NAME) };
  });
  return { kind: 'blocks', blocks: [first, ...others] };
}

function writeResult(result: SentResult, call: MessageCall | undefined): Fields {
  const kept = keptFor(NAME, result);
  const isBeside = (block: ResultBlock): boolean =>
    block.type === 'media' || (block.type === 'json' && block.shape === NAME);
  const beside = { ...result, blocks: result.blocks.filter(isBeside) };
  const texts = result.blocks.filter((block) => !isBeside(block));
  const parts = writeBlocks(MAP, '', beside, new Losses());
  const isUnnamed = kept.$noId === true || (call !== undefined && keptFor(NAME, call).$noId === true);
  const functionResponse = {
    ...(isUnnamed ? {} : { id: result.callId }),
    ...(kept.$noName === true ? {} : { name: result.tool }),
    ...(kept.$noResponse === true ? {} : { response: responseOf(result, texts, kept) }),
    ...(parts.length > 0 || kept.$parts === true ? { parts } : {}),
    ...(isRecord(kept.$answer) ? kept.$answer : {}),
  };
  return { functionResponse, ...ownFields(kept) };
}

/** In the form it came, where what is shown still has that form. */
function responseOf(result: SentResult, texts: readonly ResultBlock[], kept: Fields): unknown {
  const text = texts.flatMap((block) => (block.type === 'media' ? [] : [block.text])).join('\n');
  const isValue = texts.length === 1 && texts[0]?.type === 'json';
  const isJson = kept.$json === true || (kept.$json === undefined && isValue);
  const value = isJson ? parsed(onlyText({ blocks: texts }) ?? text) : text;
  const failed = isError(result);
  if (kept.$holder === null && isRecord(value) && !failed) return value;
  return { [failed ? ERROR : textField(kept, '$holder', OUTPUT)]: value };
}
