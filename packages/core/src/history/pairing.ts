/**
 * Puts calls and results together, wherever each of them was said. Pure: messages in, an order out. Invariants: every call has exactly one
 * place for a result; a result is used at most once; messages keep their order; results follow their calls in the calls' order.
 */
import type { MessageRecord, SaidCall, SaidPart, SaidResult } from '../model/message.ts';

/** A call and the result that counts; null while there is none. */
export interface Pair {
  readonly call: SaidCall;
  readonly result: SaidResult | null;
  /** When the call was made, and when the next one of the same id was; null if there is none. */
  readonly from: number;
  readonly until: number | null;
  /** Whether another call has the same id. */
  readonly shared: boolean;
}

/** A message without its results, and the pairs of the calls in it. */
export interface PairedMessage {
  readonly message: MessageRecord;
  readonly parts: readonly Exclude<SaidPart, SaidResult>[];
  readonly pairs: readonly Pair[];
}

/** Messages with their pairs, and what did not fit in. */
export interface Pairing {
  readonly messages: readonly PairedMessage[];
  /** Results of calls that nobody made here. */
  readonly orphans: readonly SaidResult[];
  /** Results beside the one that counts. */
  readonly surplus: readonly SaidResult[];
  /** Calls whose id came before in the same message. */
  readonly repeated: readonly SaidCall[];
}

interface Slot {
  readonly call: SaidCall;
  /** Which one of its id, from 0. */
  readonly number: number;
  readonly place: number;
  readonly at: number;
  readonly results: SaidResult[];
}

/** Pairs the calls and results of messages that are in order. */
export function pair(messages: readonly MessageRecord[]): Pairing {
  const slots = new Map<string, Slot[]>();
  const ofMessage = new Map<MessageRecord, Slot[]>();
  const repeated: SaidCall[] = [];
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const same = listIn(slots, part.callId);
      if (same.at(-1)?.place === message.place) {
        repeated.push(part);
        continue;
      }
      const slot = { call: part, number: same.length, place: message.place, at: message.at, results: [] };
      same.push(slot);
      listIn(ofMessage, message).push(slot);
    }
  }
  const orphans = assign(messages, slots);
  const paired = messages.flatMap((message) => {
    const pairs = (ofMessage.get(message) ?? []).map((slot) =>
      pairOf(slot, slots.get(slot.call.callId) ?? []),
    );
    const parts = message.parts.filter((part) => part.type !== 'result');
    const onlyResults = parts.length === 0 && message.parts.length > 0;
    const calls = new Set<SaidPart>(pairs.map(({ call }) => call));
    const kept = parts.filter((part) => part.type !== 'call' || calls.has(part));
    return onlyResults ? [] : [{ message, parts: kept, pairs }];
  });
  const surplus = [...slots.values()].flat().flatMap(({ results }) => {
    const counts = resultThatCounts(results);
    return results.filter((result) => result !== counts);
  });
  return { messages: paired, orphans, surplus, repeated };
}

function pairOf(slot: Slot, same: readonly Slot[]): Pair {
  const next = same[slot.number + 1];
  return {
    call: slot.call,
    result: resultThatCounts(slot.results),
    from: slot.at,
    until: next?.at ?? null,
    shared: same.length > 1,
  };
}

function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Each result to the last call of its id before it, or to the first one; returns those without any. */
function assign(messages: readonly MessageRecord[], slots: ReadonlyMap<string, Slot[]>): SaidResult[] {
  const orphans: SaidResult[] = [];
  for (const { parts, place } of messages) {
    for (const part of parts) {
      if (part.type !== 'result') continue;
      const same = slots.get(part.callId) ?? [];
      const slot = same[Math.max(0, countUpTo(same, place) - 1)];
      if (slot === undefined) orphans.push(part);
      else slot.results.push(part);
    }
  }
  return orphans;
}

/** How many calls were made up to a place. They are in order, and may be many: some providers have one id for all. */
function countUpTo(slots: readonly Slot[], place: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slots[middle]?.place ?? place) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The result that counts: what was backfilled, else the first that the tool ended by itself, else the first of one that did not get that
 * far, else the last preliminary one. A later equal never takes the place of one that was sent.
 */
export function resultThatCounts(results: readonly SaidResult[]): SaidResult | null {
  const final = results.filter(({ stage }) => stage === undefined);
  return (
    results.findLast(({ stage }) => stage === 'backfilled') ??
    final.find(({ status }) => status === 'ok' || status === 'error') ??
    final[0] ??
    results.at(-1) ??
    null
  );
}
