/**
 * Messages of OpenAI's chat completions, as plain data. It has no word for a failed call: that is
 * said as a loss.
 */
import type { ContentBlock } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import { isError, type Message, type SentPart, type SentResult, textOf } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  blankOf,
  dataOf,
  dataUrl,
  extrasOf,
  type Fields,
  filled,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
  wholeAgain,
} from './json.ts';
import { plainContent, plainText, resultOf, writeBlocks, writeData } from './results.ts';
import { type ImportedMessage, type ImportedPart, Losses, leftOut, type Shape, urlOf } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'openai_chat';

export const openaiChat: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.openai_chat,
  unsent: ['annotations', 'logprobs'],
  usage: [['usage', 'prompt_tokens']],
  read(given) {
    const losses = new Losses();
    const tools = new Map<string, string>();
    const messages = recordsOf(given).map((message, i) => {
      for (const { callId, tool } of callsOf(message)) if (callId !== '') tools.set(callId, tool);
      if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(textField(message, 'role')))
        losses.add(i, 'a role that is not known; kept as data of an assistant');
      return readMessage(message, tools);
    });
    return { messages, losses: losses.list };
  },
  write(messages) {
    const losses = new Losses();
    return { messages: messages.flatMap((message) => writeMessage(message, losses)), losses: losses.list };
  },
  messagesOf: ({ choices }) =>
    Array.isArray(choices)
      ? recordsOf(choices)
          .slice(0, 1)
          .map(({ message }) => message)
      : undefined,
  toolOf: ({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }),
};

function readMessage(message: Fields, tools: ReadonlyMap<string, string>): ImportedMessage {
  const role = textField(message, 'role');
  if (role === 'tool') return { role: 'tool', parts: [readResult(message, tools)] };
  const form =
    typeof message.content === 'string' ? {} : { $content: message.content === null ? 'null' : 'list' };
  const content: ImportedPart[] =
    typeof message.content === 'string'
      ? [{ type: 'text', text: message.content }]
      : recordsOf(message.content).map(readPart);
  if (role === 'system' || role === 'developer') {
    const extra = { ...form, ...(role === 'developer' ? { $role: role } : {}) };
    return { role: 'system', parts: content, ...extrasOf(NAME, message, ['role', 'content'], extra) };
  }
  if (role === 'user')
    return { role: 'user', parts: content, ...extrasOf(NAME, message, ['role', 'content'], form) };
  if (role !== 'assistant') {
    const whole = { type: 'data', name: 'message', json: jsonOf(message) } as const;
    return { role: 'assistant', parts: [{ ...whole, foreign: { [NAME]: { $message: true } } }] };
  }
  const absent = 'content' in message ? form : { $content: 'absent' };
  return {
    role: 'assistant',
    parts: [...content, ...callsOf(message)],
    ...extrasOf(NAME, message, ['role', 'content', 'tool_calls'], absent),
  };
}

function callsOf(message: Fields): MessageCall[] {
  return recordsOf(message.tool_calls).map((call) => {
    const custom = isRecord(call.custom) ? call.custom : null;
    const called = custom ?? (isRecord(call.function) ? call.function : {});
    return {
      type: 'call',
      callId: textField(call, 'id'),
      tool: textField(called, 'name'),
      input: textField(called, custom === null ? 'arguments' : 'input'),
      ...extrasOf(
        NAME,
        call,
        ['id', 'type', 'function', 'custom'],
        custom === null ? blankOf(called, 'arguments') : { $custom: true },
      ),
    };
  });
}

function readPart(part: Fields): ImportedPart {
  if (part.type === 'text' && typeof part.text === 'string')
    return { type: 'text', text: part.text, ...extrasOf(NAME, part, ['type', 'text']) };
  const image = isRecord(part.image_url) ? part.image_url : null;
  if (part.type === 'image_url' && image !== null) {
    const url = textField(image, 'url');
    const kept = extrasOf(NAME, image, ['url']);
    const data = dataUrl(url);
    return data === null
      ? { type: 'media', mediaType: 'image/*', source: { url }, ...kept }
      : { type: 'media', mediaType: data.mediaType, data: data.base64, ...kept };
  }
  return embeddedMedia(NAME, part) ?? dataOf(NAME, part, 'part');
}

function readResult(message: Fields, tools: ReadonlyMap<string, string>): ImportedPart {
  const callId = textField(message, 'tool_call_id');
  const toBlock = (block: Fields): ContentBlock | null => plainText(block, 'text');
  const tool = tools.get(callId) ?? textField(message, 'name', 'unknown');
  const result = resultOf(NAME, message.content, toBlock);
  const list = Array.isArray(message.content) ? { $list: true } : {};
  const kept = extrasOf(NAME, message, ['role', 'tool_call_id', 'content'], list);
  return { type: 'result', callId, tool, result, ...kept };
}

function writeMessage(message: Message, losses: Losses): Fields[] {
  const { role, parts } = message;
  const kept = keptFor(NAME, message);
  if (role === 'tool')
    return parts.flatMap((part) => (part.type === 'result' ? [writeResult(message.id, part, losses)] : []));
  const whole = parts.find((part) => part.type === 'data' && keptFor(NAME, part).$message === true);
  if (whole?.type === 'data') return [wholeAgain(whole.json)];
  const written = parts.flatMap((part) => writePart(message.id, part, losses));
  const lost = written.length === 0 ? leftOut(message) : null;
  const content = lost === null ? written : [{ type: 'text', text: lost }];
  const calls = parts.filter((part) => part.type === 'call').map(writeCall);
  const named = typeof kept.$role === 'string' ? kept.$role : role;
  return [
    {
      role: named,
      ...contentField(content, kept.$content, calls.length > 0),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...ownFields(kept),
    },
  ];
}

function contentField(content: readonly Fields[], form: unknown, hasCalls: boolean): Fields {
  if (form === 'absent') return {};
  if (form === 'null' || (content.length === 0 && hasCalls && form === undefined)) return { content: null };
  const text = content.length === 0 ? '' : plainContent(content);
  return { content: form === 'list' ? content : (text ?? content) };
}

function writeCall(part: SentPart & { type: 'call' }): Fields {
  const kept = keptFor(NAME, part);
  const { callId: id, tool: name, input } = part;
  return kept.$custom === true
    ? { id, type: 'custom', custom: { name, input }, ...ownFields(kept) }
    : { id, type: 'function', function: { name, arguments: filled(input, kept) }, ...ownFields(kept) };
}

function writePart(id: string, part: SentPart, losses: Losses): Fields[] {
  const kept = ownFields(keptFor(NAME, part));
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...kept }];
  if (part.type === 'media') {
    const around = closedAround(NAME, part);
    if (around !== null) return [around];
    if (part.mediaType.startsWith('image/'))
      return [{ type: 'image_url', image_url: { url: urlOf(part), ...kept } }];
    losses.add(id, `media of type ${part.mediaType}`);
    return [];
  }
  return part.type === 'data' ? writeData(NAME, id, part, losses) : [];
}

function writeResult(id: string, result: SentResult, losses: Losses): Fields {
  if (isError(result)) losses.add(id, `that the call ${result.callId} ended with ${result.status}`);
  const { written, dropped } = writeBlocks(NAME, result.blocks, (block) =>
    block.type === 'media' ? null : { type: 'text', text: block.text },
  );
  if (dropped > 0) losses.add(id, `${dropped} images or files in the result of ${result.callId}`);
  const kept = keptFor(NAME, result);
  // Many compatible servers take a text only: a list is sent where the host's own was one.
  const content = kept.$list === true ? written : writtenText(result);
  return { role: 'tool', tool_call_id: result.callId, content, ...ownFields(kept) };
}

/** A result in one text; images and files, which have no place in it, are named. */
function writtenText(result: SentResult): string {
  const media = result.blocks.flatMap((block) => (block.type === 'media' ? [block.mediaType] : []));
  const text = textOf(result);
  if (media.length === 0) return text;
  const named = `[Left out: ${media.join(', ')}, which cannot be sent here.]`;
  return text === '' ? named : `${text}\n${named}`;
}
