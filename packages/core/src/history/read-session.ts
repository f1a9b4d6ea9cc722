/** Reads a session page by page: nothing here holds more than one page, whatever its length. */
import type { Holding } from '../engine/holding.ts';
import type { ArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { MessagePart, MessageRecord, MessageResult } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionName, SummaryRecord } from '../model/session.ts';
import type { OutputKey, Store } from '../model/store.ts';
import { damagedMessage, damagedPart } from '../wording/history.ts';
import { checkKeptMessage, checkKeptPart, ROLES } from './check-message.ts';
import { type Fields, isRecord, jsonOf } from './shapes/json.ts';

/** A session, and the store that it is read from. */
export interface SessionReader {
  readonly store: Pick<Store, 'messages' | 'summaries'>;
  readonly name: SessionName;
}

const PAGE = 200;
const LOOK_BACK = 50;

/** Messages above a place, in order. */
export async function* messagesAbove(from: SessionReader, above: number): AsyncGenerator<MessageRecord> {
  for (let last = above; ; ) {
    const page = await unlessDamaged(() => from.store.messages({ ...from.name, above: last, limit: PAGE }));
    if (page === null) {
      yield await nextMessage(from, last);
      last++;
      continue;
    }
    const { items, next } = page;
    for (const message of items) yield readableMessage(message);
    last = items.at(-1)?.ordinal ?? last;
    if (next === undefined) return;
  }
}

async function nextMessage({ store, name }: SessionReader, last: number): Promise<MessageRecord> {
  const page = await unlessDamaged(() => store.messages({ ...name, above: last, limit: 1 }));
  const [message] = page?.items ?? [];
  // Places have no gaps, so a page that cannot be read begins with the next one.
  return message === undefined ? lostMessage(name, last + 1) : readableMessage(message);
}

/** The same as a list. Messages refer to results and media, so it stays small. */
export async function allAbove(from: SessionReader, above: number): Promise<MessageRecord[]> {
  const all: MessageRecord[] = [];
  for await (const message of messagesAbove(from, above)) all.push(message);
  return all;
}

/** The same as a model may read them. */
export async function readableAbove(
  from: SessionReader & { readonly holding: Pick<Holding, 'withoutSecrets'> },
  above: number,
): Promise<MessageRecord[]> {
  const all = await allAbove(from, above);
  return all.map((message) => from.holding.withoutSecrets(message, from.name.session, 'read'));
}

/** The summary that counts; undefined if there is none. */
export async function latestSummary({ store, name }: SessionReader): Promise<SummaryRecord | undefined> {
  return (await store.summaries({ ...name, limit: 1 })).items[0];
}

/** Whether some message has this output as a result. Messages up to `covers` are read lazily. */
export function recordedIn(
  from: SessionReader,
  covers: number,
  messages: readonly MessageRecord[],
): (output: ArtifactId) => Promise<boolean> {
  let older: Promise<ReadonlySet<ArtifactId>> | undefined;
  const newer = resultsOf(messages);
  return async (output) => {
    if (newer.has(output)) return true;
    if (covers === 0) return false;
    older ??= resultsUpTo(from, covers);
    return (await older).has(output);
  };
}

async function resultsUpTo(from: SessionReader, covers: number): Promise<ReadonlySet<ArtifactId>> {
  const found = new Set<ArtifactId>();
  for await (const message of messagesAbove(from, 0)) {
    if (message.ordinal > covers) break;
    for (const output of resultsOf([message])) found.add(output);
  }
  return found;
}

function resultsOf(messages: readonly MessageRecord[]): ReadonlySet<ArtifactId> {
  const parts = messages.flatMap((message) => message.parts);
  return new Set(parts.flatMap((part) => (part.type === 'result' ? [part.output] : [])));
}

/** The message that already says a result, among the latest messages, since its call was made. */
export async function recordedBefore(
  from: SessionReader,
  { callId, output, stage }: MessageResult,
): Promise<MessageRecord | undefined> {
  let found: MessageRecord | undefined;
  let [calls, results] = [0, 0];
  for (const message of await latestMessages(from)) {
    for (const part of message.parts) {
      if (part.type === 'call' && part.callId === callId) calls++;
      if (part.type !== 'result' || part.callId !== callId) continue;
      if (part.output !== output || part.stage !== stage) continue;
      found ??= message;
      results++;
    }
    // Calls of one message may have the same id and the same result: each of them is told it once.
    if (calls > 0) return results >= calls ? found : undefined;
  }
  return found;
}

async function latestMessages(from: SessionReader): Promise<readonly MessageRecord[]> {
  const page = await unlessDamaged(() =>
    from.store.messages({ ...from.name, order: 'newest', limit: LOOK_BACK }),
  );
  if (page !== null) return page.items.map(readableMessage);
  return (await allAbove(from, 0)).slice(-LOOK_BACK).reverse();
}

/** One message by its place. */
export async function messageAt(
  { store, name }: SessionReader,
  ordinal: number,
): Promise<MessageRecord | undefined> {
  const page = await unlessDamaged(() => store.messages({ ...name, above: ordinal - 1, limit: 1 }));
  if (page === null) return lostMessage(name, ordinal);
  const [found] = page.items;
  return found?.ordinal === ordinal ? readableMessage(found) : undefined;
}

function readableMessage(kept: MessageRecord): MessageRecord {
  if (isSound(() => checkKeptMessage(kept))) return kept;
  const { scope, session, ordinal } = kept;
  const given = kept as unknown as Fields;
  const parts = Array.isArray(given.parts) ? given.parts.map(readablePart) : [damagedText()];
  return {
    ...lostMessage({ scope, session }, ordinal),
    ...(typeof given.id === 'string' && given.id !== '' ? { id: given.id } : {}),
    ...(typeof given.at === 'number' ? { at: given.at } : {}),
    role: ROLES.find((known) => known === given.role) ?? 'user',
    parts,
  };
}

function lostMessage(name: Pick<MessageRecord, 'scope' | 'session'>, ordinal: number): MessageRecord {
  const parts = [{ type: 'text', text: damagedMessage(ordinal) }] as const;
  return { ...name, id: `damaged-${ordinal}`, role: 'user', at: 0, parts, ordinal };
}

function readablePart(given: unknown): MessagePart {
  if (isSound(() => checkKeptPart(given, 'part'))) return given as MessagePart;
  const part = isRecord(given) ? given : {};
  const { callId, tool, input } = part;
  // The call itself is clear: its result stays with it.
  if (part.type === 'call' && typeof callId === 'string' && typeof tool === 'string')
    return { type: 'call', callId, tool, input: typeof input === 'string' ? input : jsonOf(input ?? {}) };
  return damagedText();
}

function damagedText(): MessagePart {
  return { type: 'text', text: damagedPart() };
}

function isSound(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SpillwayError) return false;
    throw error;
  }
}

/** What was read, or null if it is damaged. Every other failure is thrown. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'corrupt') return null;
    throw error;
  }
}

/** An output, or null where there is none, or it was deleted or is damaged. */
export async function findKept(store: Pick<Store, 'find'>, key: OutputKey): Promise<OutputRecord | null> {
  const found = await unlessDamaged(() => store.find(key));
  return found === null || found === undefined || 'purgedAt' in found ? null : found;
}
