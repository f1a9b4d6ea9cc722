/**
 * Lists of items, as plain data. What the assistant says in a row (messages, reasoning, calls) is
 * one message of ours, so that calls made together stay together; every part knows the item it came
 * from.
 */
import type { Message, SentPart } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import { type CallsOf, callsOf, isCall, readCall, readHosted, toolOf, writeCall } from './item-calls.ts';
import { readOutput, writeOutput } from './item-outputs.ts';
import type { ItemWords } from './item-words.ts';
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
import { type ImportedMessage, type ImportedPart, Losses, type Shape, urlOf } from './shape.ts';

type ReadMessage = { readonly role: ImportedMessage['role']; readonly parts: ImportedPart[] };

/** How items in these words are read and written. */
export function itemShape(words: ItemWords): Omit<Shape, 'name' | 'vocabulary'> {
  return {
    read(given) {
      const tools = new Map<string, string>();
      const messages: ReadMessage[] = [];
      for (const [i, item] of recordsOf(given).entries()) {
        if (isCall(words, item)) tools.set(textField(item, words.callId), toolOf(item));
        for (const message of readItem(words, item, i, tools)) append(messages, message);
      }
      return { messages, losses: [] };
    },
    write(messages) {
      const losses = new Losses();
      const calls = callsOf(words, messages);
      const written = messages.flatMap((message) => writeMessage(words, message, calls, losses));
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
}

function append(messages: ReadMessage[], { role, parts }: ReadMessage): void {
  const last = messages.at(-1);
  if (last !== undefined && last.role === role && (role === 'assistant' || role === 'tool'))
    last.parts.push(...parts);
  else messages.push({ role, parts: [...parts] });
}

function readItem(
  words: ItemWords,
  item: Fields,
  index: number,
  tools: ReadonlyMap<string, string>,
): ReadMessage[] {
  if (isCall(words, item)) return [{ role: 'assistant', parts: [readCall(words, item)] }];
  if (words.isOutput(textField(item, 'type')))
    return [{ role: 'tool', parts: [readOutput(words, item, tools)] }];
  const hosted = readHosted(words, item);
  if (hosted !== null)
    return [
      { role: 'assistant', parts: [hosted[0]] },
      { role: 'tool', parts: [hosted[1]] },
    ];
  return [{ role: roleOf(item), parts: readMessageItem(words, item, index) }];
}

function roleOf(item: Fields): ImportedMessage['role'] {
  const role = textField(item, 'role');
  if (role === 'user') return 'user';
  return role === 'system' || role === 'developer' ? 'system' : 'assistant';
}

function readMessageItem(words: ItemWords, item: Fields, index: number): ImportedPart[] {
  const { name } = words;
  if (item.type !== undefined && item.type !== 'message') return [whole(name, item)];
  const { content, ...about } = item;
  // Every part carries what its item says, so that the item can be put together again.
  const of = (extra: Fields) => ({ foreign: { [name]: { $item: index, $about: about, ...extra } } });
  if (typeof content === 'string') return [{ type: 'text', text: content, ...of({ $text: true }) }];
  return recordsOf(content).map((part): ImportedPart => {
    const { type, text, ...rest } = part;
    if ((type === 'input_text' || type === 'output_text') && typeof text === 'string')
      return { type: 'text', text, ...of({ ...theirs(rest), $type: type }) };
    const image = words.imageOf(part);
    if (image === null) {
      const file = embeddedMedia(name, part);
      if (file !== null) return { ...file, ...of(keptFor(name, file)) };
      return { type: 'data', name: textField(part, 'type', 'part'), json: jsonOf(part), ...of({}) };
    }
    const data = dataUrl(image.url);
    return data === null
      ? { type: 'media', mediaType: 'image/*', source: { url: image.url }, ...of(theirs(image.rest)) }
      : { type: 'media', mediaType: data.mediaType, data: data.base64, ...of(theirs(image.rest)) };
  });
}

function whole(shape: string, item: Fields): ImportedPart {
  return {
    type: 'data',
    name: textField(item, 'type', 'item'),
    json: jsonOf(item),
    foreign: { [shape]: { $whole: true } },
  };
}

/** A message that is being put together. */
interface OpenItem {
  readonly key: unknown;
  readonly about: Fields;
  readonly content: Fields[];
  text: string | null;
}

function writeMessage(words: ItemWords, message: Message, calls: CallsOf, losses: Losses): Fields[] {
  const items: Fields[] = [];
  let open: OpenItem | null = null;
  const close = (): void => {
    if (open !== null) items.push({ ...open.about, content: open.text ?? open.content });
    open = null;
  };
  for (const part of message.parts) {
    const single = writeItem(words, message.id, part, calls, losses);
    if (single !== null) {
      close();
      items.push(...single);
      continue;
    }
    const kept = keptFor(words.name, part);
    const fresh = words.newMessage(message.role);
    const isText = kept.$about === undefined ? fresh.asText : kept.$text === true;
    const key = kept.$item ?? message.id;
    if (open === null || open.key !== key) {
      close();
      open = { key, about: (kept.$about ?? fresh.about) as Fields, content: [], text: null };
    }
    if (isText && part.type === 'text')
      open.text = open.text === null ? part.text : `${open.text}\n${part.text}`;
    else open.content.push(...writeContent(words, message, part, kept, losses));
  }
  close();
  return items;
}

/** Parts that are items of their own; null for those that belong into a message. */
function writeItem(
  words: ItemWords,
  id: string,
  part: SentPart,
  calls: CallsOf,
  losses: Losses,
): Fields[] | null {
  if (part.type === 'call') return [writeCall(words, part, calls)];
  if (part.type === 'result') {
    if (calls.hosted.has(part.callId)) return [];
    return [writeOutput(words, id, part, calls.items.get(part.callId) ?? {}, losses)];
  }
  if (part.type !== 'data') return null;
  const kept = keptFor(words.name, part);
  if (kept.$whole === true) return [wholeAgain(part.json)];
  if (kept.$about !== undefined) return null;
  losses.add(id, `data called ${part.name}`);
  return [];
}

function writeContent(
  words: ItemWords,
  message: Message,
  part: SentPart,
  kept: Fields,
  losses: Losses,
): Fields[] {
  const own = ownFields(kept);
  if (part.type === 'text') {
    const type = kept.$type ?? (message.role === 'assistant' ? 'output_text' : 'input_text');
    return [{ type, text: part.text, ...own }];
  }
  if (part.type === 'data') return [wholeAgain(part.json)];
  if (part.type !== 'media') return [];
  const around = closedAround(words.name, part);
  if (around !== null) return [around];
  if (part.mediaType.startsWith('image/')) return [{ ...words.imagePart(urlOf(part)), ...own }];
  losses.add(message.id, `media of type ${part.mediaType}`);
  return [];
}
