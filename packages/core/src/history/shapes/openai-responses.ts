/**
 * Items of OpenAI's responses, as plain data. What the assistant says in a row (messages,
 * reasoning, calls) is one message of ours, so that calls made together stay together; every part
 * knows the item it came from.
 */
import type { Message, SentPart } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  dataUrl,
  type Fields,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
  theirs,
  wholeAgain,
} from './json.ts';
import {
  callItems,
  isCall,
  isOutput,
  readCall,
  readOutput,
  toolOf,
  writeCall,
  writeOutput,
} from './openai-items.ts';
import { type ImportedMessage, type ImportedPart, Losses, type Shape, urlOf } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'openai_responses';

export const openaiResponses: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.openai_responses,
  read(given) {
    const tools = new Map<string, string>();
    const messages: { role: ImportedMessage['role']; parts: ImportedPart[] }[] = [];
    for (const [i, item] of recordsOf(given).entries()) {
      if (isCall(item)) tools.set(textField(item, 'call_id'), toolOf(item));
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
    const calls = callItems(messages);
    const written = messages.flatMap((message) => writeMessage(message, calls, losses));
    return { messages: written, losses: losses.list };
  },
  messagesOf: ({ output }) => (Array.isArray(output) ? output : undefined),
  bodyOf: (input) => ({ input }),
  toolOf: ({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: false,
  }),
};

function roleOf(item: Fields): ImportedMessage['role'] {
  if (isOutput(item)) return 'tool';
  const role = textField(item, 'role');
  if (role === 'user') return 'user';
  return role === 'system' || role === 'developer' ? 'system' : 'assistant';
}

function readItem(item: Fields, index: number, tools: ReadonlyMap<string, string>): ImportedPart[] {
  if (isCall(item)) return [readCall(item)];
  if (isOutput(item)) return [readOutput(item, tools)];
  if (item.type !== undefined && item.type !== 'message') return [whole(item)];
  const { content, ...about } = item;
  // Every part carries what its item says, so that the item can be put together again.
  const of = (extra: Fields) => ({ foreign: { [NAME]: { $item: index, $about: about, ...extra } } });
  if (typeof content === 'string') return [{ type: 'text', text: content, ...of({ $text: true }) }];
  return recordsOf(content).map((part): ImportedPart => {
    const { type, text, ...rest } = part;
    if ((type === 'input_text' || type === 'output_text') && typeof text === 'string')
      return { type: 'text', text, ...of({ ...theirs(rest), $type: type }) };
    const image = type === 'input_image' && typeof part.image_url === 'string' ? part.image_url : null;
    if (image === null) {
      const file = embeddedMedia(NAME, part);
      if (file !== null) return { ...file, ...of(keptFor(NAME, file)) };
      return { type: 'data', name: textField(part, 'type', 'part'), json: jsonOf(part), ...of({}) };
    }
    const { image_url: _, type: __, ...others } = part;
    const data = dataUrl(image);
    return data === null
      ? { type: 'media', mediaType: 'image/*', source: { url: image }, ...of(theirs(others)) }
      : { type: 'media', mediaType: data.mediaType, data: data.base64, ...of(theirs(others)) };
  });
}

function whole(item: Fields): ImportedPart {
  return {
    type: 'data',
    name: textField(item, 'type', 'item'),
    json: jsonOf(item),
    foreign: { [NAME]: { $whole: true } },
  };
}

function writeMessage(message: Message, calls: ReadonlyMap<string, Fields>, losses: Losses): Fields[] {
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
    const single = writeItem(message.id, part, calls, losses);
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
function writeItem(
  id: string,
  part: SentPart,
  calls: ReadonlyMap<string, Fields>,
  losses: Losses,
): Fields[] | null {
  const kept = keptFor(NAME, part);
  if (part.type === 'call') return [writeCall(part)];
  if (part.type === 'result') return [writeOutput(id, part, calls.get(part.callId) ?? {}, losses)];
  if (part.type !== 'data') return null;
  if (kept.$whole === true) return [wholeAgain(part.json)];
  if (kept.$about !== undefined) return null;
  losses.add(id, `data called ${part.name}`);
  return [];
}

function writeContent(message: Message, part: SentPart, kept: Fields, losses: Losses): Fields | null {
  const own = ownFields(kept);
  if (part.type === 'text') {
    const type = kept.$type ?? (message.role === 'assistant' ? 'output_text' : 'input_text');
    return { type, text: part.text, ...own };
  }
  if (part.type === 'data') return wholeAgain(part.json);
  if (part.type !== 'media') return null;
  const around = closedAround(NAME, part);
  if (around !== null) return around;
  if (part.mediaType.startsWith('image/')) return { type: 'input_image', image_url: urlOf(part), ...own };
  losses.add(message.id, `media of type ${part.mediaType}`);
  return null;
}
