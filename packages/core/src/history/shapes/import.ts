/**
 * Takes messages of a framework into a session. Every result becomes an output, whole as it was
 * given; signs that it had been cut before are marked. What we had said ourselves to a model (a
 * summary, a stand-in for a missing result) is nobody's words and is left out. Taking the same
 * conversation again, or a longer one, says only what is new.
 */
import { createHash } from 'node:crypto';
import { invalidArgument } from '../../model/errors.ts';
import type {
  MessageCall,
  MessageMedia,
  MessagePart,
  MessageRecord,
  MessageResult,
} from '../../model/message.ts';
import type { Store, WaitOptions } from '../../model/store.ts';
import { isLateResult, isStandIn, SUMMARY_MARK, unsaidCallIn } from '../../wording/history.ts';
import { SentCallIds, withCallIds } from '../call-ids.ts';
import type { CanonicalWriter } from '../canonical.ts';
import { checkImported } from '../check-message.ts';
import { shapeMediaType } from '../content.ts';
import { forCall, type SessionContext } from '../context.ts';
import { type PartInput, wordsOf } from '../message.ts';
import { messagesAbove } from '../read-session.ts';
import { countMarks, withoutInnerMarks } from './cache-marks.ts';
import { type Fields, isRecord, jsonOf, textField } from './json.ts';
import { Kept } from './overlap.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  type Loss,
  Losses,
  type Shape,
} from './shape.ts';
import { checkVocabulary, isKnownType } from './vocabulary.ts';

/** More calls are not under way when a run is given up. */
const MOST = 50;
const OWN = /^(?:attachment|message|messages)\//;

/** What was taken in. */
export interface Imported {
  /** Messages that were new. */
  readonly messages: number;
  /** Results that were new. */
  readonly results: number;
  /** Results that seem to have been cut before they were given to us. */
  readonly legacy: number;
  /** The calls that were taken in, in order, with the ids they are kept under. */
  readonly calls: readonly MessageCall[];
  /** What the assistant said in them, texts one below the other. */
  readonly text: string;
  /** What the user said in the last of their messages that was taken in. */
  readonly userText: string;
  /** What could not be carried over. */
  readonly losses: readonly Loss[];
}

/** What is given. */
export interface ImportOptions extends WaitOptions {
  /** `whole` (default): the conversation so far. `more`: what goes on from what is kept. */
  readonly given?: 'whole' | 'more';
}

/** Reads and keeps; messages come in order. One that is given up ends between two of them. */
export async function importMessages(
  writer: CanonicalWriter,
  session: SessionContext,
  shape: Shape,
  list: unknown,
  options: ImportOptions,
): Promise<Imported> {
  const context = forCall(session, options);
  const losses = new Losses();
  const read = readMessages(shape, list, losses);
  const given: ImportedMessage[] = [];
  for (const message of read) if (!(await isOurs(context, message))) given.push(message);
  const kept = new Kept();
  const sent = new SentCallIds();
  let last: MessageRecord | undefined;
  if (options.given !== 'more')
    for await (const message of messagesAbove(context, 0)) {
      sent.add(message);
      last = message;
      kept.add(message, await digestsOf(context.store, message));
    }
  const messages = given.map((message) => withKeptIds(message, sent));
  const fresh = kept.fresh(messages);
  const results = await unsaidResults(context, last, kept, messages);
  if (results.length > 0) await writer.say([{ role: 'tool', parts: results }]);
  const taken = { messages: 0, results: 0, legacy: 0 };
  const calls: MessageCall[] = [];
  const texts: string[] = [];
  let userText = '';
  for (const [i, message] of messages.entries()) {
    options.signal?.throwIfAborted();
    const parts: PartInput[] = [];
    if (fresh[i]?.kept === true) continue;
    for (const { part, known } of fresh[i]?.parts ?? []) {
      if (part.type !== 'result') {
        if (part.type === 'call') calls.push(part);
        if (part.type === 'text' && message.role === 'assistant') texts.push(part.text);
        parts.push(part);
        continue;
      }
      if (isOwnStandIn(part)) continue;
      const { type: _, result, ...of } = part;
      const { part: recorded } = await writer.record({ ...of, origin: 'imported' }, result, known);
      if (known.has(recorded.output)) continue;
      taken.results++;
      if (recorded.legacy !== undefined) taken.legacy++;
      parts.push(recorded);
    }
    if (parts.length === 0 && message.parts.length > 0) continue;
    const id = parts.length === message.parts.length ? idOf(shape, message, i, options) : null;
    if (message.role === 'user') userText = wordsOf(message);
    await writer.say([
      { ...(id === null ? {} : { id }), role: message.role, parts, foreign: message.foreign },
    ]);
    taken.messages++;
  }
  return { ...taken, calls, text: texts.join('\n'), userText, losses: losses.list };
}

async function unsaidResults(
  { store, name }: SessionContext,
  last: MessageRecord | undefined,
  kept: Kept,
  given: readonly ImportedMessage[],
): Promise<readonly MessageResult[]> {
  if (last === undefined) return [];
  const parts = given.flatMap((message) => message.parts);
  const calls = new Set(
    parts.flatMap((part) => (part.type === 'call' || part.type === 'result' ? [part.callId] : [])),
  );
  const { items } = await store.list({ ...name, show: 'all', limit: MOST });
  const unsaid = items.flatMap(({ id, callId, tool, outcome, startedAt, retiredAt }): MessageResult[] => {
    if (callId === undefined || OWN.test(callId) || retiredAt !== undefined) return [];
    if (startedAt < last.at || calls.has(callId) || kept.has(callId, id)) return [];
    return [{ type: 'result', callId, tool, output: id, status: outcome.status, unsaid: true }];
  });
  return unsaid.reverse();
}

/** Everything is read and checked before the first message is stored. */
export function readMessages(shape: Shape, list: unknown, losses: Losses): readonly ImportedMessage[] {
  const given = listOf(list).map((message) => bareOf(shape, message));
  const unwrap = (message: Fields) =>
    shape.unwrap?.(message) ?? { role: textField(message, 'role'), fields: message };
  if (shape.vocabulary !== undefined) checkVocabulary(shape.vocabulary, given, unwrap, losses);
  const { messages, losses: lost } = shape.read(given);
  losses.list.push(...lost);
  const read = withCallIds(messages, losses).map((message) => withoutLargeData(shape, message));
  checkImported(read);
  return read;
}

/** A message whose results hold what tools said, and no marks for a cache: mostly the object itself. */
function bareOf(shape: Shape, message: Fields): Fields {
  if (countMarks(message) === 0) return message;
  const { role = '', fields = message } = shape.unwrap?.(message) ?? {};
  // Objects of a class, and what is stored of them, are read by their fields.
  if (fields === message || !(isRecord(message.data) || 'lc_kwargs' in message))
    return withoutInnerMarks(message, false);
  return { type: role, data: withoutInnerMarks(fields, role === 'tool') };
}

/** Unknown parts stay in the message while they are small; larger ones are stored as files. */
const MOST_UNKNOWN_CHARS = 2_000;

function withoutLargeData(shape: Shape, message: ImportedMessage): ImportedMessage {
  const parts = message.parts.map((part): ImportedPart => {
    if (part.type !== 'data' || isKnownType(shape, part.name) || part.json.length <= MOST_UNKNOWN_CHARS)
      return part;
    return { type: 'media', mediaType: shapeMediaType(shape.name), data: Buffer.from(part.json) };
  });
  return { ...message, parts };
}

function listOf(given: unknown): readonly Fields[] {
  if (!Array.isArray(given))
    throw invalidArgument('`messages` must be a list of messages. Nothing was stored.');
  for (let i = 0; i < given.length; i++)
    if (!isRecord(given[i]))
      throw invalidArgument(`\`messages[${i}]\` must be an object. Nothing was stored.`);
  return given;
}

async function digestsOf(
  store: Store,
  { scope, parts }: MessageRecord,
): Promise<(part: MessageMedia) => string> {
  const digests = new Map<MessagePart, string>();
  for (const part of parts) {
    if (part.type !== 'media') continue;
    const { source } = part;
    const found = 'url' in source ? undefined : await store.find({ scope, id: source.output });
    const stored =
      found === undefined || 'purgedAt' in found || 'url' in source ? undefined : found.parts[source.part];
    digests.set(part, 'url' in source ? source.url : (stored?.hash ?? ''));
  }
  return (part) => digests.get(part) ?? '';
}

/** A framework that keeps what was sent has the ids that were sent. */
function withKeptIds(message: ImportedMessage, sent: SentCallIds): ImportedMessage {
  const parts = message.parts.map((part) =>
    part.type === 'call' || part.type === 'result' ? { ...part, callId: sent.kept(part.callId) } : part,
  );
  return { ...message, parts };
}

/** Of messages that go on, equal ones are several: a user may say the same again. */
function idOf(
  shape: Shape,
  message: ImportedMessage,
  index: number,
  { given }: ImportOptions,
): string | null {
  if (message.id !== undefined) return message.id;
  if (given === 'more') return null;
  const hash = createHash('sha256').update(jsonOf(message)).digest('hex').slice(0, 16);
  return `${shape.name}/${index}/${hash}`;
}

/** What stood for older messages when it was sent: those are kept themselves. */
async function isOurs(
  { store, ledger, name }: SessionContext,
  { role, parts }: ImportedMessage,
): Promise<boolean> {
  const [first] = parts;
  if (role !== 'user' || first?.type !== 'text') return false;
  const callId = unsaidCallIn(first.text);
  if (callId !== null) return (await store.find({ ...name, callId })) !== undefined;
  const late = isLateResult(first.text);
  if (!late && !first.text.startsWith(SUMMARY_MARK)) return false;
  const { items } = await store.summaries({ ...name, limit: 1_000 });
  // Late results are told behind summaries only: without any, somebody else said it.
  if (late) return items.length > 0;
  const ours = items.some(({ text }) => text === first.text);
  if (ours) ledger.count('relinked_results');
  return ours;
}

/** Whether a result is what we put in the place of one that was missing. */
export function isOwnStandIn(part: ImportedResult): boolean {
  const { result } = part;
  return result.kind === 'text' && typeof result.text === 'string' && isStandIn(part, result.text);
}
