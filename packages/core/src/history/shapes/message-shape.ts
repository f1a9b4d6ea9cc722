/**
 * Shapes whose messages hold a list of parts, made from a map of their fields: reader, writer and
 * vocabulary follow from it. What a map cannot say is a function in it. A message of ours has
 * results in a message of their own, behind their calls; a framework may have them elsewhere.
 */
import type { MessageCall, Role } from '../../model/message.ts';
import type { Message, SentPart, SentResult } from '../message.ts';
import {
  extrasOf,
  type Fields,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
  wholeAgain,
} from './json.ts';
import { type PartMap, plainContent, readPart, readResult, writePart, writeResult } from './parts.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  Losses,
  type Shape,
  type Vocabulary,
} from './shape.ts';

/** How a framework spells its messages. */
export interface MessageMap extends PartMap {
  /** Their roles, as ours. The first one for each of ours is the one that is written. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Roles that a list may have and that have no word of ours. */
  readonly otherRoles?: readonly string[];
  /** Under which name another spelling of a role is remembered. */
  readonly roleMark?: '$role' | '$type';
  /** What is lost with an unknown role, where such a message is taken; `whole` keeps all of it. */
  readonly unknownRole?: { readonly whole?: true; lossOf(role: string): string };
  /** The field that holds the parts. Default: `content`. */
  readonly content?: 'parts';
  /** Types of parts beside texts, calls and results, with blanks between them. */
  readonly types: string;
  /** Fields of parts whose names must be right, beside those of the maps. */
  readonly partFields?: Vocabulary['parts'];
  readonly words?: Partial<Vocabulary>;
  /** In messages of their own, in the user's next message, or among the parts of any message. */
  readonly results: 'alone' | 'next' | 'among';
  /** An empty text is no part. */
  readonly skipsEmptyText?: true;
  /** Calls stand beside the parts. */
  readonly calls?: {
    read(call: Fields): MessageCall;
    write(id: string, call: MessageCall, losses: Losses): Fields;
  };
  unwrap?: Shape['unwrap'];
  wrap?(role: string, fields: Fields): Fields;
  isResult?(part: Fields): boolean;
  readPart?(part: Fields): ImportedPart | null;
  writePart?(id: string, part: SentPart, losses: Losses): Fields | null;
  /** `about` are the other fields of its message. */
  readResult?(part: Fields, role: string, about: Fields): ImportedResult;
  /** `call` is the call it answers, if that is written too. */
  writeResult?(result: SentResult, call: MessageCall | undefined, id: string, losses: Losses): Fields;
  /** What is remembered of a message. Default: whether its content is a text. */
  marksOf?(fields: Fields, role: string): Fields;
  /** The field of the content. Default: a text where it came as one. */
  contentOf?(parts: readonly Fields[], kept: Fields, message: Message): Fields;
}

/** The reader, the writer and the vocabulary of a shape. */
export function messageShape(map: MessageMap): Shape {
  return {
    name: map.name,
    vocabulary: vocabularyOf(map),
    unwrap: (message) => unwrapped(map, message),
    read(given) {
      const losses = new Losses();
      const messages = recordsOf(given).flatMap((message, i) => readMessage(map, message, i, losses));
      return {
        messages: map.readResult === undefined ? withToolNames(messages) : messages,
        losses: losses.list,
      };
    },
    write(messages) {
      const losses = new Losses();
      return { messages: new Writing(map, messages, losses).all(), losses: losses.list };
    },
  };
}

function vocabularyOf(map: MessageMap): Vocabulary {
  const { call, result, untyped } = map;
  const type = result?.fixed.type;
  const parts = {
    ...(untyped === true ? {} : { text: ['text'] }),
    ...(call === undefined ? {} : { [call.type]: [call.callId, call.tool, call.input] }),
    ...(typeof type === 'string' && result !== undefined
      ? { [type]: [result.callId, result.tool ?? [], result.content].flat() }
      : {}),
    ...map.partFields,
  };
  return {
    roles: [...Object.keys(map.roles), ...(map.otherRoles ?? [])],
    types: [...new Set([...Object.keys(parts), ...map.types.split(/\s+/)])],
    content: map.content ?? 'content',
    fields: [],
    parts,
    ...(map.unknownRole === undefined ? {} : { takesAnyRole: true }),
    ...(untyped === true ? { hasKeyedParts: true } : {}),
    ...map.words,
  };
}

function unwrapped(map: MessageMap, message: Fields): { readonly role: string; readonly fields: Fields } {
  return map.unwrap?.(message) ?? { role: textField(message, 'role'), fields: message };
}

function readMessage(map: MessageMap, message: Fields, index: number, losses: Losses): ImportedMessage[] {
  const { name, unknownRole, content: field = 'content' } = map;
  const { role: theirs, fields } = unwrapped(map, message);
  const role = map.roles[theirs];
  if (role === undefined && unknownRole !== undefined) {
    losses.add(index, unknownRole.lossOf(theirs));
    if (unknownRole.whole === true) return [wholeMessage(name, message)];
  }
  if (role === 'tool' && map.results === 'alone') return [{ role, parts: [readResult(map, fields)] }];
  const known = fields === message ? ['role', field] : [field];
  const content = fields[field];
  const marks = {
    ...(map.marksOf?.(fields, theirs) ?? { $text: typeof content === 'string' || undefined }),
    ...(map.roleMark === undefined || theirs === spelled(map, role ?? 'user')
      ? {}
      : { [map.roleMark]: theirs }),
  };
  const blocks = recordsOf(content);
  const isResult = (block: Fields): boolean => map.isResult?.(block) === true;
  const about = blocks.some(isResult) ? ownFields(keptFor(name, extrasOf(name, fields, known))) : {};
  const results = blocks
    .filter(isResult)
    .map((block) => map.readResult?.(block, theirs, about) ?? readResult(map, block));
  const calls = map.calls === undefined ? [] : recordsOf(fields.tool_calls).map(map.calls.read);
  const others: ImportedPart[] = [
    ...(typeof content === 'string' && !(content === '' && map.skipsEmptyText === true)
      ? [{ type: 'text', text: content } as const]
      : []),
    ...blocks
      .filter((block) => !isResult(block))
      .map((block) => map.readPart?.(block) ?? readPart(map, block)),
    ...calls,
  ];
  const answers: ImportedMessage[] = results.length === 0 ? [] : [{ role: 'tool', parts: results }];
  if (others.length === 0 && results.length > 0) return answers;
  const order = blocks.map((block) => (isResult(block) ? 'r' : 'o')).join('');
  const extras = extrasOf(name, fields, map.calls === undefined ? known : [...known, 'tool_calls'], {
    ...marks,
    ...(results.length > 0 && map.results === 'next' ? { $withResults: order } : {}),
  });
  const own: ImportedMessage = { role: role ?? 'user', parts: others, ...extras };
  return map.results === 'among' ? [own, ...answers] : [...answers, own];
}

function wholeMessage(name: string, message: Fields): ImportedMessage {
  const whole = { type: 'data', name: 'message', json: jsonOf(message) } as const;
  return { role: 'assistant', parts: [{ ...whole, foreign: { [name]: { $message: true } } }] };
}

function spelled({ roles }: MessageMap, role: Role): string {
  return Object.keys(roles).find((name) => roles[name] === role) ?? role;
}

function withToolNames(messages: readonly ImportedMessage[]): ImportedMessage[] {
  const tools = new Map<string, string>();
  return messages.map((message) => {
    for (const part of message.parts)
      if (part.type === 'call' && part.callId !== '') tools.set(part.callId, part.tool);
    if (message.role !== 'tool') return message;
    const parts = message.parts.map((part) =>
      part.type === 'result' ? { ...part, tool: tools.get(part.callId) ?? part.tool } : part,
    );
    return { ...message, parts };
  });
}

class Writing {
  readonly #map: MessageMap;
  readonly #messages: readonly Message[];
  readonly #losses: Losses;
  readonly #calls: ReadonlyMap<string, MessageCall>;
  readonly #written: Fields[] = [];
  /** Results that wait for the user's next message, with the role that they were read with. */
  #waiting: { readonly role: unknown; readonly fields: Fields }[] = [];

  constructor(map: MessageMap, messages: readonly Message[], losses: Losses) {
    this.#map = map;
    this.#messages = messages;
    this.#losses = losses;
    const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'call'));
    this.#calls = new Map(calls.map((call) => [call.callId, call]));
  }

  all(): Fields[] {
    for (const message of this.#messages) {
      if (message.role === 'tool' && this.#map.results === 'among') this.#among(message);
      else if (message.role === 'tool') this.#answers(message);
      else if (this.#map.results === 'next') this.#behindResults(message);
      else this.#written.push(this.#message(message, []));
    }
    this.#flush();
    return this.#written;
  }

  #answers(message: Message): void {
    const { results, wrap, name } = this.#map;
    for (const part of message.parts) {
      // Other parts have no place there: writing them tells the loss.
      if (part.type !== 'result') writePart(this.#map, message.id, part, this.#losses);
      else if (results === 'next')
        this.#waiting.push({ role: keptFor(name, part).$role, fields: this.#result(message.id, part) });
      else {
        const fields = this.#result(message.id, part);
        this.#written.push(wrap?.('tool', fields) ?? fields);
      }
    }
  }

  /** Results of calls that the provider ran itself stand in the message of their calls. */
  #among(message: Message): void {
    const { name } = this.#map;
    const answers = message.parts.filter((part) => part.type === 'result');
    const byProvider = answers.filter((part) => keptFor(name, part).$role === 'assistant');
    const before = this.#written.at(-1);
    if (byProvider.length > 0 && before !== undefined) {
      const results = byProvider.map((part) => this.#result(message.id, part));
      this.#written.splice(-1, 1, this.#withResults(before, results));
    }
    const others = message.parts.filter((part) => !byProvider.includes(part as SentResult));
    if (others.length === 0 && byProvider.length > 0) return;
    const rest = others.filter((part) => part.type !== 'result');
    const own = others.filter((part) => part.type === 'result');
    const about = own[0] === undefined ? undefined : keptFor(name, own[0]).$about;
    const content = [
      ...rest.flatMap((part) => writePart(this.#map, message.id, part, this.#losses)),
      ...own.map((part) => this.#result(message.id, part)),
    ];
    const fields = (about as Fields | undefined) ?? ownFields(keptFor(name, message));
    this.#written.push({ role: message.role, content, ...fields });
  }

  #withResults(message: Fields, results: readonly Fields[]): Fields {
    const { call } = this.#map;
    const content = recordsOf(message.content).flatMap((part) => [
      part,
      ...results.filter(
        (each) => part.type === call?.type && each[call?.callId ?? ''] === part[call?.callId ?? ''],
      ),
    ]);
    return { ...message, content };
  }

  #behindResults(message: Message): void {
    const { name } = this.#map;
    if (message.parts.length === 0 && message.foreign !== undefined && !(name in message.foreign)) {
      this.#losses.add(message.id, 'a message that only another framework can say');
      return;
    }
    const isTogether = '$withResults' in keptFor(name, message);
    if (!isTogether) this.#flush();
    const results = this.#waiting.splice(0).map(({ fields }) => fields);
    this.#written.push(this.#message(message, results));
  }

  #flush(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const results = this.#waiting.splice(0).map(({ fields }) => fields);
    this.#written.push({ role: first.role ?? 'user', [this.#map.content ?? 'content']: results });
  }

  #result(id: string, part: SentResult): Fields {
    const written = this.#map.writeResult?.(part, this.#calls.get(part.callId), id, this.#losses);
    return written ?? writeResult(this.#map, id, part, this.#losses);
  }

  #message(message: Message, results: readonly Fields[]): Fields {
    const { name, calls, content: field = 'content', roleMark = '' } = this.#map;
    const kept = keptFor(name, message);
    const whole = message.parts.find((part) => part.type === 'data' && keptFor(name, part).$message === true);
    if (whole?.type === 'data') return wholeAgain(whole.json);
    const written = message.parts.flatMap<Fields>((part) => {
      if (part.type === 'result' || (part.type === 'call' && calls !== undefined)) return [];
      return (
        this.#map.writePart?.(message.id, part, this.#losses) ??
        writePart(this.#map, message.id, part, this.#losses)
      );
    });
    const lost = written.length + results.length === 0 ? leftOut(this.#map, message) : [];
    const parts = inOrder(results, [...written, ...lost], kept.$withResults);
    const beside = message.parts.flatMap((part) =>
      part.type === 'call' && calls !== undefined ? [calls.write(message.id, part, this.#losses)] : [],
    );
    const text = kept.$text === true ? plainContent(parts) : null;
    const fields = {
      ...(this.#map.contentOf?.(parts, kept, message) ?? { [field]: text ?? parts }),
      ...(beside.length > 0 || kept.$noCalls === true ? { tool_calls: beside } : {}),
      ...ownFields(kept),
    };
    const role = textField(kept, roleMark, spelled(this.#map, message.role));
    return this.#map.wrap?.(role, fields) ?? { ...(kept.$noRole === true ? {} : { role }), ...fields };
  }
}

/** The text of a message whose media cannot be sent: no provider takes an empty message. */
function leftOut({ untyped }: MessageMap, { parts }: Message): Fields[] {
  if (parts.some(({ type }) => type === 'call' || type === 'result')) return [];
  const media = parts.flatMap((part) => (part.type === 'media' ? [part.mediaType] : []));
  if (media.length === 0) return [];
  return [{ ...(untyped === true ? {} : { type: 'text' }), text: cannotBeSent(media) }];
}

/** In the place of images and files that a framework has no place for. */
export function cannotBeSent(mediaTypes: readonly string[]): string {
  return `[Left out: ${mediaTypes.join(', ')}, which cannot be sent here.]`;
}

/** Results and other parts in the order they were read; results first if the counts changed. */
function inOrder(results: readonly Fields[], others: readonly Fields[], order: unknown): readonly Fields[] {
  const kinds = typeof order === 'string' ? [...order] : [];
  const all = [...results, ...others];
  if (kinds.length !== all.length || kinds.filter((kind) => kind === 'r').length !== results.length)
    return all;
  const queues = { r: [...results], o: [...others] };
  return kinds.flatMap((kind): Fields[] => queues[kind === 'r' ? 'r' : 'o'].splice(0, 1));
}
