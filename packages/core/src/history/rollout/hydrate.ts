/**
 * What a screen shows after a reload: canonical first. What the screen held only counts where
 * nothing is kept here, and a placeholder never takes the place of a real result, wherever each of
 * them comes from.
 */

import { SYNTHETIC_MARK } from '../../wording/history.ts';
import { type Message, type SentPart, type SentResult, textOf } from '../message.ts';

/** Messages as they are kept, with what only the screen `held` before, previews among it. */
export function hydrate(kept: readonly Message[], held: readonly Message[]): Message[] {
  const real = new Map<string, SentResult | null>();
  for (const { id, parts } of held)
    for (const part of parts) {
      if (part.type !== 'result' || !isReal(part)) continue;
      real.set(keyOf(id, part), part);
      // An id that was used again does not say whose result it is.
      real.set(part.callId, real.has(part.callId) ? null : part);
    }
  const hydrated = kept.map((message) => ({
    ...message,
    parts: message.parts.map((part) => better(message.id, part, real)),
  }));
  const known = new Set(kept.map(({ id }) => id));
  const calls = new Set(
    kept.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))),
  );
  const onlyHeld = held.filter(
    ({ id, parts }) => !known.has(id) && !parts.every((part) => answersKept(part, calls)),
  );
  return [...hydrated, ...onlyHeld];
}

function better(id: string, part: SentPart, real: ReadonlyMap<string, SentResult | null>): SentPart {
  if (part.type !== 'result' || part.synthetic === null) return part;
  return real.get(keyOf(id, part)) ?? real.get(part.callId) ?? part;
}

function keyOf(id: string, { callId }: SentResult): string {
  return JSON.stringify([id, callId]);
}

/** A result of a call that is kept has its place there already. */
function answersKept(part: SentPart, calls: ReadonlySet<string>): boolean {
  return part.type === 'result' && calls.has(part.callId);
}

/** Not a stand-in, not a preview, not empty in the place of something. */
function isReal(result: SentResult): boolean {
  const { preview } = result as { readonly preview?: unknown };
  if (result.synthetic !== null || preview !== undefined || result.blocks.length === 0) return false;
  return !textOf(result).startsWith(SYNTHETIC_MARK);
}
