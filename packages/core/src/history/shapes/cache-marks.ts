/**
 * Marks that tell a provider up to where it may cache a prompt. They belong to a request, not to a
 * message: a provider takes at most four, and they only help at the end of what stays the same. So
 * they are taken off whatever a session sends, and put on anew: at the end of this request, which the
 * next one repeats, and at the end of the one before. A host that marks any message of its own gets
 * its kind of mark in these places. What is kept stays as it was said. Pure.
 */
import { invalidArgument } from '../../model/errors.ts';
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
  /** The messages that the host gave for it: where `cache` says nothing, their latest mark is used. */
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
  const messages = (written as readonly Fields[]).map(withoutMarks);
  const mark = cache === undefined ? lastMarkIn(given) : ownMark(shape);
  if (mark !== null) {
    const answered = messages.findLastIndex(({ role, type }) => role === 'assistant' || type === 'ai');
    const ends = new Set([messages.length - 1, answered - 1].filter((at) => at >= 0));
    for (const at of [...ends].slice(0, Math.max(0, MOST_MARKS - beside)))
      messages[at] = withMark(messages[at] as Fields, mark);
  }
  return messages as M[];
}

function ownMark(shape: string): Fields {
  const style = STYLES[shape];
  if (style !== undefined) return MARKS[style];
  throw invalidArgument(
    `\`cache: 'anthropic'\` goes with the shapes ${Object.keys(STYLES).join(', ')}: leave it out for ${shape}.`,
  );
}

/** The latest mark in messages as a host gave them; one inside a result counts as well. */
function lastMarkIn(given: unknown): Fields | null {
  if (Array.isArray(given))
    return given.reduceRight<Fields | null>((found, one) => found ?? lastMarkIn(one), null);
  if (!isRecord(given)) return null;
  return taken(given).mark ?? lastMarkIn(INSIDE.map((name) => given[name]));
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

/** The message with a mark: on itself, or on its last block that can have one. */
function withMark(message: Fields, mark: Fields): Fields {
  if (isRecord(mark.providerOptions)) return merged(message, mark);
  if (isRecord(message.data)) return { ...message, data: withMark(message.data, mark) };
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
  const at = blocks.findLastIndex(
    ({ type, text }) => !UNMARKABLE.test(String(type)) && !(type === 'text' && text === ''),
  );
  const block = blocks[at];
  return block === undefined ? message : { ...message, content: blocks.with(at, merged(block, mark)) };
}
