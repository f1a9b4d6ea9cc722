/**
 * Ids of calls as they are sent. Some hosts and providers use an id again, others leave it out, and
 * providers refuse a request in which two calls have the same one. The first call of an id keeps
 * it; each later one gets an id of its own, made from its message and its number in it. So a
 * request repeats the ids of the one before, and the way back is known.
 */
import { createHash } from 'node:crypto';
import type { MessageRecord } from '../model/message.ts';
import type { Message, SentPart } from './message.ts';
import type { ImportedMessage, ImportedPart, Losses } from './shapes/shape.ts';

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

const NO_TOOL = 'unknown';

/**
 * Messages in which every call and result has an id and a tool. Without `losses`, calls without ids
 * are what the framework makes: nothing is told, and a result that belongs to none stays as it is.
 */
export function withCallIds(messages: readonly ImportedMessage[], losses: Losses | null): ImportedMessage[] {
  const open: { readonly callId: string; readonly tool: string }[] = [];
  const filled = (part: ImportedPart, message: number): ImportedPart => {
    if (part.type !== 'call' && part.type !== 'result') return part;
    if (part.tool === '') losses?.add(message, 'the name of a tool: there is none');
    const tool = part.tool === '' && losses !== null ? NO_TOOL : part.tool;
    if (part.callId !== '') return { ...part, tool };
    if (part.type === 'call') {
      losses?.add(message, 'that a call had no id: it was given one');
      const hash = createHash('sha256').update(JSON.stringify([tool, part.input]));
      const callId = `call_${hash.digest('hex').slice(0, 12)}`;
      open.push({ callId, tool });
      return { ...part, tool, callId };
    }
    const same = open.findIndex((call) => call.tool === tool);
    const [call] = open.splice(Math.max(0, same), 1);
    if (losses === null) return { ...part, callId: call?.callId ?? '' };
    losses.add(
      message,
      call === undefined ? 'a result without a call' : 'that a result did not name its call',
    );
    return { ...part, tool: call?.tool ?? tool, callId: call?.callId ?? NO_TOOL };
  };
  return messages.map((message, i) => ({ ...message, parts: message.parts.map((part) => filled(part, i)) }));
}
