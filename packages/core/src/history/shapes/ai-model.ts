/**
 * Model messages of the AI SDK (`ModelMessage`), as plain data: results in messages of role `tool`,
 * each with a typed output. Files come as base64, as bytes or by their address, bare or tagged;
 * each is written in the form that it came in.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { Outcome } from '../../model/outcome.ts';
import { isError, type SentMedia, type SentResult, textOf } from '../message.ts';
import { extrasOf, type Fields, isRecord, keptFor, ownFields, parsed, textField } from './json.ts';
import { type MessageMap, messageShape } from './message-shape.ts';
import { onlyText, plainContent, plainText, resultOf, writeBlocks } from './parts.ts';
import { type ImportedPart, type ImportedResult, Losses, type Shape } from './shape.ts';

const NAME = 'ai_model';

const MAP: MessageMap = {
  name: NAME,
  roles: { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' },
  types: `image file reasoning reasoning-file source custom tool-error tool-approval-request
    tool-approval-response`,
  call: { type: 'tool-call', callId: 'toolCallId', tool: 'toolName', input: 'input', takesAnyInput: true },
  result: { fixed: { type: 'tool-result' }, callId: 'toolCallId', tool: 'toolName', content: 'output' },
  results: 'among',
  isResult: ({ type }) => type === 'tool-result',
  readMedia,
  writeMedia,
  writeBlock(block) {
    if (block.type !== 'media') return { type: 'text', text: block.text };
    const { mediaType, data } = block;
    const form = 'url' in data ? { type: 'url', url: data.url } : { type: 'data', data: data.base64 };
    return { type: 'file', mediaType, data: form };
  },
  readResult,
  writeResult,
  contentOf(parts, kept, { role }) {
    const text = kept.$text === true || role === 'system' ? plainContent(parts) : null;
    return { content: text ?? parts };
  },
};

export const aiModel: Shape = {
  ...messageShape(MAP),
  unsent: ['cacheControl', 'cachePoint', 'title', 'providerExecuted'],
  usage: [['usage', 'inputTokens']],
  messagesOf({ responseMessages, response }) {
    if (Array.isArray(responseMessages)) return responseMessages;
    return isRecord(response) && Array.isArray(response.messages) ? response.messages : undefined;
  },
  // The SDK refuses system messages among the others.
  bodyOf(messages) {
    const instructions = messages.filter(({ role }) => role === 'system');
    const others = messages.filter(({ role }) => role !== 'system');
    return { ...(instructions.length === 0 ? {} : { instructions }), messages: others };
  },
  toolOf: ({ description, inputSchema }) => ({ description, inputSchema: standardSchema(inputSchema) }),
};

/** A standard schema that is the SDK's own as well: version 5 must reach our refusal. */
function standardSchema(schema: Fields): Fields {
  const jsonSchema = () => structuredClone(schema);
  const validate = (value: unknown) => ({ value });
  const standard = {
    version: 1,
    vendor: 'spillway',
    validate,
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  };
  const checked = (value: unknown) => ({ success: true, value });
  const own = { [Symbol.for('vercel.ai.schema')]: true, jsonSchema: schema, validate: checked };
  return { '~standard': standard, ...own };
}

function readResult(part: Fields, role: string, about: Fields): ImportedResult {
  const output = isRecord(part.output) ? part.output : {};
  return {
    type: 'result',
    callId: textField(part, 'toolCallId'),
    tool: textField(part, 'toolName'),
    ...resultOfOutput(output),
    ...(part.preliminary === true ? { stage: 'preliminary' as const } : {}),
    ...extrasOf(NAME, part, ['type', 'toolCallId', 'toolName', 'output'], {
      $output: { ...output, value: undefined },
      $role: role === 'tool' ? undefined : role,
      $about: Object.keys(about).length === 0 ? undefined : about,
    }),
  };
}

function resultOfOutput(output: Fields): { readonly result: ToolResult; readonly outcome?: Outcome } {
  const { type, value } = output;
  if (type === 'execution-denied')
    return { result: { kind: 'text', text: textField(output, 'reason') }, outcome: { status: 'cancelled' } };
  if (type === 'content')
    return { result: resultOf(NAME, value, (block) => plainText(block, 'text') ?? mediaBlock(block)) };
  const result: ToolResult =
    type === 'text' || type === 'error-text'
      ? { kind: 'text', text: String(value ?? '') }
      : { kind: 'blocks', blocks: [{ type: 'json', value }] };
  return String(type).startsWith('error-') ? { result, outcome: { status: 'error' } } : { result };
}

function writeResult(result: SentResult): Fields {
  const kept = keptFor(NAME, result);
  const { callId: toolCallId, tool: toolName } = result;
  const output = outputOf(result, kept.$output);
  return { type: 'tool-result', toolCallId, toolName, output, ...ownFields(kept) };
}

/** In the form it came, where what is shown still has that form. */
function outputOf(result: SentResult, form: unknown): Fields {
  const { value: _, ...kept } = isRecord(form) ? form : {};
  const only = onlyText(result);
  if (kept.type === 'execution-denied') return kept;
  if ((kept.type === 'json' || kept.type === 'error-json') && only !== null) {
    const value = parsed(only, () => undefined);
    if (value !== undefined) return { ...kept, value };
  }
  if (kept.type === 'content' || result.blocks.some(({ type }) => type === 'media'))
    return { type: 'content', ...kept, value: writeBlocks(MAP, '', result, new Losses()) };
  const type = isError(result) ? 'error-text' : 'text';
  return { ...(kept.type === type ? kept : {}), type, value: only ?? textOf(result) };
}

function readMedia(part: Fields): ImportedPart | null {
  if (part.type !== 'image' && part.type !== 'file') return null;
  const form = part.type === 'image' ? part.image : part.data;
  const tagged = isRecord(form) && (form.type === 'data' || form.type === 'url') ? form.type : undefined;
  const data = isRecord(form) && tagged !== undefined ? form[tagged] : form;
  const mediaType = textField(part, 'mediaType', 'image/*');
  const about = (how: string) =>
    extrasOf(NAME, part, ['type', 'image', 'data', 'mediaType'], {
      $type: part.type,
      $how: how,
      $tagged: tagged,
      $noType: typeof part.mediaType !== 'string' || undefined,
    });
  if (data instanceof URL)
    return { type: 'media', mediaType, source: { url: data.href }, ...about('address') };
  const bytes = bytesIn(data);
  if (bytes !== null) return { type: 'media', mediaType, data: bytes, ...about('bytes') };
  if (typeof data !== 'string' || tagged === 'url') return null;
  if (/^https?:\/\//.test(data)) return { type: 'media', mediaType, source: { url: data }, ...about('text') };
  return /^[A-Za-z0-9+/=]+$/.test(data) ? { type: 'media', mediaType, data, ...about('text') } : null;
}

function writeMedia({ mediaType, data }: SentMedia, own: Fields, kept: Fields): Fields {
  const text = 'url' in data ? data.url : data.base64;
  const form =
    kept.$how === 'address'
      ? new URL(text)
      : kept.$how === 'bytes'
        ? new Uint8Array(Buffer.from(text, 'base64'))
        : text;
  const { $tagged: tagged } = kept;
  const content = typeof tagged === 'string' ? { type: tagged, [tagged]: form } : form;
  const named = kept.$type === 'image' ? { type: 'image', image: content } : { type: 'file', data: content };
  return { ...named, ...(kept.$noType === true ? {} : { mediaType }), ...own };
}

/** A file in a result: only what can be put together again from its bytes and its type. */
function mediaBlock(block: Fields): ContentBlock | null {
  const data = isRecord(block.data) ? block.data : {};
  const plain = block.type === 'file' && Object.keys(block).length === 3 && data.type === 'data';
  const bytes = typeof data.data === 'string' ? data.data : bytesIn(data.data);
  if (!plain || bytes === null || Object.keys(data).length !== 2) return null;
  return { type: 'image', data: bytes, mimeType: textField(block, 'mediaType') };
}

function bytesIn(data: unknown): Uint8Array | null {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return data instanceof Uint8Array ? data : null;
}
