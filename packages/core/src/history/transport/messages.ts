/**
 * The transport projection of whole messages: a screen that loads a session gets every result, each
 * flagged where it is only a preview.
 */

import type { SessionName } from '../../model/session.ts';
import type { WaitOptions } from '../../model/store.ts';
import { allocate } from '../../text/allocate.ts';
import {
  type Derived,
  type Message,
  type ResultBlock,
  type SentMedia,
  type SentPart,
  type SentResult,
  textOf,
} from '../message.ts';
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
  limits.signal?.throwIfAborted();
  const results = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
  const limit = limits.resultChars ?? RESULT_CHARS;
  const needs = results.map((result) => ({ size: textOf(result).length, limit, preferred: false }));
  const shares = allocate(limits.totalChars ?? TOTAL_CHARS, needs);
  const previews = new Previews(reader, name, limits);
  const limited = new Map<SentPart, TransportPart>();
  const media = fittingMedia(results, limits.totalChars ?? TOTAL_CHARS, shares);
  for (const [i, result] of results.entries()) {
    const text = textOf(result);
    const files = result.blocks.filter((block) => block.type === 'media');
    const kept = files.filter((block) => media.has(block));
    const { output: id, callId } = result;
    const shown = await previews.text(id === null ? { callId } : { id }, text, shares[i] ?? 0);
    if (shown === text && kept.length === files.length) continue;
    const whole = text.length + files.reduce((sum, block) => sum + sizeOf(block), 0);
    const blocks: ResultBlock[] =
      shown === text
        ? result.blocks.filter((block) => block.type !== 'media' || media.has(block))
        : [{ type: 'text', text: shown }, ...kept];
    limited.set(result, {
      ...result,
      blocks,
      preview: { limited: true, display_only: true, original_size: whole, artifact_id: result.output },
    });
  }
  const shown: Omit<TransportMessage, keyof Derived>[] = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => limited.get(part) ?? part),
  }));
  return shown as TransportMessage[];
}

/** Images and files in what the texts leave, in order; whole or not at all. */
function fittingMedia(
  results: readonly SentResult[],
  total: number,
  shares: readonly number[],
): ReadonlySet<SentMedia> {
  let left = total - shares.reduce((sum, share) => sum + share, 0);
  const fitting = new Set<SentMedia>();
  for (const block of results.flatMap(({ blocks }) => blocks)) {
    if (block.type !== 'media' || sizeOf(block) > left) continue;
    left -= sizeOf(block);
    fitting.add(block);
  }
  return fitting;
}

function sizeOf({ data }: SentMedia): number {
  return 'url' in data ? data.url.length : data.base64.length;
}
