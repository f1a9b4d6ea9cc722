/**
 * The outputs that compaction makes, so that everything a summary leaves out can be fetched by a
 * handle, in the scope of the session: long messages of users, transcripts of what was said word
 * for word, older lists of results, summaries of a host that are too long.
 */
import type { BlocksResult, TextResult } from '../../capture/result.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageRecord } from '../../model/message.ts';
import { COMPACTION_OUTPUTS } from '../../model/output.ts';
import { earlierMessages, keptMessage } from '../../wording/history.ts';
import { messageText } from '../../wording/message-text.ts';
import type { SessionContext } from '../context.ts';

/** A message of a user with more chars than this has an output of its own. */
const SHORT_CHARS = 600;

/** What a user said in a message: texts, and documents and data as their JSON. */
export function textsOf({ parts }: MessageRecord): string[] {
  return parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'data' ? [part.json] : [],
  );
}

/** Stores what a summary leaves out. The same call again is the same output. */
export async function recordOutput(
  { spillway, name }: SessionContext,
  kind: keyof typeof COMPACTION_OUTPUTS,
  result: TextResult | BlocksResult,
  callId?: string,
): Promise<ArtifactId> {
  const call = { ...name, tool: COMPACTION_OUTPUTS[kind], ...(callId === undefined ? {} : { callId }) };
  return (await spillway.recordOrHold(call, result as TextResult)).record.id;
}

/** An output for each long message of a user. */
export async function outputsOfLong(
  context: SessionContext,
  messages: readonly MessageRecord[],
): Promise<ReadonlyMap<MessageRecord, ArtifactId>> {
  const outputs = new Map<MessageRecord, ArtifactId>();
  for (const message of messages) {
    if (message.role !== 'user' || charsOf(message) <= SHORT_CHARS) continue;
    const [first = '', ...others] = textsOf(message);
    const blocks = [first, ...others].map((text) => ({ type: 'text', text }) as const);
    const result =
      others.length === 0 ? ({ kind: 'text', text: first } as const) : ({ kind: 'blocks', blocks } as const);
    outputs.set(message, await recordOutput(context, 'message', result, `message/${message.id}`));
  }
  return outputs;
}

/** What was said in these messages, word for word; `outputs` holds those with one of their own. */
export async function recordTranscript(
  context: SessionContext,
  messages: readonly MessageRecord[],
  outputs: ReadonlyMap<MessageRecord, ArtifactId>,
  before: ArtifactId | null,
): Promise<ArtifactId> {
  const entries = messages.map((message) => {
    const output = outputs.get(message);
    return output === undefined
      ? messageText(message)
      : keptMessage(message.ordinal, message.role, charsOf(message), output);
  });
  const text = `${[...(before === null ? [] : [earlierMessages(before)]), ...entries].join('\n')}\n`;
  const callId = `messages/${messages[0]?.ordinal}-${messages.at(-1)?.ordinal}`;
  return recordOutput(context, 'transcript', { kind: 'text', text }, callId);
}

function charsOf(message: MessageRecord): number {
  return textsOf(message).reduce((sum, text) => sum + text.length, 0);
}
