/**
 * Messages of OpenAI's chat completions, as plain data. It has no word for a failed call: that is
 * said as a loss.
 */
import type { MessageCall } from '../../model/message.ts';
import { type SentResult, textOf } from '../message.ts';
import {
  blankOf,
  extrasOf,
  type Fields,
  filled,
  isRecord,
  keptFor,
  ownFields,
  recordsOf,
  textField,
} from './json.ts';
import { cannotBeSent, messageShape } from './message-shape.ts';
import { mediaAt, plainContent, urlOf } from './parts.ts';
import type { Shape } from './shape.ts';

const NAME = 'openai_chat';

export const openaiChat: Shape = {
  ...messageShape({
    name: NAME,
    roles: { system: 'system', developer: 'system', user: 'user', assistant: 'assistant', tool: 'tool' },
    otherRoles: ['function'],
    roleMark: '$role',
    unknownRole: { whole: true, lossOf: () => 'a role that is not known; kept as data of an assistant' },
    types: 'image_url input_audio file refusal video_url thinking reasoning',
    partFields: { image_url: ['image_url'] },
    words: { fields: ['tool_calls', 'tool_call_id'] },
    calls: { read: readCall, write: writeCall },
    results: 'alone',
    result: { fixed: { role: 'tool' }, callId: 'tool_call_id', content: 'content', textOf: writtenText },
    readMedia({ type, image_url: image }) {
      if (type !== 'image_url' || !isRecord(image)) return null;
      return mediaAt(textField(image, 'url'), extrasOf(NAME, image, ['url']));
    },
    writeMedia: (media, own) =>
      media.mediaType.startsWith('image/')
        ? { type: 'image_url', image_url: { url: urlOf(media), ...own } }
        : null,
    writeBlock: (block) => (block.type === 'media' ? null : { type: 'text', text: block.text }),
    marksOf(fields, role) {
      const { content } = fields;
      if (typeof content === 'string') return {};
      if (role === 'assistant' && !('content' in fields)) return { $content: 'absent' };
      return { $content: content === null ? 'null' : 'list' };
    },
    contentOf(parts, { $content: form }, message) {
      const hasCalls = message.parts.some(({ type }) => type === 'call');
      if (form === 'absent') return {};
      if (form === 'null' || (parts.length === 0 && hasCalls && form === undefined)) return { content: null };
      const text = parts.length === 0 ? '' : plainContent(parts);
      return { content: form === 'list' ? parts : (text ?? parts) };
    },
  }),
  unsent: ['annotations', 'logprobs'],
  textResults: true,
  usage: [['usage', 'prompt_tokens']],
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

function readCall(call: Fields): MessageCall {
  const custom = isRecord(call.custom) ? call.custom : null;
  const called = custom ?? (isRecord(call.function) ? call.function : {});
  const marks = custom === null ? blankOf(called, 'arguments') : { $custom: true };
  return {
    type: 'call',
    callId: textField(call, 'id'),
    tool: textField(called, 'name'),
    input: textField(called, custom === null ? 'arguments' : 'input'),
    ...extrasOf(NAME, call, ['id', 'type', 'function', 'custom'], marks),
  };
}

function writeCall(_id: string, part: MessageCall): Fields {
  const kept = keptFor(NAME, part);
  const { callId: id, tool: name, input } = part;
  return kept.$custom === true
    ? { id, type: 'custom', custom: { name, input }, ...ownFields(kept) }
    : { id, type: 'function', function: { name, arguments: filled(input, kept) }, ...ownFields(kept) };
}

/** A result as one text, which all compatible servers take; images and files are named. */
function writtenText(result: SentResult): string {
  const media = result.blocks.flatMap((block) => (block.type === 'media' ? [block.mediaType] : []));
  const text = textOf(result);
  if (media.length === 0) return text;
  return text === '' ? cannotBeSent(media) : `${text}\n${cannotBeSent(media)}`;
}
