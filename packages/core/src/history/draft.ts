/**
 * What a request is made of, read from the store before anything is projected: the summary that
 * counts, results that came after their calls were summarised, then every message behind it.
 */
import type { MessageResult } from '../model/message.ts';
import type { SummaryRecord } from '../model/session.ts';
import { lateResult } from '../wording/history.ts';
import { readState } from './compaction/state.ts';
import { withoutSuperseded } from './compaction/superseded.ts';
import type { SessionContext } from './context.ts';
import { type Entry, entriesOf, type ResolvedCall, resolveCalls } from './entries.ts';
import { type Pair, pair, pairAlone, resultThatCounts } from './pairing.ts';
import { latestSummary, messageAt, readableAbove, recordedIn } from './read-session.ts';

/** Everything that a request is made of, before anything is projected. */
export interface RequestDraft {
  readonly entries: readonly Entry[];
  readonly orphans: readonly MessageResult[];
  /** Names the summary that it begins with; empty where it begins with the first message. */
  readonly opening: string;
}

/** The summary that counts, then every message behind it. */
export async function readDraft(context: SessionContext): Promise<RequestDraft> {
  const summary = await latestSummary(context);
  const covers = summary?.covers ?? 0;
  const live = await readableAbove(context, covers);
  const { messages, orphans } = pair(live);
  const isRecorded = recordedIn(context, covers, live);
  const opening = summary === undefined ? [] : await openingOf(context, summary);
  const entries: Entry[] = [...opening];
  // Behind a summary, a result without its call is one that came after the call was summarised.
  const late = covers === 0 ? [] : await resolveCalls(context, latePairs(orphans), isRecorded);
  if (late.length > 0) entries.push(lateEntry(late));
  for await (const entry of entriesOf(context, messages, isRecorded)) entries.push(entry);
  const dropped = new Set(summary === undefined ? [] : readState(summary.state).superseded);
  return {
    entries: withoutSuperseded(entries, dropped),
    orphans: covers === 0 ? orphans : [],
    opening: opening.at(-1)?.message.id ?? '',
  };
}

function lateEntry(results: readonly ResolvedCall[]): Entry {
  const message = { id: 'late-results', role: 'user' } as const;
  const heading: Entry['heading'] = ({ pair: { call } }) => lateResult(call.tool, call.callId);
  return { kind: 'message', message, name: '', parts: [], results, heading };
}

function latePairs(orphans: readonly MessageResult[]): readonly Pair[] {
  const byCall = Map.groupBy(orphans, ({ callId }) => callId);
  return [...byCall.values()].flatMap((results) => resultThatCounts(results) ?? []).map(pairAlone);
}

/** System messages stay as they were said; the summary stands for the rest. */
async function openingOf(
  context: SessionContext,
  { covers, text, version, restores, state }: SummaryRecord,
): Promise<Entry[]> {
  if (covers === 0) return [];
  const opening: Entry[] = [];
  for (const ordinal of Array.isArray(state.system) ? state.system : []) {
    const message = await messageAt(context, Number(ordinal));
    if (message === undefined) continue;
    const parts = message.parts.filter((part) => part.type === 'text' || part.type === 'data');
    const { id, role } = message;
    opening.push({ kind: 'system', message: { id, role }, name: '', parts, results: [] });
  }
  const message = { id: `summary-${restores ?? version}`, role: 'user' } as const;
  opening.push({ kind: 'summary', message, name: '', parts: [{ type: 'text', text }], results: [] });
  return opening;
}
