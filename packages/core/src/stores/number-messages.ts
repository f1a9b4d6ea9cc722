/**
 * What every store does the same way with messages: which number each gets, and when one is the
 * same as another.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { MessageDraft, MessageRecord } from '../model/message.ts';
import type { AddMessagesRequest } from '../model/store.ts';
import { messageTaken } from './refusals.ts';

/** What a store knows of the messages that are there. */
export interface KnownMessages {
  readonly last: number;
  /** The message under an id, if there is one. */
  find(id: string): MessageRecord | undefined;
}

/**
 * The records of a request, old ones as they are kept and new ones with their numbers; `added` are
 * the new ones.
 */
export function numberMessages(
  { scope, session, messages }: AddMessagesRequest,
  known: KnownMessages,
): { readonly records: readonly MessageRecord[]; readonly added: readonly MessageRecord[] } {
  const added: MessageRecord[] = [];
  const records = messages.map((draft) => {
    const kept = known.find(draft.id) ?? added.find(({ id }) => id === draft.id);
    if (kept !== undefined) {
      if (fingerprintOf(kept) !== fingerprintOf(draft)) throw messageTaken();
      return kept;
    }
    const { id, role, at, parts, foreign } = draft;
    const ordinal = known.last + added.length + 1;
    const record: MessageRecord = {
      id,
      role,
      at,
      parts,
      ...(foreign === undefined ? {} : { foreign }),
      scope,
      session,
      ordinal: ordinal,
    };
    added.push(record);
    return record;
  });
  return { records, added };
}

/** The outputs that a message refers to. */
export function citedBy({ parts }: Pick<MessageRecord, 'parts'>): ArtifactId[] {
  return parts.flatMap((part) => {
    if (part.type === 'result') return [part.output];
    return part.type === 'media' && 'output' in part.source ? [part.source.output] : [];
  });
}

/** A message that is added again at another time is still the same message. */
function fingerprintOf({ role, parts, foreign }: MessageDraft): string {
  return JSON.stringify([role, parts, foreign ?? null]);
}
