/**
 * Messages of LangChain in their stored form, `{ type, data }`, as
 * `mapChatMessagesToStoredMessages` makes them; messages as objects are read as well, by their
 * fields. Written is the stored form.
 */
import type { ContentBlock } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import { isError, type Message, type SentPart, type SentResult } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  argumentsOf,
  dataOf,
  dataUrl,
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
} from './json.ts';
import { onlyText, plainContent, plainText, resultOf, writeBlocks, writeData } from './results.ts';
import { type ImportedMessage, type ImportedPart, Losses, type Shape, urlOf } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'langchain';
const ROLES: Readonly<Record<string, ImportedMessage['role']>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
};
/** The library takes messages with a role as well. */
const TYPE_OF_ROLE: Readonly<Record<string, string>> = {
  user: 'human',
  assistant: 'ai',
  system: 'system',
  developer: 'developer',
  tool: 'tool',
};
const TYPES = { user: 'human', assistant: 'ai', system: 'system', tool: 'tool' } as const;

export const langchain: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.langchain,
  unsent: [
    'id',
    'type',
    'status',
    'artifact',
    'metadata',
    'response_metadata',
    'usage_metadata',
    'invalid_tool_calls',
    'tool_call_chunks',
    'tool_calls',
  ],
  usage: [['usage_metadata', 'input_tokens']],
  unwrap(message) {
    const { type, data } = storedForm(message);
    return { role: type, fields: data };
  },
  read(given) {
    const losses = new Losses();
    const tools = new Map<string, string>();
    const messages = recordsOf(given).map((message, i) => {
      const { type, data } = storedForm(message);
      for (const call of recordsOf(data.tool_calls))
        if (textField(call, 'id') !== '') tools.set(textField(call, 'id'), textField(call, 'name'));
      if (ROLES[type] === undefined)
        losses.add(i, `the type ${type || 'of a message without one'}; read as a user's`);
      return readMessage(type, data, tools);
    });
    return { messages, losses: losses.list };
  },
  write(messages) {
    const losses = new Losses();
    return { messages: messages.flatMap((message) => writeMessage(message, losses)), losses: losses.list };
  },
  // What every chat model of the library takes in `bindTools`.
  toolOf: ({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }),
};

/** Objects of the library have a type and fields; the stored form has them apart. */
function storedForm(message: Fields): { readonly type: string; readonly data: Fields } {
  if (isRecord(message.data)) return { type: textField(message, 'type'), data: message.data };
  const asked = message.getType ?? message._getType;
  const named = textField(message, 'type', TYPE_OF_ROLE[textField(message, 'role')] ?? '');
  const type = typeof asked === 'function' ? String(asked.call(message)) : named;
  const data = Object.entries(message).filter(
    ([name, value]) => value !== undefined && name !== 'type' && name !== 'role' && !name.startsWith('lc_'),
  );
  return { type, data: Object.fromEntries(data) };
}

function readMessage(type: string, data: Fields, tools: ReadonlyMap<string, string>): ImportedMessage {
  const role = ROLES[type] ?? 'user';
  if (role === 'tool') return { role, parts: [readResult(data, tools)] };
  const content: ImportedPart[] =
    typeof data.content === 'string' ? textPart(data.content) : recordsOf(data.content).map(readBlock);
  const calls = recordsOf(data.tool_calls).map(readCall);
  const extra = {
    ...(typeof data.content === 'string' ? { $text: true } : {}),
    ...(type === TYPES[role] ? {} : { $type: type }),
    ...(Array.isArray(data.tool_calls) && calls.length === 0 ? { $noCalls: true } : {}),
  };
  return { role, parts: [...content, ...calls], ...extrasOf(NAME, data, ['content', 'tool_calls'], extra) };
}

/** An empty text beside calls is no part. */
function textPart(text: string): ImportedPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function readCall(call: Fields): MessageCall {
  return {
    type: 'call',
    callId: textField(call, 'id'),
    tool: textField(call, 'name'),
    input: jsonOf(call.args ?? {}),
    ...extrasOf(NAME, call, ['id', 'name', 'args'], 'type' in call ? {} : { $noType: true }),
  };
}

function readBlock(block: Fields): ImportedPart {
  if (block.type === 'text' && typeof block.text === 'string')
    return { type: 'text', text: block.text, ...extrasOf(NAME, block, ['type', 'text']) };
  const image = isRecord(block.image_url) ? block.image_url : null;
  const data = image === null ? null : dataUrl(textField(image, 'url'));
  if (block.type === 'image_url' && image !== null && data !== null)
    return {
      type: 'media',
      mediaType: data.mediaType,
      data: data.base64,
      ...extrasOf(NAME, image, ['url']),
    };
  return embeddedMedia(NAME, block) ?? dataOf(NAME, block, 'block');
}

function readResult(data: Fields, tools: ReadonlyMap<string, string>): ImportedPart {
  const callId = textField(data, 'tool_call_id');
  const toBlock = (block: Fields): ContentBlock | null => plainText(block, 'text');
  const failed = data.status === 'error';
  const list = Array.isArray(data.content) ? { $list: true } : {};
  return {
    type: 'result',
    callId,
    tool: tools.get(callId) ?? textField(data, 'name', 'unknown'),
    result: resultOf(NAME, data.content, toBlock),
    ...(failed ? { outcome: { status: 'error' } as const } : {}),
    ...extrasOf(NAME, data, ['tool_call_id', 'content', ...(failed ? ['status'] : [])], list),
  };
}

function writeMessage(message: Message, losses: Losses): Fields[] {
  const { id, role, parts } = message;
  if (role === 'tool')
    return parts.flatMap((part) => (part.type === 'result' ? [writeResult(id, part, losses)] : []));
  const kept = keptFor(NAME, message);
  const blocks = parts.flatMap((part) => writePart(id, part, losses));
  const calls = parts.filter((part) => part.type === 'call').map((part) => writeCall(id, part, losses));
  const content = contentOf(blocks, kept);
  const withCalls = calls.length > 0 || kept.$noCalls === true ? { tool_calls: calls } : {};
  const type = typeof kept.$type === 'string' ? kept.$type : TYPES[role];
  return [{ type, data: { content, ...withCalls, ...ownFields(kept) } }];
}

/** A text where it came as one, or where nothing tells how it came. */
function contentOf(blocks: readonly Fields[], kept: Fields): unknown {
  if (kept.$text !== true && Object.keys(kept).length > 0) return blocks;
  return blocks.length === 0 ? '' : (plainContent(blocks) ?? blocks);
}

function writeCall(id: string, part: SentPart & { type: 'call' }, losses: Losses): Fields {
  const args = argumentsOf(part.input, () =>
    losses.add(id, `that the arguments of ${part.callId} are no JSON object: they are under "input"`),
  );
  const kept = keptFor(NAME, part);
  const typed = kept.$noType === true ? {} : { type: 'tool_call' };
  return { name: part.tool, args, id: part.callId, ...typed, ...ownFields(kept) };
}

function writePart(id: string, part: SentPart, losses: Losses): Fields[] {
  const kept = ownFields(keptFor(NAME, part));
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...kept }];
  if (part.type === 'media')
    return [closedAround(NAME, part) ?? { type: 'image_url', image_url: { url: urlOf(part), ...kept } }];
  return part.type === 'data' ? writeData(NAME, id, part, losses) : [];
}

function writeResult(id: string, result: SentResult, losses: Losses): Fields {
  const kept = keptFor(NAME, result);
  const { written, dropped } = writeBlocks(NAME, result.blocks, (block) =>
    block.type === 'media'
      ? { type: 'image_url', image_url: { url: urlOf(block) } }
      : { type: 'text', text: block.text },
  );
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const content = (kept.$list === true ? null : onlyText(result)) ?? written;
  const status = isError(result) ? { status: 'error' } : {};
  return { type: 'tool', data: { content, tool_call_id: result.callId, ...status, ...ownFields(kept) } };
}
