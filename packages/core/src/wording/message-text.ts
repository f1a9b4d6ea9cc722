/**
 * A message as text that can be stored, searched and fetched: word for word, with results named by
 * their handles. Pinned by tests.
 */
import type { MessagePart, MessageRecord } from '../model/message.ts';
import { named, transcriptHeading } from './history.ts';

/** Thoughts of a model are its own business, and mostly cannot be read anyway. */
const THOUGHTS = /reason|think/i;

/** What was said in a message, below a line that names it. */
export function messageText({ ordinal, role, parts }: MessageRecord): string {
  return [transcriptHeading(ordinal, role), ...parts.flatMap(partLines)].join('\n');
}

/** The lines of one part. */
function partLines(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type === 'data') return THOUGHTS.test(part.name) ? [] : [part.json];
  if (part.type === 'call') return [`call ${named(part.callId)} of ${named(part.tool)}: ${part.input}`];
  if (part.type === 'result')
    return [`result of ${named(part.callId)} of ${named(part.tool)}: ${part.output} ${part.status}`];
  const where = 'url' in part.source ? part.source.url : part.source.output;
  return [`${part.mediaType}: ${where}`];
}
