/**
 * What a request is made of, read from the store before anything is projected: the summary that
 * counts, the messages behind it, and what stands behind each call.
 */
import type { MessageResult } from '../model/message.ts';
import type { SummaryRecord } from '../model/summary.ts';
import { readState } from './compaction/state.ts';
import { withoutSuperseded } from './compaction/superseded.ts';
import type { SessionContext } from './context.ts';
import type { Message } from './message.ts';
import { type Pair, type PairedMessage, pair, pairAlone, resultThatCounts } from './pairing.ts';
import { latestSummary, messageAt, readableAbove, recordedIn } from './read-session.ts';
import { asDamaged, type ResolvedCall, resolveCalls } from './resolve-calls.ts';

/** Everything a request is made of, before anything is projected. */
export interface RequestDraft {
  readonly opening: readonly Message[];
  readonly messages: readonly PairedMessage[];
  readonly resolved: ReadonlyMap<PairedMessage | null, readonly ResolvedCall[]>;
  readonly late: readonly ResolvedCall[];
  readonly orphans: readonly MessageResult[];
}

/** The summary that counts, then every message behind it, with what stands behind each call. */
export async function readDraft(context: SessionContext): Promise<RequestDraft> {
  const summary = await latestSummary(context);
  const covers = summary?.covers ?? 0;
  const live = await readableAbove(context, covers);
  const { messages, orphans } = pair(live);
  const isRecorded = recordedIn(context, covers, live);
  const resolved = new Map<PairedMessage | null, readonly ResolvedCall[]>();
  const pairs = messages.flatMap((message) => message.pairs);
  const dropped = new Set(summary === undefined ? [] : readState(summary.state).superseded);
  const all = withoutSuperseded(await resolveCalls(context, pairs, isRecorded), dropped).values();
  for (const message of messages)
    if (message.pairs.length > 0) resolved.set(message, [...all.take(message.pairs.length)]);
  // Behind a summary, a result without its call is one that came after the call was summarised.
  const late = covers === 0 ? [] : await resolveCalls(context, latePairs(orphans), isRecorded);
  resolved.set(null, late);
  const opening = summary === undefined ? [] : await openingOf(context, summary);
  return { opening, messages, resolved, late, orphans: covers === 0 ? orphans : [] };
}

function latePairs(orphans: readonly MessageResult[]): readonly Pair[] {
  const byCall = new Map<string, MessageResult[]>();
  for (const result of orphans) byCall.set(result.callId, [...(byCall.get(result.callId) ?? []), result]);
  return [...byCall.values()].flatMap((results) => resultThatCounts(results) ?? []).map(pairAlone);
}

/** System messages stay as they were said; the summary stands for the rest. */
async function openingOf(
  context: SessionContext,
  { covers, text, version, restores, state }: SummaryRecord,
): Promise<Message[]> {
  if (covers === 0) return [];
  const opening: Message[] = [];
  for (const ordinal of Array.isArray(state.system) ? state.system : []) {
    const message = await messageAt(context, Number(ordinal));
    if (message === undefined) continue;
    const parts = message.parts.filter((part) => part.type === 'text' || part.type === 'data');
    opening.push({ id: message.id, role: message.role, parts });
  }
  opening.push({ id: `summary-${restores ?? version}`, role: 'user', parts: [{ type: 'text', text }] });
  return opening;
}

/** The same with what cannot be read marked as such. */
export function withoutDamaged(draft: RequestDraft, damaged: ReadonlySet<ResolvedCall>): RequestDraft {
  const marked = (list: readonly ResolvedCall[]): readonly ResolvedCall[] =>
    list.map((one) => (damaged.has(one) ? asDamaged(one.pair, one.record?.id ?? null) : one));
  const resolved = new Map([...draft.resolved].map(([message, list]) => [message, marked(list)]));
  return { ...draft, resolved, late: resolved.get(null) ?? [] };
}
