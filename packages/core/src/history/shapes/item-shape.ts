/**
 * Lists of items, as plain data. What the assistant says in a row (messages, reasoning, calls) is
 * one message of ours, so that calls made together stay together; every part knows the item it came
 * from.
 */

import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import {
  isError,
  type Message,
  type ResultBlock,
  type SentPart,
  type SentResult,
  textOf,
} from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import type { ItemWords } from './item-words.ts';
import {
  blankOf,
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
  theirs,
  wholeAgain,
} from './json.ts';
import { onlyText, plainImage, plainText, resultOf, writeBlocks } from './results.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  Losses,
  type Shape,
  urlOf,
} from './shape.ts';

/**
 * Outputs of calls among items. An output is written in the type that its call asks for, also where
 * it was recorded by somebody else.
 */
const SHELL = 'shell_call_output';
const PATCH = 'apply_patch_call_output';
const LOCAL_SHELL = 'local_shell_call_output';

function readOutput(words: ItemWords, item: Fields, tools: ReadonlyMap<string, string>): ImportedResult {
  const type = textField(item, 'type');
  const { output } = item;
  // Outputs of local shells have the id of their call as their own.
  const callId = textField(item, words.callId, textField(item, 'id'));
  const kept = extrasOf(words.name, item, ['type', words.callId, 'output'], {
    ...(type === words.outputOf('function_call') ? {} : { $type: type }),
    ...(type === SHELL ? { $chunks: chunksOf(output) } : {}),
    ...(isScreen(words, type) && isRecord(output)
      ? { $screen: { ...output, [words.screenshot]: undefined } }
      : {}),
    ...(Array.isArray(output) ? { $list: true } : {}),
    ...(words.hasObjects === true ? spellingOf(output) : {}),
    ...(typeof item[words.callId] === 'string' ? {} : { $byId: true }),
    ...(output === undefined || output === null ? { $none: output === null ? 'null' : 'absent' } : {}),
  });
  const tool = tools.get(callId) ?? textField(item, 'name', 'unknown');
  const outcome = item.status === 'failed' ? { outcome: { status: 'error' } as const } : {};
  return { type: 'result', callId, tool, result: contentOf(words, type, output), ...outcome, ...kept };
}

/** The one it came as, or the one that its call asks for. */
function writeOutput(words: ItemWords, id: string, result: SentResult, call: Fields, losses: Losses): Fields {
  const kept = keptFor(words.name, result);
  const type = textField(kept, '$type', words.outputOf(textField(call, 'type', 'function_call')));
  const failing = type === PATCH;
  if (isError(result) && !failing)
    losses.add(id, `that the call ${result.callId} ended with ${result.status}`);
  const named = kept.$byId === true || type === LOCAL_SHELL ? 'id' : words.callId;
  const status =
    failing && kept.status === undefined ? { status: isError(result) ? 'failed' : 'completed' } : {};
  const output = kept.$none !== undefined && textOf(result) === '' ? NOTHING[String(kept.$none)] : undefined;
  const written = output ?? { output: outputOf(words, type, id, result, kept, losses) };
  const added = words.newOutput(result, type);
  return { type, [named]: result.callId, ...added, ...written, ...status, ...ownFields(kept) };
}

const NOTHING: Readonly<Record<string, Fields>> = { null: { output: null }, absent: {} };

/** How a text was spelled. */
function spellingOf(output: unknown): Fields {
  if (typeof output === 'string') return { $string: true };
  return isRecord(output) && typeof output.text === 'string' ? { $object: { ...output, text: '' } } : {};
}

function isScreen({ outputOf }: ItemWords, type: string): boolean {
  return type === outputOf('computer_call');
}

function contentOf(words: ItemWords, type: string, output: unknown): ToolResult {
  if (output === undefined || output === null) return { kind: 'text', text: '' };
  if (type === SHELL) {
    const texts = recordsOf(output).flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const blocks = texts.flatMap((text): ContentBlock[] =>
      typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [],
    );
    return { kind: 'blocks', blocks };
  }
  const isObject = isRecord(output) && (words.hasObjects === true || isScreen(words, type));
  if (isObject && typeof output.text === 'string') return { kind: 'text', text: output.text };
  return resultOf(words.name, isObject ? [output] : output, (block) => {
    if (block.type === 'computer_screenshot') return plainImage(block[words.screenshot], 0);
    const image = words.imageOf(block);
    const plain = image === null ? null : plainImage(image.url, Object.keys(image.rest).length);
    return plain ?? plainText(block, 'input_text');
  });
}

function outputOf(
  words: ItemWords,
  type: string,
  id: string,
  result: SentResult,
  kept: Fields,
  losses: Losses,
): unknown {
  if (type === SHELL) return shellOutput(words, result, kept.$chunks);
  if (isScreen(words, type)) return screenshot(words, id, result, kept.$screen, losses);
  const { written, dropped } = writeBlocks(words.name, result.blocks, (block) => writeBlock(words, block));
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const isFunction = type === words.outputOf('function_call');
  const text = kept.$list === true ? null : onlyText(result);
  if (text !== null) return isFunction ? words.textOutput(text, kept) : text;
  return isFunction || type === 'custom_tool_call_output' ? written : textOf(result);
}

function writeBlock(words: ItemWords, block: ResultBlock): Fields | null {
  if (block.type !== 'media') return { type: 'input_text', text: block.text };
  return block.mediaType.startsWith('image/') ? words.imagePart(urlOf(block)) : null;
}

/** What a shell said is text; around it stands how each command ended. */
function chunksOf(output: unknown): readonly Fields[] {
  return recordsOf(output).map((chunk) => ({
    ...chunk,
    stdout: typeof chunk.stdout === 'string' && chunk.stdout !== '',
    stderr: typeof chunk.stderr === 'string' && chunk.stderr !== '',
  }));
}

/** In the chunks it came in, where all of it is shown; else as one that ended like the last. */
function shellOutput({ exitCode }: ItemWords, result: SentResult, chunks: unknown): readonly Fields[] {
  const around = recordsOf(chunks);
  const texts = result.blocks.flatMap((block) => (block.type === 'media' ? [] : [block.text]));
  const wanted = around.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(Boolean).length;
  if (around.length > 0 && wanted === texts.length) {
    const next = (there: unknown): string => (there === true ? (texts.shift() ?? '') : '');
    return around.map((chunk) => ({ ...chunk, stdout: next(chunk.stdout), stderr: next(chunk.stderr) }));
  }
  const outcome = around.at(-1)?.outcome ?? { type: 'exit', [exitCode]: isError(result) ? 1 : 0 };
  return [{ stdout: texts.join('\n'), stderr: '', outcome }];
}

/** Only a picture can stand there. */
function screenshot(
  words: ItemWords,
  id: string,
  result: SentResult,
  screen: unknown,
  losses: Losses,
): Fields {
  const image = result.blocks.find((block) => block.type === 'media');
  const [own] = writeBlocks(words.name, result.blocks, () => null).written;
  if (own !== undefined) return own;
  if (image === undefined)
    losses.add(id, `the text of the result of ${result.callId}: only a picture has a place`);
  const about = isRecord(screen) ? screen : { type: 'computer_screenshot' };
  return { ...about, ...(image === undefined ? {} : { [words.screenshot]: urlOf(image) }) };
}

/**
 * Calls among items, as OpenAI's responses and OpenAI Agents have them: functions, and the tools
 * that the API itself describes (custom tools, shells, patches, computers). A call is an item of
 * type `…_call` with an id that another item answers. Tools that the provider runs itself carry
 * their output in the item of the call; it is taken apart, so that it is bounded like any other.
 */
const FUNCTION = 'function_call';
/** Answered by an item with tools in it: both are given back as they are. */
const TOOL_SEARCH = 'tool_search_call';

/** Whether an item calls a tool that another item answers. */
function isCall({ callId }: ItemWords, item: Fields): boolean {
  const { type } = item;
  if (typeof type !== 'string' || typeof item[callId] !== 'string') return false;
  return (type.endsWith('_call') && type !== TOOL_SEARCH) || type === 'program';
}

/** The name of what is called; tools of the API are called by their type. */
function toolOf(item: Fields): string {
  return textField(item, 'name', textField(item, 'type').replace(/(_tool)?_call$/, ''));
}

function readCall({ name, callId }: ItemWords, item: Fields): MessageCall {
  const call = { type: 'call', callId: textField(item, callId), tool: toolOf(item) } as const;
  if (item.type === FUNCTION) {
    const known = ['type', callId, 'name', 'arguments'];
    const kept = extrasOf(name, item, known, blankOf(item, 'arguments'));
    return { ...call, input: textField(item, 'arguments'), ...kept };
  }
  const input =
    typeof item.input === 'string'
      ? item.input
      : jsonOf(item.action ?? item.operation ?? item.actions ?? (item.code === undefined ? {} : item.code));
  return { ...call, input, ...extrasOf(name, {}, [], { $item: item }) };
}

function writeCall(words: ItemWords, part: MessageCall, { hosted }: CallsOf): Fields {
  const kept = keptFor(words.name, part);
  const { callId, tool, input } = part;
  const output = hosted.get(callId);
  if (isRecord(kept.$item))
    return {
      ...kept.$item,
      ...(output === undefined ? { [words.callId]: callId } : { output: textOf(output) }),
    };
  const call = { type: FUNCTION, [words.callId]: callId, name: tool, arguments: filled(input, kept) };
  return { ...call, ...ownFields(kept) };
}

/** A call that carries its output, taken apart; null for any other item. */
function readHosted(
  { name, hosted }: ItemWords,
  item: Fields,
): readonly [MessageCall, ImportedResult] | null {
  const { output, ...call } = item;
  if (hosted === undefined || item.type !== hosted || typeof output !== 'string') return null;
  const callId = textField(item, 'id');
  if (callId === '') return null;
  const of = { callId, tool: toolOf(item) };
  const input = textField(item, 'arguments', '{}');
  return [
    { type: 'call', ...of, input, ...extrasOf(name, {}, [], { $item: call }) },
    { type: 'result', ...of, result: { kind: 'text', text: output } },
  ];
}

/** What is known of the calls in messages, by their ids. */
interface CallsOf {
  /** The items of calls that are no functions. */
  readonly items: ReadonlyMap<string, Fields>;
  /** The results that are written into their calls. */
  readonly hosted: ReadonlyMap<string, SentResult>;
}

function callsOf(words: ItemWords, messages: readonly Message[]): CallsOf {
  const parts = messages.flatMap((message) => message.parts);
  const items = new Map(parts.flatMap((part) => itemOf(words, part)));
  const hosted = new Map<string, SentResult>();
  for (const part of parts)
    if (part.type === 'result' && items.get(part.callId)?.type === words.hosted && words.hosted !== undefined)
      hosted.set(part.callId, part);
  return { items, hosted };
}

function itemOf({ name }: ItemWords, part: SentPart): [string, Fields][] {
  const item = part.type === 'call' ? keptFor(name, part).$item : undefined;
  return part.type === 'call' && isRecord(item) ? [[part.callId, item]] : [];
}

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
