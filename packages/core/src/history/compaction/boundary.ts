/**
 * Where a summary ends: behind a message such that no call is parted from its result, as far as
 * that can be had. Pure.
 */
import type { MessageRecord } from '../../model/message.ts';

/** A message and what it costs to keep. */
export interface Weighed {
  readonly message: MessageRecord;
  readonly tokens: number;
}

/** The place of the last message to be summarised; 0 if everything can stay. */
export function boundaryOf(messages: readonly Weighed[], keepTokens: number): number {
  let kept = 0;
  let wanted = 0;
  for (const { message, tokens } of messages.toReversed()) {
    kept += tokens;
    if (kept <= keepTokens) continue;
    wanted = message.ordinal;
    break;
  }
  const last = messages.at(-1)?.message.ordinal ?? 0;
  // The latest message always stays, and results at the end stay with their calls.
  wanted = Math.min(wanted, last - 1, lastCalls(messages) - 1);
  if (wanted <= 0) return 0;
  const whole = wholePairs(messages).filter((ordinal) => ordinal < last);
  return whole.findLast((ordinal) => ordinal <= wanted) ?? whole[0] ?? wanted;
}

/** The place of the first message whose calls the results at the very end answer. */
function lastCalls(messages: readonly Weighed[]): number {
  const begin = messages.findLastIndex(({ message: { parts } }) =>
    parts.some(({ type }) => type !== 'result'),
  );
  const answered = new Set<string>();
  for (const { message } of messages.slice(begin + 1))
    for (const part of message.parts) if (part.type === 'result') answered.add(part.callId);
  // An older call may be parted from its result, or nothing could ever be summarised.
  const calls = messages[begin]?.message.parts ?? [];
  const isAnswered = calls.some((part) => part.type === 'call' && answered.has(part.callId));
  return isAnswered ? (messages[begin]?.message.ordinal ?? 0) : Number.POSITIVE_INFINITY;
}

/** The places behind which no call waits for a result that comes later. */
function wholePairs(messages: readonly Weighed[]): number[] {
  const results = new Map<string, number>();
  for (const { message } of messages)
    for (const part of message.parts)
      if (part.type === 'result' && part.stage !== 'preliminary' && !results.has(part.callId))
        results.set(part.callId, message.ordinal);
  let open = 0;
  return messages.flatMap(({ message: { parts, ordinal } }) => {
    for (const part of parts) if (part.type === 'call') open = Math.max(open, results.get(part.callId) ?? 0);
    return open <= ordinal ? [ordinal] : [];
  });
}
