/**
 * The outputs that compaction makes, so that everything a summary leaves out can be fetched by a
 * handle, in the scope of the session: long messages of users, transcripts of what was said, older
 * lists of results, summaries of a host that are too long.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageRecord } from '../../model/message.ts';
import { COMPACTION_OUTPUTS } from '../../model/output.ts';
import type { SessionSpillway } from '../context.ts';
import type { SessionName } from '../read-session.ts';
import { renderIndex } from './render.ts';
import type { ResultLine } from './state.ts';
import { asResult, isLong, transcriptOf } from './transcript.ts';

interface Recorder {
  readonly spillway: SessionSpillway;
}

/** An output for each long message of a user. The same message again is the same output. */
export async function outputsOfLong(
  recorder: Recorder,
  name: SessionName,
  messages: readonly MessageRecord[],
): Promise<ReadonlyMap<MessageRecord, ArtifactId>> {
  const outputs = new Map<MessageRecord, ArtifactId>();
  for (const message of messages)
    if (isLong(message)) outputs.set(message, await recordMessage(recorder, name, message));
  return outputs;
}

/** What was said in these messages, word for word. */
export async function recordTranscript(
  { spillway }: Recorder,
  name: SessionName,
  messages: readonly MessageRecord[],
  outputs: ReadonlyMap<MessageRecord, ArtifactId>,
  before: ArtifactId | null,
): Promise<ArtifactId> {
  const callId = `messages/${messages[0]?.ordinal}-${messages.at(-1)?.ordinal}`;
  const text = transcriptOf(messages, outputs, before);
  const { record } = await spillway.recordOrHold(
    { ...name, tool: COMPACTION_OUTPUTS.transcript, callId },
    { kind: 'text', text },
  );
  return record.id;
}

/** Results that a summary no longer lists; names the list before it. */
export async function recordIndex(
  { spillway }: Recorder,
  name: SessionName,
  results: readonly ResultLine[],
  earlier: ArtifactId | null,
): Promise<ArtifactId> {
  const text = renderIndex(results, earlier);
  const { record } = await spillway.recordOrHold(
    { ...name, tool: COMPACTION_OUTPUTS.index },
    { kind: 'text', text },
  );
  return record.id;
}

/** The whole of a host's summary that has no room. */
export async function recordNarrative(
  { spillway }: Recorder,
  name: SessionName,
  text: string,
): Promise<ArtifactId> {
  const { record } = await spillway.recordOrHold(
    { ...name, tool: COMPACTION_OUTPUTS.summary },
    { kind: 'text', text },
  );
  return record.id;
}

async function recordMessage(
  { spillway }: Recorder,
  name: SessionName,
  message: MessageRecord,
): Promise<ArtifactId> {
  const call = { ...name, tool: COMPACTION_OUTPUTS.message, callId: `message/${message.id}` };
  const { record } = await spillway.recordOrHold(call, asResult(message));
  return record.id;
}
