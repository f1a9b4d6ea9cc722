/**
 * Puts calls and results together, wherever each of them was said. Pure: messages in, an order out.
 * Invariants: every call has exactly one place for a result; a result is used at most once, except
 * by calls of one message that are equal in everything; messages keep their order; results follow
 * their calls in the calls' order.
 */
import type { MessageCall, MessagePart, MessageRecord, MessageResult } from '../model/message.ts';
import { countWhile } from '../text/count-while.ts';

/** A call and the result that counts; null while there is none. */
export interface Pair {
  /** The call, as the message has it. */
  readonly call: MessageCall;
  /** Backfilled, else the first that ended, else a preliminary one; null while there is none. */
  readonly result: MessageResult | null;
  /** When the call was made. Milliseconds since 1970. */
  readonly from: number;
  /** When the next call of the same id was made; null if there is none. */
  readonly until: number | null;
  /** Whether another call has the same id. */
  readonly shared: boolean;
}

/** A message without its results, and the pairs of the calls in it. */
export interface PairedMessage {
  /** The message as it is kept. */
  readonly message: MessageRecord;
  /** Its parts but for results. */
  readonly parts: readonly Exclude<MessagePart, MessageResult>[];
  /** One for each call in it, in order. */
  readonly pairs: readonly Pair[];
  /** Set where the pairs are results of calls that no message made: they are told as text. */
  readonly asText?: true;
}

/** Messages with their pairs, and what did not fit in. */
export interface Pairing {
  /** In the order in which they were said. */
  readonly messages: readonly PairedMessage[];
  /** Results of calls that nobody made here. */
  readonly orphans: readonly MessageResult[];
  /** Results beside the one that counts. */
  readonly surplus: readonly MessageResult[];
}

interface Slot {
  readonly call: MessageCall;
  readonly results: MessageResult[];
}

/** The calls of one message that have the same id: mostly one. */
interface Group {
  /** Which one of its id, from 0. */
  readonly number: number;
  readonly ordinal: number;
  readonly at: number;
  readonly slots: Slot[];
}

/** Pairs the calls and results of messages that are in order. */
export function pair(messages: readonly MessageRecord[]): Pairing {
  const groups = new Map<string, Group[]>();
  const ofMessage = new Map<MessageRecord, { readonly slot: Slot; readonly group: Group }[]>();
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const group = groupOf(groups, part.callId, message);
      const slot = { call: part, results: [] };
      group.slots.push(slot);
      listIn(ofMessage, message).push({ slot, group });
    }
  }
  const orphans = assign(messages, groups);
  const paired = messages.flatMap((message) => {
    const pairs = (ofMessage.get(message) ?? []).map(({ slot, group }) =>
      pairOf(slot, group, groups.get(slot.call.callId) ?? []),
    );
    const parts = message.parts.filter((part) => part.type !== 'result');
    const alone = message.parts.filter((part) => part.type === 'result' && isAlone(part, groups));
    if (alone.length > 0)
      return [
        { message, parts: [], pairs: (alone as MessageResult[]).map(pairAlone), asText: true as const },
      ];
    const onlyResults = parts.length === 0 && message.parts.length > 0;
    return onlyResults ? [] : [{ message, parts, pairs }];
  });
  const slots = [...groups.values()].flat().flatMap((group) => group.slots);
  const surplus = slots.flatMap(({ results }) => {
    const counts = resultThatCounts(results);
    return results.filter((result) => result !== counts);
  });
  return { messages: paired, orphans, surplus };
}

/** Whether a result has no call, and is told all the same. */
function isAlone({ unsaid, callId }: MessageResult, groups: ReadonlyMap<string, Group[]>): boolean {
  return unsaid === true && !groups.has(callId);
}

/** A result whose call is not here. */
export function pairAlone(result: MessageResult): Pair {
  const { callId, tool } = result;
  return { call: { type: 'call', callId, tool, input: '' }, result, from: 0, until: null, shared: false };
}

function groupOf(groups: Map<string, Group[]>, callId: string, { ordinal, at }: MessageRecord): Group {
  const same = listIn(groups, callId);
  const last = same.at(-1);
  if (last?.ordinal === ordinal) return last;
  const group = { number: same.length, ordinal: ordinal, at, slots: [] };
  same.push(group);
  return group;
}

function pairOf(slot: Slot, group: Group, same: readonly Group[]): Pair {
  const next = same[group.number + 1];
  // An unsaid result can only belong to the first call of its message.
  const until = slot === group.slots[0] ? (next?.at ?? null) : group.at;
  return {
    call: slot.call,
    result: resultThatCounts(slot.results) ?? resultOfTwin(slot, group),
    from: group.at,
    until,
    shared: same.length > 1 || group.slots.length > 1,
  };
}

/** The result of a call that is equal in everything: it answers both. */
function resultOfTwin({ call }: Slot, { slots }: Group): MessageResult | null {
  if (slots.length === 1) return null;
  const isTwin = (other: Slot): boolean =>
    other.results.length > 0 && other.call.tool === call.tool && other.call.input === call.input;
  return resultThatCounts(slots.find(isTwin)?.results ?? []);
}

function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Gives each result to the last call of its id before it, or to the first; returns orphans. */
function assign(messages: readonly MessageRecord[], groups: ReadonlyMap<string, Group[]>): MessageResult[] {
  const orphans: MessageResult[] = [];
  for (const { parts, ordinal } of messages) {
    for (const part of parts) {
      if (part.type !== 'result') continue;
      const same = groups.get(part.callId) ?? [];
      // A binary search: there may be many.
      const before = countWhile(same.length, (at) => (same[at]?.ordinal ?? ordinal) <= ordinal);
      const group = same[Math.max(0, before - 1)];
      if (group === undefined && part.unsaid === true) continue;
      if (group === undefined) orphans.push(part);
      else slotFor(group, part)?.results.push(part);
    }
  }
  return orphans;
}

/** Calls of one message with the same id get results in order, by tool where that tells. */
function slotFor({ slots }: Group, { tool }: MessageResult): Slot | undefined {
  if (slots.length === 1) return slots[0];
  const open = slots.filter(({ results }) => !results.some(({ stage }) => stage !== 'preliminary'));
  return open.find(({ call }) => call.tool === tool) ?? open[0] ?? slots.at(-1);
}

/** The result that counts: backfilled, else the first that ended, else the first, else the last. */
export function resultThatCounts(results: readonly MessageResult[]): MessageResult | null {
  const final = results.filter(({ stage }) => stage === undefined);
  return (
    results.findLast(({ stage }) => stage === 'backfilled') ??
    final.find(({ status }) => status === 'ok' || status === 'error') ??
    final[0] ??
    results.at(-1) ??
    null
  );
}
