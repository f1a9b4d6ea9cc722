/**
 * Calls among items, as OpenAI's responses and OpenAI Agents have them: functions, and the tools
 * that the API itself describes (custom tools, shells, patches, computers). A call is an item of
 * type `…_call` with an id that another item answers. Tools that the provider runs itself carry
 * their output in the item of the call; it is taken apart, so that it is bounded like any other.
 */
import type { MessageCall } from '../../model/message.ts';
import { type Message, type SentPart, type SentResult, textOf } from '../message.ts';
import type { ItemWords } from './item-words.ts';
import {
  blankOf,
  extrasOf,
  type Fields,
  filled,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  textField,
} from './json.ts';
import type { ImportedResult } from './shape.ts';

const FUNCTION = 'function_call';
/** Answered by an item with tools in it: both are given back as they are. */
const TOOL_SEARCH = 'tool_search_call';

/** Whether an item calls a tool that another item answers. */
export function isCall({ callId }: ItemWords, item: Fields): boolean {
  const { type } = item;
  if (typeof type !== 'string' || typeof item[callId] !== 'string') return false;
  return (type.endsWith('_call') && type !== TOOL_SEARCH) || type === 'program';
}

/** The name of what is called; tools of the API are called by their type. */
export function toolOf(item: Fields): string {
  return textField(item, 'name', textField(item, 'type').replace(/(_tool)?_call$/, ''));
}

export function readCall({ name, callId }: ItemWords, item: Fields): MessageCall {
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

export function writeCall(words: ItemWords, part: MessageCall, { hosted }: CallsOf): Fields {
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
export function readHosted(
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
export interface CallsOf {
  /** The items of calls that are no functions. */
  readonly items: ReadonlyMap<string, Fields>;
  /** The results that are written into their calls. */
  readonly hosted: ReadonlyMap<string, SentResult>;
}

export function callsOf(words: ItemWords, messages: readonly Message[]): CallsOf {
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
