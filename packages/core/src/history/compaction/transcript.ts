/**
 * What was said in messages, as text that can be stored and fetched: a long message of a user as an
 * output of its own, and a transcript of all messages that one compaction leaves out. Word for
 * word; results are named by their handles. Pure.
 */
import type { BlocksResult, TextResult } from '../../capture/result.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageRecord } from '../../model/message.ts';
import { earlierMessages, keptMessage } from '../../wording/history.ts';
import { messageText } from '../../wording/message-text.ts';

/** A message of a user with more chars than this has an output of its own. */
const SHORT_CHARS = 600;

/** What a user said in a message: texts, and documents and data as their JSON. */
export function textsOf({ parts }: MessageRecord): string[] {
  return parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'data' ? [part.json] : [],
  );
}

/** Whether a message is too long to stand in a summary word for word. */
export function isLong(message: MessageRecord): boolean {
  return (
    message.role === 'user' && textsOf(message).reduce((sum, text) => sum + text.length, 0) > SHORT_CHARS
  );
}

/** A message as the content of an output: one text as it is, several as blocks. */
export function asResult(message: MessageRecord): TextResult | BlocksResult {
  const [first = '', ...others] = textsOf(message);
  if (others.length === 0) return { kind: 'text', text: first };
  return { kind: 'blocks', blocks: [first, ...others].map((text) => ({ type: 'text', text })) };
}

/** What was said in these messages; `outputs` holds those that are stored by themselves. */
export function transcriptOf(
  messages: readonly MessageRecord[],
  outputs: ReadonlyMap<MessageRecord, ArtifactId>,
  before: ArtifactId | null,
): string {
  const earlier = before === null ? [] : [earlierMessages(before)];
  return `${[...earlier, ...messages.map((message) => entry(message, outputs.get(message)))].join('\n')}\n`;
}

function entry(message: MessageRecord, output: ArtifactId | undefined): string {
  const { ordinal, role } = message;
  if (output !== undefined) {
    const chars = textsOf(message).reduce((sum, text) => sum + text.length, 0);
    return keptMessage(ordinal, role, chars, output);
  }
  return messageText(message);
}
