/**
 * Fetches what a legacy record had lost from a durable source, such as the log file of a command.
 * The record stays as it is: the whole becomes another version of the output, and a message says
 * that it was backfilled. What does not fit the text that is there is not taken for it.
 */

import type { Source } from '../../capture/result.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { MessageResult } from '../../model/message.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { SessionName } from '../../model/session.ts';
import type { WaitOptions } from '../../model/store.ts';
import type { CanonicalWriter } from '../canonical.ts';
import { canonicalBlocks } from '../content.ts';
import { forCall, type SessionContext } from '../context.ts';
import { textOf } from '../message.ts';
import { messagesAbove } from '../read-session.ts';

/** What came of it. */
export interface Backfilled {
  /** `taken`: it counts from now on. `differs`: another text. `not_longer`: it has nothing more. */
  readonly verdict: 'taken' | 'differs' | 'not_longer';
  /** The output that counts now; null unless it was taken. */
  readonly output: OutputRecord | null;
}

const SAME_CHARS = 200;

export interface BackfillRequest extends WaitOptions {
  readonly callId: string;
  readonly source: Source;
}

/** Takes the source as the result of a call; one that is given up is kept as cancelled. */
export async function backfill(
  session: SessionContext,
  writer: CanonicalWriter,
  name: SessionName,
  { callId, source, ...wait }: BackfillRequest,
): Promise<Backfilled> {
  const context = forCall(session, wait);
  const result = await latestResult(context, callId);
  const kept = await context.store.find({ scope: name.scope, id: result.output });
  if (kept === undefined || 'purgedAt' in kept) throw noResult();
  const before = textOf({ blocks: await canonicalBlocks(context.spillway, kept) });
  const { tool } = result;
  // Whether it is the call's result is only known once it was read.
  const candidate = { ...name, tool, callId: `backfill/${callId}` };
  const { record } = await context.spillway.record(
    candidate,
    { kind: 'text', text: source },
    { outcome: kept.outcome, ...wait },
  );
  wait.signal?.throwIfAborted();
  const chars = record.parts.reduce((sum, part) => sum + part.chars, 0);
  if (chars <= before.length && kept.parts.some(({ hash }) => hash === record.parts[0]?.hash))
    return { verdict: 'not_longer', output: null };
  if (!(await beginsAlike(context, record, before))) return { verdict: 'differs', output: null };
  const part: MessageResult = {
    type: 'result',
    callId,
    tool,
    output: record.id,
    status: result.status,
    stage: 'backfilled',
  };
  await writer.say([{ id: `backfill/${callId}/${record.id}`, role: 'tool', parts: [part] }]);
  return { verdict: 'taken', output: record };
}

async function latestResult({ store, name }: SessionContext, callId: string): Promise<MessageResult> {
  let found: MessageResult | undefined;
  for await (const { parts } of messagesAbove({ store, name }, 0))
    for (const part of parts) if (part.type === 'result' && part.callId === callId) found = part;
  if (found === undefined) throw noResult();
  return found;
}

/** Up to where the old text says that it was cut, or for a while. */
async function beginsAlike(
  { spillway }: SessionContext,
  record: OutputRecord,
  before: string,
): Promise<boolean> {
  const opening = before.slice(0, SAME_CHARS).split(/\n?(?:\.{3}|…|\[)/)[0] ?? '';
  if (opening.trim() === '') return false;
  for await (const { bytes } of spillway.contents(record)) {
    let text = '';
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for await (const piece of bytes) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= SAME_CHARS) break;
    }
    return text.startsWith(opening);
  }
  return false;
}

function noResult(): SpillwayError {
  return new SpillwayError(
    'not_found',
    'The session has no kept result of that call: there is nothing to fill in.',
  );
}
