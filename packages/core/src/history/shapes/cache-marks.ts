/**
 * Marks that tell a provider up to where it may cache a prompt. They belong to a request, not to a
 * message: a host moves them from turn to turn, and a provider takes at most four. So they are taken
 * off whatever a session sends, and put on anew: those of the messages that are given now, or our
 * own at the end of what stays the same. What is kept stays as it was said. Pure.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { ShapeExtras } from '../../model/message.ts';
import { type Fields, isRecord, recordsOf } from './json.ts';

/** Whose marks are put on a request: Anthropic's, also through frameworks. */
export type CacheMarks = 'anthropic';

const MOST_MARKS = 4;

const EPHEMERAL = { type: 'ephemeral' } as const;
const MARKS = {
  block: { cache_control: EPHEMERAL },
  options: { providerOptions: { anthropic: { cacheControl: EPHEMERAL } } },
} as const;
/** How marks are spelled among the options of a provider. */
const OPTION_NAMES = ['cacheControl', 'cache_control', 'cachePoint'];
const INSIDE = ['content', 'output', 'value', 'data'];
/** Blocks that cannot be marked: thoughts, which their provider wants back as they were. */
const UNMARKABLE = /^(?:thinking|redacted_thinking|reasoning)$/;

/** Shapes whose requests can be marked, and where a mark stands in them. */
const STYLES: Readonly<Record<string, 'block' | 'options'>> = {
  anthropic: 'block',
  openai_chat: 'block',
  langchain: 'block',
  ai_model: 'options',
};

/** How the messages of a request are marked. */
export interface MarkOptions {
  /** The messages that the host gave for it: their marks are used where `cache` says nothing. */
  readonly given?: readonly unknown[];
  /** Marks of our own. */
  readonly cache?: CacheMarks | undefined;
  /** Marks that its instructions and tools hold already. */
  readonly beside?: number;
}

/** Messages in the words of a shape, with at most four marks for a provider's cache. */
export function markCache<M>(
  shape: string,
  written: readonly M[],
  { given = [], cache, beside = 0 }: MarkOptions,
): M[] {
  const most = MOST_MARKS - beside;
  const messages = (written as readonly Fields[]).map(withoutMarks);
  const marked =
    cache === undefined ? withGivenMarks(messages, given, most) : withOwnMarks(shape, messages, most);
  return [...marked] as M[];
}

/** The same for instructions or tools, whose end stays the same whatever becomes of messages. */
export function markEnd<T>(list: readonly T[], style: 'block' | 'options'): T[] {
  const last = list.at(-1) as Fields | undefined;
  return last === undefined ? [] : [...list.slice(0, -1), merged(last, MARKS[style]) as T];
}

/** A message, block or tool without its marks, also those in its blocks. */
function withoutMarks<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutMarks) as T;
  if (!isRecord(value)) return value;
  const { rest } = taken(value);
  const inner = INSIDE.filter((name) => name in rest).map((name) => [name, withoutMarks(rest[name])]);
  return (inner.length === 0 ? rest : { ...rest, ...Object.fromEntries(inner) }) as T;
}

/** A message without marks inside its results. `isResult`: the message itself is a result. */
export function withoutInnerMarks(message: Fields, isResult: boolean): Fields {
  if (isResult) return withoutMarks(message);
  if (!Array.isArray(message.content)) return message;
  const content = message.content.map((block: unknown) => {
    if (!isRecord(block) || !/^tool[_-]result$/.test(String(block.type))) return block;
    return merged(withoutMarks(block), taken(block).mark ?? {});
  });
  return { ...message, content };
}

/** The fields of frameworks beside a message or part, without marks. */
export function withoutExtraMarks<T extends { readonly foreign?: ShapeExtras | undefined }>(one: T): T {
  if (one.foreign === undefined) return one;
  const all = Object.entries(one.foreign).map(([name, fields]) => [name, withoutMarks(fields)]);
  return { ...one, foreign: Object.fromEntries(all) };
}

/** How many marks these messages, instructions or tools hold. */
export function countMarks(given: unknown): number {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.filter(isRecord).reduce((sum, fields) => {
    const inner = INSIDE.reduce(
      (all, name) => all + (fields[name] === undefined ? 0 : countMarks(fields[name])),
      0,
    );
    return sum + inner + (taken(fields).mark === null ? 0 : 1);
  }, 0);
}

/** Marks the blocks that were marked when they were given, the latest first. */
function withGivenMarks(
  written: readonly Fields[],
  given: readonly unknown[],
  most: number,
): readonly Fields[] {
  const wanted = given.filter(isRecord).flatMap(marksOf);
  if (wanted.length === 0) return written;
  const marked = [...written];
  let left = most;
  for (const { key, mark, level } of wanted.toReversed()) {
    if (left <= 0) break;
    const at = marked.findLastIndex((message) => keysOf(message).includes(key));
    const message = marked[at];
    if (message === undefined) continue;
    marked[at] = level === 'message' ? merged(message, mark) : onBlock(message, key, mark);
    left--;
  }
  return marked;
}

/** Our own marks: at the end of this request, and at the end of the request before. */
function withOwnMarks(shape: string, written: readonly Fields[], most: number): readonly Fields[] {
  const style = STYLES[shape];
  if (style === undefined)
    throw new SpillwayError(
      'invalid_argument',
      `\`cache: 'anthropic'\` goes with the shapes ${Object.keys(STYLES).join(', ')}: leave it out for ${shape}.`,
    );
  const bare = [...written];
  const answered = bare.findLastIndex(({ role, type }) => role === 'assistant' || type === 'ai');
  const ends = [bare.length - 1, answered - 1].filter((at) => at >= 0).slice(0, Math.max(0, most));
  for (const at of new Set(ends)) {
    const message = bare[at] as Fields;
    const mark = MARKS[style];
    bare[at] = style === 'options' ? merged(message, mark) : onBlock(message, lastKey(message), mark);
  }
  return bare;
}

/** A mark as the fields that hold it, and which block it stands on. */
interface Mark {
  readonly key: string;
  readonly mark: Fields;
  readonly level: 'message' | 'block';
}

function marksOf(message: Fields): Mark[] {
  const { mark } = taken(message);
  const own = mark === null ? [] : [{ key: lastKey(message), mark, level: 'message' as const }];
  const blocks = blocksOf(message).flatMap((block): Mark[] => {
    // A mark inside a result is as good as one on it.
    const found = taken(block).mark ?? innerMark(block);
    return found === null ? [] : [{ key: keyOf(message, block), mark: found, level: 'block' }];
  });
  return [...blocks, ...own].filter(({ key }) => key !== '');
}

function innerMark(block: Fields): Fields | null {
  const inner = [block.content, (block.output as Fields | undefined)?.value].flatMap(recordsOf);
  return inner.map((each) => taken(each).mark).findLast((mark) => mark !== null) ?? null;
}

/** The fields of a mark, and the rest of what it stands on. */
function taken(fields: Fields): { readonly mark: Fields | null; readonly rest: Fields } {
  if (fields.cache_control != null) {
    const { cache_control, ...rest } = fields;
    return { mark: { cache_control }, rest };
  }
  const options = fields.providerOptions;
  if (!isRecord(options)) return { mark: null, rest: fields };
  const marks: Record<string, Fields> = {};
  const others: Record<string, unknown> = {};
  for (const [provider, own] of Object.entries(options)) {
    const all = isRecord(own) ? Object.entries(own) : [];
    const found = all.filter(([name, value]) => OPTION_NAMES.includes(name) && value != null);
    if (found.length === 0) {
      others[provider] = own;
      continue;
    }
    marks[provider] = Object.fromEntries(found);
    const left = all.filter(([name]) => !OPTION_NAMES.includes(name));
    if (left.length > 0) others[provider] = Object.fromEntries(left);
  }
  if (Object.keys(marks).length === 0) return { mark: null, rest: fields };
  const { providerOptions: _, ...rest } = fields;
  const kept = Object.keys(others).length === 0 ? rest : { ...rest, providerOptions: others };
  return { mark: { providerOptions: marks }, rest: kept };
}

/** A block or message with a mark, beside the options that it has. */
function merged(fields: Fields, mark: Fields): Fields {
  if (!isRecord(mark.providerOptions)) return { ...fields, ...mark };
  const options = isRecord(fields.providerOptions) ? fields.providerOptions : {};
  const all = Object.entries(mark.providerOptions).map(([provider, own]) => [
    provider,
    { ...(isRecord(options[provider]) ? options[provider] : {}), ...(own as Fields) },
  ]);
  return { ...fields, providerOptions: { ...options, ...Object.fromEntries(all) } };
}

/** The message with a mark on one of its blocks; a text becomes a block where it has to. */
function onBlock(message: Fields, key: string, mark: Fields): Fields {
  if (isRecord(message.data)) return { ...message, data: onBlock(message.data, key, mark) };
  const blocks = blocksOf(message);
  const at = blocks.findLastIndex((block) => keyOf(message, block) === key);
  const block = blocks[at];
  if (block === undefined) return message;
  return { ...message, content: blocks.with(at, merged(block, mark)) };
}

function blocksOf(message: Fields): readonly Fields[] {
  const { content } = isRecord(message.data) ? message.data : message;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return recordsOf(content);
}

function keysOf(message: Fields): readonly string[] {
  return blocksOf(message).map((block) => keyOf(message, block));
}

/** The last block that may be marked; empty if there is none. */
function lastKey(message: Fields): string {
  const block = blocksOf(message).findLast(
    ({ type, text }) => !UNMARKABLE.test(String(type)) && !(type === 'text' && text === ''),
  );
  return block === undefined ? '' : keyOf(message, block);
}

/** What a block is known by: the id of its call, or what it says. */
function keyOf(message: Fields, block: Fields): string {
  const ofMessage = isRecord(message.data) ? message.data : message;
  const answered = block.tool_use_id ?? ofMessage.tool_call_id ?? ofMessage.toolCallId;
  if (typeof answered === 'string') return `result ${answered}`;
  const called = block.toolCallId ?? (block.type === 'tool_use' ? block.id : undefined);
  if (typeof called === 'string') return `${String(block.type)} ${called}`;
  return JSON.stringify(block.type === 'text' ? ['text', block.text] : withoutMarks(block));
}
