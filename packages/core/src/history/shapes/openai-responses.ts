/**
 * Items of OpenAI's responses, as plain data. What the assistant says in a row (messages, reasoning, calls) is one message of ours, so that
 * calls made together stay together; every part knows the item it came from.
 */
import type { ContentBlock } from '../../index.ts';
import { isError, type SpokenMessage, type SpokenPart, type SpokenResult } from '../spoken.ts';
import { dataUrl, type Fields, foreignOf, keptFor, ownFields, parsed, recordsOf, textField } from './json.ts';
import { onlyText, plainImage, plainText, resultOf, writeBlocks } from './results.ts';
import {
  type ForeignMessage,
  type ForeignPart,
  type ForeignResult,
  Losses,
  type Shape,
  urlOf,
} from './shape.ts';

const NAME = 'openai_responses';

export const openaiResponses: Shape = {
  name: NAME,
  read(given) {
    const tools = new Map<string, string>();
    const messages: { role: ForeignMessage['role']; parts: ForeignPart[] }[] = [];
    for (const [i, item] of recordsOf(given).entries()) {
      if (item.type === 'function_call') tools.set(textField(item, 'call_id'), textField(item, 'name'));
      const role = roleOf(item);
      const last = messages.at(-1);
      const parts = readItem(item, i, tools);
      if (last !== undefined && last.role === role && (role === 'assistant' || role === 'tool'))
        last.parts.push(...parts);
      else messages.push({ role, parts });
    }
    return { messages, losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    return { messages: messages.flatMap((message) => writeMessage(message, losses)), losses: losses.list };
  },
};

function roleOf(item: Fields): ForeignMessage['role'] {
  if (item.type === 'function_call_output') return 'tool';
  const role = textField(item, 'role');
  if (role === 'user') return 'user';
  return role === 'system' || role === 'developer' ? 'system' : 'assistant';
}

function readItem(item: Fields, index: number, tools: ReadonlyMap<string, string>): ForeignPart[] {
  if (item.type === 'function_call')
    return [
      {
        type: 'call',
        callId: textField(item, 'call_id'),
        tool: textField(item, 'name'),
        input: textField(item, 'arguments'),
        ...foreignOf(NAME, item, ['type', 'call_id', 'name', 'arguments']),
      },
    ];
  if (item.type === 'function_call_output') return [readResult(item, tools)];
  if (item.type !== undefined && item.type !== 'message') return [whole(item)];
  const { content, ...about } = item;
  // Every part carries what its item says, so that the item can be put together again.
  const of = (extra: Fields) => ({ foreign: { [NAME]: { $item: index, $about: about, ...extra } } });
  if (typeof content === 'string') return [{ type: 'text', text: content, ...of({ $text: true }) }];
  return recordsOf(content).map((part): ForeignPart => {
    const { type, text, ...rest } = part;
    if ((type === 'input_text' || type === 'output_text') && typeof text === 'string')
      return { type: 'text', text, ...of({ $type: type, ...rest }) };
    const image = type === 'input_image' && typeof part.image_url === 'string' ? part.image_url : null;
    if (image === null)
      return { type: 'data', name: textField(part, 'type', 'part'), json: JSON.stringify(part), ...of({}) };
    const { image_url: _, type: __, ...others } = part;
    const data = dataUrl(image);
    return data === null
      ? { type: 'media', mediaType: 'image/*', source: { url: image }, ...of(others) }
      : { type: 'media', mediaType: data.mediaType, data: data.base64, ...of(others) };
  });
}

function whole(item: Fields): ForeignPart {
  return {
    type: 'data',
    name: textField(item, 'type', 'item'),
    json: JSON.stringify(item),
    foreign: { [NAME]: { $whole: true } },
  };
}

function readResult(item: Fields, tools: ReadonlyMap<string, string>): ForeignResult {
  const callId = textField(item, 'call_id');
  const toBlock = (block: Fields): ContentBlock | null => {
    if (block.type === 'input_image') {
      const image = plainImage(block.image_url, Object.keys(block).length - 2);
      if (image !== null) return image;
    }
    return plainText(block, 'input_text');
  };
  const list = Array.isArray(item.output) ? { $list: true } : {};
  return {
    type: 'result',
    callId,
    tool: tools.get(callId) ?? 'unknown',
    result: resultOf(NAME, item.output, toBlock),
    ...foreignOf(NAME, item, ['type', 'call_id', 'output'], list),
  };
}

function writeMessage(message: SpokenMessage, losses: Losses): Fields[] {
  const items: Fields[] = [];
  let open: {
    readonly key: unknown;
    readonly about: Fields;
    readonly content: Fields[];
    text: string | null;
  } | null = null;
  const close = (): void => {
    if (open !== null) items.push({ ...open.about, content: open.text ?? open.content });
    open = null;
  };
  for (const part of message.parts) {
    const single = writeItem(message.id, part, losses);
    if (single !== null) {
      close();
      items.push(...single);
      continue;
    }
    const kept = keptFor(NAME, part);
    const about = (kept.$about ?? { type: 'message', role: message.role }) as Fields;
    const key = kept.$item ?? message.id;
    if (open === null || open.key !== key) {
      close();
      open = { key, about, content: [], text: null };
    }
    const written = writeContent(message, part, kept, losses);
    if (kept.$text === true && part.type === 'text') open.text = part.text;
    else if (written !== null) open.content.push(written);
  }
  close();
  return items;
}

/** Parts that are items of their own; null for those that belong into a message. */
function writeItem(id: string, part: SpokenPart, losses: Losses): Fields[] | null {
  const kept = keptFor(NAME, part);
  if (part.type === 'call') {
    const { callId, tool, input } = part;
    return [{ type: 'function_call', call_id: callId, name: tool, arguments: input, ...ownFields(kept) }];
  }
  if (part.type === 'result') return [writeResult(id, part, losses)];
  if (part.type !== 'data') return null;
  if (kept.$whole === true) return [parsed(part.json) as Fields];
  if (kept.$about !== undefined) return null;
  losses.add(id, `data called ${part.name}`);
  return [];
}

function writeContent(message: SpokenMessage, part: SpokenPart, kept: Fields, losses: Losses): Fields | null {
  const own = ownFields(kept);
  if (part.type === 'text') {
    const type = kept.$type ?? (message.role === 'assistant' ? 'output_text' : 'input_text');
    return { type, text: part.text, ...own };
  }
  if (part.type === 'data') return parsed(part.json) as Fields;
  if (part.type !== 'media') return null;
  if (part.mediaType.startsWith('image/')) return { type: 'input_image', image_url: urlOf(part), ...own };
  losses.add(message.id, `media of type ${part.mediaType}`);
  return null;
}

function writeResult(id: string, result: SpokenResult, losses: Losses): Fields {
  if (isError(result)) losses.add(id, `that the call ${result.callId} ended with ${result.status}`);
  const kept = keptFor(NAME, result);
  const { written, dropped } = writeBlocks(NAME, result.blocks, (block) => {
    if (block.type !== 'media') return { type: 'input_text', text: block.text };
    return block.mediaType.startsWith('image/') ? { type: 'input_image', image_url: urlOf(block) } : null;
  });
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const output = (kept.$list === true ? null : onlyText(result)) ?? written;
  return { type: 'function_call_output', call_id: result.callId, output, ...ownFields(kept) };
}
