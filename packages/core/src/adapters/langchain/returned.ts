/**
 * What a tool of LangChain returned: a message, or a command whose update holds messages. Only
 * messages of tools are looked at; everything else passes as it is.
 */
import type { BaseMessage } from '@langchain/core/messages';
import { type ToolCallHandler, ToolMessage } from 'langchain';
import { SHAPES } from '../../history/index.ts';
import type { Outcome, ToolResult } from '../../index.ts';

/** What a tool may return. */
export type Returned = Awaited<ReturnType<ToolCallHandler>>;
type Command = Exclude<Returned, ToolMessage>;

/** The messages of tools in what was returned. */
export function toolMessagesIn(returned: Returned): ToolMessage[] {
  if (ToolMessage.isInstance(returned)) return [returned];
  return updatesOf(returned).flatMap(([, value]) =>
    [value].flat().filter((each) => ToolMessage.isInstance(each)),
  );
}

/** The same with other messages in the place of some. */
export function withMessages(returned: Returned, replaced: ReadonlyMap<BaseMessage, BaseMessage>): Returned {
  const other = (value: unknown): unknown => replaced.get(value as BaseMessage) ?? value;
  if (ToolMessage.isInstance(returned)) return other(returned) as ToolMessage;
  const update = updatesOf(returned).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.map(other) : other(value),
  ]);
  const { graph, goto, resume } = returned;
  const given = {
    graph,
    goto,
    resume,
    update: Array.isArray(returned.update) ? update : Object.fromEntries(update),
  };
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  // The class of the command that was given: an application may have several versions of it.
  return Reflect.construct(returned.constructor, [Object.fromEntries(there)]);
}

/** The result of a call as it is recorded; a command need not hold any. */
export function resultOf(callId: string, returned: Returned): ToolResult {
  const { result } = read(callId, returned) ?? {};
  return result ?? { kind: 'text', text: '' };
}

/** How the call ended, where the message says that it failed. */
export function outcomeOf(callId: string, returned: Returned): Outcome | undefined {
  return read(callId, returned)?.outcome;
}

function read(callId: string, returned: Returned) {
  const message = toolMessagesIn(returned).find(({ tool_call_id }) => tool_call_id === callId);
  const { messages } = SHAPES.langchain.read(message === undefined ? [] : [message]);
  return messages.flatMap(({ parts }) => parts).find((part) => part.type === 'result');
}

function updatesOf({ update }: Command): [string, unknown][] {
  return Array.isArray(update) ? update : Object.entries(update ?? {});
}
