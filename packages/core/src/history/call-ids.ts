/**
 * Ids of calls as they are sent. Some hosts and providers use an id again, others leave it out, and
 * providers refuse a request in which two calls have the same one. The first call of an id keeps
 * it; each later one gets an id of its own, made from its message and its number in it. So a
 * request repeats the ids of the one before, and the way back is known.
 */
import { createHash } from 'node:crypto';
import type { MessageRecord } from '../model/message.ts';
import type { Message, SentPart } from './message.ts';

/** The longest id that every provider takes. */
const LONGEST = 40;
const HASH_CHARS = 8;

/** Characters of ids that every provider takes. */
const PLAIN = /^[a-zA-Z0-9_-]+$/;

/** The id in characters that strict providers take; other providers get their own ids back. */
export function plainCallId(callId: string): string {
  if (PLAIN.test(callId)) return callId;
  const hash = createHash('sha256').update(callId).digest('hex').slice(0, HASH_CHARS);
  return `${callId.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH_CHARS - 1)}-${hash}`;
}

/** The messages with an id of its own for every call; results follow their calls. */
export function withUniqueCallIds(messages: readonly Message[]): Message[] {
  const used = new Set<string>(['']);
  let renamed: readonly string[] = [];
  return messages.map((message) => {
    if (message.role === 'tool') return withIds(message, 'result', renamed);
    const calls = message.parts.filter((part) => part.type === 'call');
    renamed = calls.map(({ callId }, i) => freshId(used, callId, message.id, i));
    return withIds(message, 'call', renamed);
  });
}

/** Maps the ids that were sent back to the kept ones: see `withUniqueCallIds`. */
export class SentCallIds {
  readonly #ids = new Map<string, string>();

  add({ id, parts }: Pick<MessageRecord, 'id' | 'parts'>): void {
    const calls = parts.filter((part) => part.type === 'call');
    for (const [i, { callId }] of calls.entries()) {
      for (const sent of [callId.toWellFormed(), idFor(callId, id, i, 0)]) {
        this.#ids.set(sent, callId);
        this.#ids.set(plainCallId(sent), callId);
      }
    }
  }

  /** The id that is kept. */
  kept(callId: string): string {
    return this.#ids.get(callId) ?? callId;
  }
}

function withIds(message: Message, type: 'call' | 'result', ids: readonly string[]): Message {
  let number = 0;
  const parts = message.parts.map((part): SentPart => {
    if (part.type !== type) return part;
    const callId = ids[number++] ?? part.callId;
    return callId === part.callId ? part : { ...part, callId };
  });
  return parts.every((part, i) => part === message.parts[i]) ? message : { ...message, parts };
}

function freshId(used: Set<string>, callId: string, message: string, number: number): string {
  let id = callId;
  for (let attempt = 0; used.has(id); attempt++) id = idFor(callId, message, number, attempt);
  used.add(id);
  return id;
}

function idFor(callId: string, message: string, number: number, attempt: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([message, number, attempt]))
    .digest('hex');
  const kept = (callId || 'call').slice(0, Math.max(LONGEST, callId.length) - HASH_CHARS - 1);
  return `${kept}-${hash.slice(0, HASH_CHARS)}`.toWellFormed();
}
