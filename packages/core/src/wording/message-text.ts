/**
 * A message as text that can be stored, searched and fetched: word for word, with results named by
 * their handles. Pinned by tests.
 */
import type { MessagePart, MessageRecord } from '../model/message.ts';
import { named, transcriptHeading } from './history.ts';

/** Reasoning parts are left out; mostly they are opaque. */
const THOUGHTS = /reason|think/i;

export function messageText({ ordinal, role, parts }: MessageRecord): string {
  return [transcriptHeading(ordinal, role), ...parts.flatMap(partLines)].join('\n');
}

function partLines(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type === 'data') return THOUGHTS.test(part.name) ? [] : [part.json];
  if (part.type === 'call') return [`call ${named(part.callId)} of ${named(part.tool)}: ${part.input}`];
  if (part.type === 'result')
    return [`result of ${named(part.callId)} of ${named(part.tool)}: ${part.output} ${part.status}`];
  const where = 'url' in part.source ? part.source.url : part.source.output;
  return [`${part.mediaType}: ${where}`];
}
