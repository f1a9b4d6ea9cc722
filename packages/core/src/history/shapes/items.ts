/**
 * Lists of items, as plain data: OpenAI's responses, and OpenAI Agents (`AgentInputItem`), which has
 * the same items under names of its own. What the assistant says in a row (messages, reasoning,
 * calls) is one message of ours, so that calls made together stay together; every part knows the
 * item it came from. A call is an item of type `…_call` with an id that another item answers:
 * functions, and the tools that the API itself describes (custom tools, shells, patches, computers).
 * An output is written in the type that its call asks for, also where another shape recorded it.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import { isError, type Message, type SentPart, type SentResult, textOf } from '../message.ts';
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
  theirs,
  wholeAgain,
} from './json.ts';
import {
  closedAround,
  embeddedMedia,
  endedWith,
  mediaAt,
  onlyText,
  type PartMap,
  plainText,
  resultOf,
  urlOf,
  writeBlocks,
} from './parts.ts';
import { type ImportedMessage, type ImportedPart, type ImportedResult, Losses, type Shape } from './shape.ts';

interface ItemMap {
  readonly name: string;
  /** Fields: the id of a call, an image, the picture of a screenshot, how a command ended. */
  readonly callId: 'call_id' | 'callId';
  readonly image: 'image_url' | 'image';
  readonly screenshot: 'image_url' | 'data';
  readonly exitCode: 'exit_code' | 'exitCode';
  /** Types of outputs by the types of their calls. Default: the same with `_output`. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The type of calls that carry their own output. */
  readonly hosted?: string;
  /**
   * A library around the API: an output may be one object, such as `{ type: 'text', text }`, a
   * system message is a text, and answers have a name and a status.
   */
  readonly isLibrary?: true;
  /** Types of items and parts, with blanks between them. */
  readonly types: string;
  readonly roles: readonly string[];
}

const FUNCTION = 'function_call';
const SHELL = 'shell_call_output';
const PATCH = 'apply_patch_call_output';
const CUSTOM = 'custom_tool_call_output';

const TYPES = `message computer_call shell_call shell_call_output apply_patch_call
  apply_patch_call_output tool_search_call tool_search_output reasoning compaction input_text
  output_text input_image input_file refusal reasoning_text`;

export const openaiResponses: Shape = {
  ...itemShape({
    name: 'openai_responses',
    callId: 'call_id',
    image: 'image_url',
    screenshot: 'image_url',
    exitCode: 'exit_code',
    outputs: {},
    roles: ['system', 'developer', 'user', 'assistant'],
    types: `custom_tool_call custom_tool_call_output computer_call_output local_shell_call
      local_shell_call_output web_search_call file_search_call code_interpreter_call
      image_generation_call mcp_call mcp_list_tools mcp_approval_request mcp_approval_response
      item_reference input_audio summary_text computer_screenshot text`,
  }),
  unsent: ['id', 'status', 'logprobs', 'annotations'],
  usage: [['usage', 'input_tokens']],
};

export const openaiAgents: Shape = {
  ...itemShape({
    name: 'openai_agents',
    callId: 'callId',
    image: 'image',
    screenshot: 'data',
    exitCode: 'exitCode',
    outputs: {
      function_call: 'function_call_result',
      computer_call: 'computer_call_result',
      program: 'program_output',
    },
    hosted: 'hosted_tool_call',
    isLibrary: true,
    roles: ['system', 'user', 'assistant'],
    types: 'hosted_tool_call computer_call_result program program_output unknown audio image',
  }),
  unsent: ['id', 'status', 'namespace', 'logprobs', 'annotations'],
  usage: [['usage', 'inputTokens']],
};

function itemShape(map: ItemMap): Shape {
  const { name, callId } = map;
  const called = { [FUNCTION]: [callId, 'name', 'arguments'], [outputOf(map, FUNCTION)]: [callId, 'output'] };
  const custom = { custom_tool_call: [callId, 'name', 'input'], [CUSTOM]: [callId, 'output'] };
  return {
    name,
    vocabulary: {
      hasItems: true,
      roles: map.roles,
      types: [...Object.keys(called), ...`${TYPES} ${map.types}`.split(/\s+/)],
      content: 'content',
      fields: [],
      parts: {
        ...called,
        ...(map.isLibrary === true ? {} : custom),
        input_text: ['text'],
        output_text: ['text'],
      },
    },
    read(given) {
      const tools = new Map<string, string>();
      const messages: ReadMessage[] = [];
      for (const [i, item] of recordsOf(given).entries()) {
        if (isCall(map, item)) tools.set(textField(item, callId), toolOf(item));
        for (const { role, parts } of readItem(map, item, i, tools)) {
          const last = messages.at(-1);
          if (last?.role === role && (role === 'assistant' || role === 'tool')) last.parts.push(...parts);
          else messages.push({ role, parts: [...parts] });
        }
      }
      return { messages, losses: [] };
    },
    write(messages) {
      const writing = new Writing(map, messages);
      return {
        messages: messages.flatMap((message) => writing.message(message)),
        losses: writing.losses.list,
      };
    },
    messagesOf: ({ output }) => (Array.isArray(output) ? output : undefined),
    bodyOf: (input) => ({ input }),
    toolOf: ({ name: tool, description, inputSchema: parameters }) => ({
      type: 'function',
      name: tool,
      description,
      parameters,
      strict: false,
    }),
  };
}

type ReadMessage = { readonly role: ImportedMessage['role']; readonly parts: ImportedPart[] };

function readItem(
  map: ItemMap,
  item: Fields,
  index: number,
  tools: ReadonlyMap<string, string>,
): readonly ReadMessage[] {
  const type = textField(item, 'type');
  if (isCall(map, item)) return [{ role: 'assistant', parts: [readCall(map, item)] }];
  if (type.endsWith('_call_output') || Object.values(map.outputs).includes(type))
    return [{ role: 'tool', parts: [readOutput(map, item, tools)] }];
  if (type === map.hosted && typeof item.output === 'string' && textField(item, 'id') !== '')
    return readHosted(map, item, item.output);
  const role = textField(item, 'role');
  const parts = readMessageItem(map, item, index);
  if (role === 'user') return [{ role, parts }];
  return [{ role: role === 'system' || role === 'developer' ? 'system' : 'assistant', parts }];
}

/** Whether an item calls a tool that another item answers; searches for tools are kept whole. */
function isCall({ callId }: ItemMap, item: Fields): boolean {
  const { type } = item;
  if (typeof type !== 'string' || typeof item[callId] !== 'string') return false;
  return (type.endsWith('_call') && type !== 'tool_search_call') || type === 'program';
}

/** The name of what is called; tools of the API are called by their type. */
function toolOf(item: Fields): string {
  return textField(item, 'name', textField(item, 'type').replace(/(_tool)?_call$/, ''));
}

function outputOf({ outputs }: ItemMap, callType: string): string {
  return outputs[callType] ?? `${callType}_output`;
}

function readCall({ name, callId }: ItemMap, item: Fields): MessageCall {
  const call = { type: 'call', callId: textField(item, callId), tool: toolOf(item) } as const;
  if (item.type === FUNCTION) {
    const kept = extrasOf(name, item, ['type', callId, 'name', 'arguments'], blankOf(item, 'arguments'));
    return { ...call, input: textField(item, 'arguments'), ...kept };
  }
  const input = item.action ?? item.operation ?? item.actions ?? item.code ?? {};
  return {
    ...call,
    input: typeof item.input === 'string' ? item.input : jsonOf(input),
    ...extrasOf(name, {}, [], { $item: item }),
  };
}

/** Hosted tools carry their output in the call; it is taken apart, so that it is bounded. */
function readHosted({ name }: ItemMap, item: Fields, text: string): readonly ReadMessage[] {
  const { output: _, ...call } = item;
  const of = { callId: textField(item, 'id'), tool: toolOf(item) };
  const input = textField(item, 'arguments', '{}');
  return [
    {
      role: 'assistant',
      parts: [{ type: 'call', ...of, input, ...extrasOf(name, {}, [], { $item: call }) }],
    },
    { role: 'tool', parts: [{ type: 'result', ...of, result: { kind: 'text', text } }] },
  ];
}

function readOutput(map: ItemMap, item: Fields, tools: ReadonlyMap<string, string>): ImportedResult {
  const type = textField(item, 'type');
  const { output } = item;
  // Outputs of local shells have the id of their call as their own.
  const callId = textField(item, map.callId, textField(item, 'id'));
  const isScreenshot = type === outputOf(map, 'computer_call') && isRecord(output);
  return {
    type: 'result',
    callId,
    tool: tools.get(callId) ?? textField(item, 'name', 'unknown'),
    result: contentOf(map, type, output),
    ...(item.status === 'failed' ? { outcome: { status: 'error' } as const } : {}),
    ...extrasOf(map.name, item, ['type', map.callId, 'output'], {
      $type: type === outputOf(map, FUNCTION) ? undefined : type,
      $chunks: type === SHELL ? chunksOf(output) : undefined,
      $screen: isScreenshot ? { ...output, [map.screenshot]: undefined } : undefined,
      $list: Array.isArray(output) || undefined,
      ...(map.isLibrary === true ? spellingOf(output) : {}),
      $byId: typeof item[map.callId] !== 'string' || undefined,
      $none: output === undefined ? 'absent' : output === null ? 'null' : undefined,
    }),
  };
}

function spellingOf(output: unknown): Fields {
  if (typeof output === 'string') return { $string: true };
  return isRecord(output) && typeof output.text === 'string' ? { $object: { ...output, text: '' } } : {};
}

function contentOf(map: ItemMap, type: string, output: unknown): ToolResult {
  if (output === undefined || output === null) return { kind: 'text', text: '' };
  if (type === SHELL) {
    const texts = recordsOf(output).flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const blocks = texts.flatMap((text): ContentBlock[] =>
      typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [],
    );
    return { kind: 'blocks', blocks };
  }
  const isObject = isRecord(output) && (map.isLibrary === true || type === outputOf(map, 'computer_call'));
  if (isObject && typeof output.text === 'string') return { kind: 'text', text: output.text };
  return resultOf(map.name, isObject ? [output] : output, (block) => {
    if (block.type === 'computer_screenshot') return plainImage(block[map.screenshot]);
    const image = imageIn(map, block);
    const plain = image === null || Object.keys(image.rest).length > 0 ? null : plainImage(image.url);
    return plain ?? plainText(block, 'input_text');
  });
}

function plainImage(url: unknown): ContentBlock | null {
  const data = typeof url === 'string' ? dataUrl(url) : null;
  return data === null ? null : { type: 'image', data: data.base64, mimeType: data.mediaType };
}

function imageIn(map: ItemMap, part: Fields): { readonly url: string; readonly rest: Fields } | null {
  const { type, [map.image]: url, ...rest } = part;
  const isUrl = typeof url === 'string' && /^(?:data|https?):/.test(url);
  return type === 'input_image' && isUrl ? { url, rest } : null;
}

/** What a shell said is text; around it stands how each command ended. */
function chunksOf(output: unknown): readonly Fields[] {
  const isFilled = (text: unknown): boolean => typeof text === 'string' && text !== '';
  return recordsOf(output).map((chunk) => ({
    ...chunk,
    stdout: isFilled(chunk.stdout),
    stderr: isFilled(chunk.stderr),
  }));
}

function readMessageItem(map: ItemMap, item: Fields, index: number): ImportedPart[] {
  const { name } = map;
  if (item.type !== undefined && item.type !== 'message')
    return [{ ...dataOf(name, item), json: jsonOf(item), foreign: { [name]: { $whole: true } } }];
  const { content, ...about } = item;
  // Every part carries what its item says, so that the item can be put together again.
  const of = (extra: Fields) => ({ foreign: { [name]: { $item: index, $about: about, ...extra } } });
  if (typeof content === 'string') return [{ type: 'text', text: content, ...of({ $text: true }) }];
  return recordsOf(content).map((part): ImportedPart => {
    const { type, text, ...rest } = part;
    if ((type === 'input_text' || type === 'output_text') && typeof text === 'string')
      return { type: 'text', text, ...of({ ...theirs(rest), $type: type }) };
    const image = imageIn(map, part);
    if (image !== null) return mediaAt(image.url, of(theirs(image.rest)));
    const file = embeddedMedia(name, part);
    if (file !== null) return { ...file, ...of(keptFor(name, file)) };
    return { ...dataOf(name, part), json: jsonOf(part), ...of({}) };
  });
}

interface OpenItem {
  readonly key: unknown;
  readonly about: Fields;
  readonly content: Fields[];
  text: string | null;
}

class Writing {
  readonly losses = new Losses();
  readonly #map: ItemMap;
  readonly #parts: PartMap;
  /** The items of calls that are no functions, by the ids of the calls. */
  readonly #items: ReadonlyMap<string, Fields>;
  readonly #hosted = new Map<string, SentResult>();

  constructor(map: ItemMap, messages: readonly Message[]) {
    this.#map = map;
    const writeMedia: PartMap['writeMedia'] = (media, own) =>
      media.mediaType.startsWith('image/')
        ? { type: 'input_image', [map.image]: urlOf(media), ...own }
        : null;
    this.#parts = {
      name: map.name,
      writeMedia,
      writeBlock: (block) =>
        block.type === 'media' ? writeMedia(block, {}, {}) : { type: 'input_text', text: block.text },
    };
    const parts = messages.flatMap((message) => message.parts);
    this.#items = new Map(
      parts.flatMap((part): [string, Fields][] => {
        const item = part.type === 'call' ? keptFor(map.name, part).$item : undefined;
        return part.type === 'call' && isRecord(item) ? [[part.callId, item]] : [];
      }),
    );
    for (const part of parts)
      if (part.type === 'result' && map.hosted !== undefined)
        if (this.#items.get(part.callId)?.type === map.hosted) this.#hosted.set(part.callId, part);
  }

  message(message: Message): Fields[] {
    const { name, isLibrary } = this.#map;
    const { id, role } = message;
    const status = isLibrary === true && role === 'assistant' ? { status: 'completed' } : {};
    const items: Fields[] = [];
    let open: OpenItem | null = null;
    const close = (): void => {
      if (open !== null) items.push({ ...open.about, content: open.text ?? open.content });
      open = null;
    };
    for (const part of message.parts) {
      const single = this.#item(id, part);
      if (single !== null) {
        close();
        items.push(...single);
        continue;
      }
      const kept = keptFor(name, part);
      const isNew = kept.$about === undefined;
      const key = kept.$item ?? id;
      if (open === null || open.key !== key) {
        close();
        const about = isNew ? { type: 'message', role, ...status } : (kept.$about as Fields);
        open = { key, about, content: [], text: null };
      }
      const isText = isNew ? isLibrary === true && role === 'system' : kept.$text === true;
      if (isText && part.type === 'text')
        open.text = open.text === null ? part.text : `${open.text}\n${part.text}`;
      else open.content.push(...this.#content(message, part, kept));
    }
    close();
    return items;
  }

  #item(id: string, part: SentPart): Fields[] | null {
    if (part.type === 'call') return [this.#call(part)];
    if (part.type === 'result') return this.#hosted.has(part.callId) ? [] : [this.#output(id, part)];
    if (part.type !== 'data') return null;
    const kept = keptFor(this.#map.name, part);
    if (kept.$whole === true) return [wholeAgain(part.json)];
    if (kept.$about !== undefined) return null;
    this.losses.add(id, `data called ${part.name}`);
    return [];
  }

  #content({ id, role }: Message, part: SentPart, kept: Fields): Fields[] {
    const own = ownFields(kept);
    if (part.type === 'text') {
      const type = kept.$type ?? (role === 'assistant' ? 'output_text' : 'input_text');
      return [{ type, text: part.text, ...own }];
    }
    if (part.type === 'data') return [wholeAgain(part.json)];
    if (part.type !== 'media') return [];
    const written = closedAround(this.#map.name, part) ?? this.#parts.writeMedia(part, own, kept);
    if (written !== null) return [written];
    this.losses.add(id, `media of type ${part.mediaType}`);
    return [];
  }

  #call(part: MessageCall): Fields {
    const { name, callId: field } = this.#map;
    const kept = keptFor(name, part);
    const { callId, tool, input } = part;
    const output = this.#hosted.get(callId);
    if (isRecord(kept.$item))
      return { ...kept.$item, ...(output === undefined ? { [field]: callId } : { output: textOf(output) }) };
    return {
      type: FUNCTION,
      [field]: callId,
      name: tool,
      arguments: filled(input, kept),
      ...ownFields(kept),
    };
  }

  #output(id: string, result: SentResult): Fields {
    const { name, callId, isLibrary } = this.#map;
    const { tool, status } = result;
    const kept = keptFor(name, result);
    const call = this.#items.get(result.callId) ?? {};
    const type = textField(kept, '$type', outputOf(this.#map, textField(call, 'type', FUNCTION)));
    if (isError(result) && type !== PATCH) this.losses.add(id, endedWith(result));
    const isById = kept.$byId === true || type === 'local_shell_call_output';
    const isAbsent = kept.$none === 'absent' && textOf(result) === '';
    const isBroken = status === 'cancelled' || status === 'timeout';
    return {
      type,
      [isById ? 'id' : callId]: result.callId,
      ...(isLibrary === true && type === outputOf(this.#map, FUNCTION)
        ? { name: tool, status: isBroken ? 'incomplete' : 'completed' }
        : {}),
      ...(isAbsent ? {} : { output: this.#outputValue(id, type, result, kept) }),
      ...(type === PATCH ? { status: isError(result) ? 'failed' : 'completed' } : {}),
      ...ownFields(kept),
    };
  }

  #outputValue(id: string, type: string, result: SentResult, kept: Fields): unknown {
    if (kept.$none === 'null' && textOf(result) === '') return null;
    if (type === SHELL) return this.#shellOutput(result, kept.$chunks);
    if (type === outputOf(this.#map, 'computer_call')) return this.#screenshot(id, result, kept.$screen);
    const written = writeBlocks(this.#parts, id, result, this.losses);
    const isFunction = type === outputOf(this.#map, FUNCTION);
    const text = kept.$list === true ? null : onlyText(result);
    if (text === null) return isFunction || type === CUSTOM ? written : textOf(result);
    if (!isFunction || this.#map.isLibrary !== true || kept.$string === true) return text;
    return isRecord(kept.$object) ? { ...kept.$object, text } : { type: 'text', text };
  }

  /** In the chunks it came in, where all of it is shown; else as one that ended like the last. */
  #shellOutput(result: SentResult, chunks: unknown): readonly Fields[] {
    const around = recordsOf(chunks);
    const texts = result.blocks.flatMap((block) => (block.type === 'media' ? [] : [block.text]));
    const wanted = around.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(Boolean).length;
    if (around.length > 0 && wanted === texts.length) {
      const next = (there: unknown): string => (there === true ? (texts.shift() ?? '') : '');
      return around.map((chunk) => ({ ...chunk, stdout: next(chunk.stdout), stderr: next(chunk.stderr) }));
    }
    const ended = { type: 'exit', [this.#map.exitCode]: isError(result) ? 1 : 0 };
    return [{ stdout: texts.join('\n'), stderr: '', outcome: around.at(-1)?.outcome ?? ended }];
  }

  #screenshot(id: string, result: SentResult, screen: unknown): Fields {
    const own = result.blocks.find((block) => block.type === 'json' && block.shape === this.#map.name);
    if (own?.type === 'json') return wholeAgain(own.text);
    const image = result.blocks.find((block) => block.type === 'media');
    if (image === undefined)
      this.losses.add(id, `the text of the result of ${result.callId}: only a picture has a place`);
    const about = isRecord(screen) ? screen : { type: 'computer_screenshot' };
    return { ...about, ...(image === undefined ? {} : { [this.#map.screenshot]: urlOf(image) }) };
  }
}
