/**
 * The transport projection of whole messages: a screen that loads a session gets every result, each
 * flagged where it is only a preview.
 */
import type { SessionName } from '../../model/session.ts';
import type { WaitOptions } from '../../model/store.ts';
import { allocate } from '../../text/allocate.ts';
import type { Derived, Message, ResultBlock, SentMedia, SentPart } from '../message.ts';
import { textOf } from '../message.ts';
import {
  type LimitedPreview,
  Previews,
  RESULT_CHARS,
  TOTAL_CHARS,
  type TransportLimits,
  type TransportReader,
} from './preview.ts';

/** A result that is shown by a preview. The flags say what is missing. */
export type TransportPart = SentPart & {
  /** Set where it is a preview. */ readonly preview?: Omit<LimitedPreview, 'preview'>;
};

/** A message for a screen. */
export interface TransportMessage extends Omit<Message, 'parts'>, Derived {
  /** Its parts, with long results as previews. */
  readonly parts: readonly TransportPart[];
}

/** Limits results, sharing the room by need. Ids, order and errors stay. */
export async function limitMessages(
  reader: TransportReader,
  name: SessionName,
  messages: readonly Message[],
  limits: TransportLimits & WaitOptions = {},
): Promise<TransportMessage[]> {
  const { resultChars: limit = RESULT_CHARS, totalChars = TOTAL_CHARS, signal } = limits;
  signal?.throwIfAborted();
  const previews = new Previews(reader, name, limits);
  const results = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
  const texts = results.map(textOf);
  const shares = allocate(
    totalChars,
    texts.map(({ length: size }) => ({ size, limit, preferred: false })),
  );
  // Images and files in what the texts leave, in order; whole or not at all.
  let left = totalChars - shares.reduce((sum, share) => sum + share, 0);
  const hasRoom = (block: ResultBlock): boolean => {
    if (block.type !== 'media') return true;
    if (sizeOf(block) > left) return false;
    left -= sizeOf(block);
    return true;
  };
  const limited = new Map<SentPart, TransportPart>();
  for (const [i, result] of results.entries()) {
    const { output: artifact_id, callId, blocks } = result;
    const text = texts[i] ?? '';
    const kept = blocks.filter(hasRoom);
    const which = artifact_id === null ? { callId } : { id: artifact_id };
    const shown = await previews.text(which, text, shares[i] ?? 0);
    if (shown === text && kept.length === blocks.length) continue;
    const media = blocks.filter((block) => block.type === 'media');
    const original_size = text.length + media.reduce((sum, block) => sum + sizeOf(block), 0);
    const files = kept.filter((block) => block.type === 'media');
    limited.set(result, {
      ...result,
      blocks: shown === text ? kept : [{ type: 'text', text: shown }, ...files],
      preview: { limited: true, display_only: true, original_size, artifact_id },
    });
  }
  const shown: Omit<TransportMessage, keyof Derived>[] = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => limited.get(part) ?? part),
  }));
  return shown as TransportMessage[];
}

function sizeOf({ data }: SentMedia): number {
  return 'url' in data ? data.url.length : data.base64.length;
}
