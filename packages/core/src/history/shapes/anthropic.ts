/**
 * Messages of Anthropic's API, as plain data. The system prompt travels as a message with role
 * `system`; results travel in user messages.
 */
import type { ContentBlock } from '../../capture/result.ts';
import { plainCallId } from '../call-ids.ts';
import { isError, type Message, type ResultBlock, type SentPart, type SentResult } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  argumentsOf,
  dataOf,
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
} from './json.ts';
import { inOrder, onlyText, plainText, resultOf, writeBlocks, writeData } from './results.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  isOnlyElsewhere,
  Losses,
  leftOut,
  type Shape,
} from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'anthropic';
const ERROR = { status: 'error' } as const;

export const anthropic: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.anthropic,
  unsent: ['id', 'type', 'model', 'usage', 'stop_reason', 'stop_sequence', 'caller', 'cache_control'],
  usage: [
    ['usage', 'input_tokens'],
    ['usage', 'cache_read_input_tokens'],
    ['usage', 'cache_creation_input_tokens'],
  ],
  read(given) {
    const tools = new Map<string, string>();
    const messages = recordsOf(given).flatMap((message) => {
      for (const block of recordsOf(message.content))
        if (block.type === 'tool_use' && textField(block, 'id') !== '')
          tools.set(textField(block, 'id'), textField(block, 'name'));
      return readMessage(message, tools);
    });
    return { messages, losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    const written: Fields[] = [];
    let results: Fields[] = [];
    const flush = (): void => {
      if (results.length > 0) written.push({ role: 'user', content: results });
      results = [];
    };
    for (const message of messages) {
      if (message.role === 'tool') {
        results.push(...writeAll(message, losses));
        continue;
      }
      const kept = keptFor(NAME, message);
      if (isOnlyElsewhere(message, NAME)) {
        losses.add(message.id, 'a message that only another framework can say');
        continue;
      }
      const together = '$withResults' in kept && results.length > 0;
      if (!together) flush();
      written.push(writeMessage(message, kept, together ? results : [], losses));
      if (together) results = [];
    }
    flush();
    return { messages: written, losses: losses.list };
  },
  // An answer is a message with an id and figures beside it, which no request may repeat.
  messagesOf: ({ role, content }) => (content === undefined ? undefined : [{ role, content }]),
  bodyOf(messages) {
    const system = messages
      .filter(({ role }) => role === 'system')
      .flatMap(({ content }) => asBlocks(content));
    const others = messages.filter(({ role }) => role !== 'system');
    return { ...(system.length === 0 ? {} : { system }), messages: others };
  },
  toolOf: ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
};

function asBlocks(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
}

function readMessage(message: Fields, tools: ReadonlyMap<string, string>): ImportedMessage[] {
  const role = textField(message, 'role');
  const rendered = role === 'assistant' || role === 'system' ? role : 'user';
  const kept = (extra: Fields) => extrasOf(NAME, message, ['role', 'content'], extra);
  if (typeof message.content === 'string')
    return [{ role: rendered, parts: [{ type: 'text', text: message.content }], ...kept({ $text: true }) }];
  const blocks = recordsOf(message.content);
  const isResult = (block: Fields): boolean => block.type === 'tool_result';
  const results = blocks.filter(isResult).map((block) => readResult(block, tools));
  const others = blocks.filter((block) => !isResult(block)).map(readBlock);
  const messages: ImportedMessage[] = results.length === 0 ? [] : [{ role: 'tool', parts: results }];
  const order = blocks.map((block) => (isResult(block) ? 'r' : 'o')).join('');
  if (others.length > 0 || results.length === 0)
    messages.push({
      role: rendered,
      parts: others,
      ...kept(results.length > 0 ? { $withResults: order } : {}),
    });
  return messages;
}

function readBlock(block: Fields): ImportedPart {
  if (block.type === 'text' && typeof block.text === 'string')
    return { type: 'text', text: block.text, ...extrasOf(NAME, block, ['type', 'text']) };
  if (block.type === 'tool_use')
    return {
      type: 'call',
      callId: textField(block, 'id'),
      tool: textField(block, 'name'),
      input: jsonOf(block.input ?? {}),
      ...extrasOf(NAME, block, ['type', 'id', 'name', 'input']),
    };
  const source = isRecord(block.source) ? block.source : {};
  const plain = Object.keys(source).length === (source.type === 'base64' ? 3 : 2);
  if (block.type === 'image' && plain && source.type === 'base64' && typeof source.data === 'string')
    return {
      type: 'media',
      mediaType: textField(source, 'media_type'),
      data: source.data,
      ...extrasOf(NAME, block, ['type', 'source']),
    };
  if (block.type === 'image' && plain && source.type === 'url')
    return {
      type: 'media',
      mediaType: 'image/*',
      source: { url: textField(source, 'url') },
      ...extrasOf(NAME, block, ['type', 'source']),
    };
  return embeddedMedia(NAME, block) ?? dataOf(NAME, block, 'block');
}

function readResult(block: Fields, tools: ReadonlyMap<string, string>): ImportedResult {
  const callId = textField(block, 'tool_use_id');
  const known = ['type', 'tool_use_id', 'content', ...(block.is_error === true ? ['is_error'] : [])];
  const list = Array.isArray(block.content) ? { $list: true } : {};
  const absent = 'content' in block ? list : { $content: 'absent' };
  return {
    type: 'result',
    callId,
    tool: tools.get(callId) ?? 'unknown',
    result: resultOf(NAME, 'content' in block ? block.content : '', toBlock),
    ...(block.is_error === true ? { outcome: ERROR } : {}),
    ...extrasOf(NAME, block, known, absent),
  };
}

function toBlock(block: Fields): ContentBlock | null {
  const source = isRecord(block.source) ? block.source : {};
  const plain = Object.keys(block).length === 2 && Object.keys(source).length === 3;
  if (block.type === 'image' && plain && source.type === 'base64' && typeof source.data === 'string')
    return { type: 'image', data: source.data, mimeType: textField(source, 'media_type') };
  return plainText(block, 'text');
}

function writeMessage(message: Message, kept: Fields, results: readonly Fields[], losses: Losses): Fields {
  const messages = writeAll(message, losses);
  const lost = messages.length + results.length === 0 ? leftOut(message) : null;
  const content = inOrder(
    results,
    lost === null ? messages : [{ type: 'text', text: lost }],
    kept.$withResults,
  );
  const [only] = content;
  const text = kept.$text === true && content.length === 1 && only?.type === 'text' ? only.text : null;
  return { role: message.role, content: text ?? content, ...ownFields(kept) };
}

function writeAll(message: Message, losses: Losses): Fields[] {
  return message.parts.flatMap((part) => writePart(message.id, part, losses));
}

function writePart(id: string, part: SentPart, losses: Losses): Fields[] {
  const kept = ownFields(keptFor(NAME, part));
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...kept }];
  if (part.type === 'call') {
    const input = argumentsOf(part.input, () =>
      losses.add(id, `that the arguments of ${part.callId} are no JSON object: they are under "input"`),
    );
    return [{ type: 'tool_use', id: plainCallId(part.callId), name: part.tool, input, ...kept }];
  }
  if (part.type === 'result') return [writeResult(id, part, losses)];
  if (part.type === 'media') {
    const written = closedAround(NAME, part) ?? writeBlock(part);
    if (written === null) losses.add(id, `media of type ${part.mediaType}`);
    return written === null ? [] : [{ ...written, ...ownFields(keptFor(NAME, part)) }];
  }
  return writeData(NAME, id, part, losses);
}

function writeResult(id: string, result: SentResult, losses: Losses): Fields {
  const kept = keptFor(NAME, result);
  const { written, dropped } = writeBlocks(NAME, result.blocks, writeBlock);
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const content = (kept.$list === true ? null : onlyText(result)) ?? written;
  return {
    type: 'tool_result',
    tool_use_id: plainCallId(result.callId),
    ...(kept.$content === 'absent' && content === '' ? {} : { content }),
    ...(isError(result) ? { is_error: true } : {}),
    ...ownFields(kept),
  };
}

function writeBlock(block: ResultBlock): Fields | null {
  if (block.type !== 'media') return { type: 'text', text: block.text };
  if (!block.mediaType.startsWith('image/')) return null;
  const { mediaType, data } = block;
  const source =
    'url' in data
      ? { type: 'url', url: data.url }
      : { type: 'base64', media_type: mediaType, data: data.base64 };
  return { type: 'image', source };
}
