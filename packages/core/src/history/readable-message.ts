/**
 * Kept messages as they can be read. One that a store cannot give back, or that has fields no
 * reader understands (an older version may have stored it), is told as damaged in its place: it
 * must not end its session. A message that is sound is returned itself.
 */
import { SpillwayError } from '../model/errors.ts';
import type { MessagePart, MessageRecord } from '../model/message.ts';
import { damagedMessage, damagedPart } from '../wording/history.ts';
import { checkKeptMessage, checkKeptPart, ROLES } from './check-message.ts';
import { type Fields, isRecord, jsonOf } from './shapes/tagged.ts';

/** The message as it is kept, with what cannot be read of it said in its place. */
export function readableMessage(kept: MessageRecord): MessageRecord {
  if (isSound(() => checkKeptMessage(kept))) return kept;
  const { scope, session, ordinal } = kept;
  const given = kept as unknown as Fields;
  const parts = Array.isArray(given.parts) ? given.parts.map(readablePart) : [damagedText()];
  const role = ROLES.find((known) => known === given.role) ?? 'user';
  return {
    id: typeof given.id === 'string' && given.id !== '' ? given.id : `damaged-${ordinal}`,
    role,
    at: typeof given.at === 'number' ? given.at : 0,
    parts,
    scope,
    session,
    ordinal: ordinal,
  };
}

/** In the place of a message that the store cannot give back. */
export function lostMessage(name: Pick<MessageRecord, 'scope' | 'session'>, ordinal: number): MessageRecord {
  const text = damagedMessage(ordinal);
  return {
    ...name,
    id: `damaged-${ordinal}`,
    role: 'user',
    at: 0,
    parts: [{ type: 'text', text }],
    ordinal: ordinal,
  };
}

function readablePart(given: unknown): MessagePart {
  if (isSound(() => checkKeptPart(given, 'part'))) return given as MessagePart;
  const part = isRecord(given) ? given : {};
  const { callId, tool, input } = part;
  // The call itself is clear: its result stays with it.
  if (part.type === 'call' && typeof callId === 'string' && typeof tool === 'string')
    return { type: 'call', callId, tool, input: typeof input === 'string' ? input : jsonOf(input ?? {}) };
  return damagedText();
}

function damagedText(): MessagePart {
  return { type: 'text', text: damagedPart() };
}

function isSound(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SpillwayError) return false;
    throw error;
  }
}
