/**
 * Messages with what stands behind their calls: the output that a result refers to, or one that was
 * recorded under the id of the call although nobody got to say so (a crash in between), or nothing,
 * or something that is damaged. A request and a transcript are made of such entries.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection } from '../model/projection.ts';
import { unsaidResult } from '../wording/history.ts';
import type { SessionContext } from './context.ts';
import type { Synthetic } from './message.ts';
import type { Pair, PairedMessage } from './pairing.ts';
import { unlessDamaged } from './read-session.ts';

/** A pair with what is behind it. */
export interface ResolvedCall {
  readonly pair: Pair;
  readonly record: OutputRecord | null;
  /** The output that was there and is no longer kept, or cannot be read. */
  readonly gone: ArtifactId | null;
  readonly why: Exclude<Synthetic, 'missing'> | null;
  readonly frozen: Projection | null;
  /** What stands in its place where it was dropped, because a later call read the same. */
  readonly dropped?: string;
}

/** A message, its parts without results, and what is behind its calls. */
export interface Entry extends Pick<PairedMessage, 'parts'> {
  readonly kind: 'system' | 'summary' | 'message';
  readonly message: Pick<MessageRecord, 'id' | 'role' | 'foreign'>;
  /** Its place among the messages of the session, as a person reads it. */
  readonly name: string;
  readonly results: readonly ResolvedCall[];
  /** Results are told as text, each below such a line: no message makes their calls. */
  readonly heading?: (one: ResolvedCall) => string;
}

/** Whether a message says that an output is the result of some call. */
type IsRecorded = (output: ArtifactId) => Promise<boolean>;

/** Paired messages, each with what is behind its calls. */
export async function* entriesOf(
  context: Pick<SessionContext, 'store' | 'name'>,
  messages: readonly PairedMessage[],
  isRecorded: IsRecorded,
): AsyncGenerator<Entry> {
  for (const { message, parts, pairs, asText } of messages) {
    const results = await resolveCalls(context, pairs, isRecorded);
    const kind = message.role === 'system' ? 'system' : 'message';
    const entry = { kind, message, name: `#${message.ordinal}`, parts, results } as const;
    const heading: Entry['heading'] = ({ pair: { call }, record }) =>
      unsaidResult(call, record?.summary ?? call.tool);
    yield asText === true ? { ...entry, message: { id: message.id, role: 'user' }, heading } : entry;
  }
}

/** Looks up every pair, in order. */
export async function resolveCalls(
  context: Pick<SessionContext, 'store' | 'name'>,
  pairs: readonly Pair[],
  isRecorded: IsRecorded,
): Promise<ResolvedCall[]> {
  const resolved: ResolvedCall[] = [];
  for (const pair of pairs) {
    const found = await unlessDamaged(() => resolveCall(context, pair, isRecorded));
    resolved.push(found ?? asDamaged(pair, pair.result?.output ?? null));
  }
  return resolved;
}

async function resolveCall(
  { store, name }: Pick<SessionContext, 'store' | 'name'>,
  pair: Pair,
  isRecorded: IsRecorded,
): Promise<ResolvedCall> {
  const { call, result } = pair;
  const key = result === null ? { ...name, callId: call.callId } : { scope: name.scope, id: result.output };
  const found = await store.find(key);
  const kept = found === undefined || 'purgedAt' in found ? null : found;
  const isOwn = kept !== null && (result !== null || (isOf(kept, pair) && !(await isRecorded(kept.id))));
  const record = isOwn ? kept : null;
  const frozen = record === null ? undefined : await store.frozen(record.id, 'model');
  const gone = record === null ? (result?.output ?? null) : null;
  const why = gone === null ? null : result?.unstored === true ? 'unstored' : 'gone';
  return { pair, record, gone, why, frozen: frozen?.projection ?? null };
}

/** What is known of a result that cannot be read. */
export function asDamaged(pair: Pair, gone: ArtifactId | null): ResolvedCall {
  return { pair, record: null, gone, why: gone === null ? null : 'damaged', frozen: null };
}

/** Where an id is used again, an output belongs to the last call before it. */
function isOf({ startedAt }: OutputRecord, { from, until, shared }: Pair): boolean {
  return !shared || (startedAt >= from && (until === null || startedAt < until));
}

/** What is behind all calls, in order. */
export function resultsIn(entries: readonly Entry[]): readonly ResolvedCall[] {
  return entries.flatMap(({ results }) => results);
}

/** The same with results replaced one by one. */
export function withResults(
  entries: readonly Entry[],
  other: (one: ResolvedCall) => ResolvedCall,
): readonly Entry[] {
  return entries.map((entry) =>
    entry.results.length === 0 ? entry : { ...entry, results: entry.results.map(other) },
  );
}
