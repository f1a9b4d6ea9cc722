/**
 * Reads that a later one repeats: the same tool was given the same and read a file again. When a
 * window fills they are dropped first, since the latest of them says all that is still true. What is
 * dropped is noted in the next version of the summary, beside the messages, so that undoing it is
 * trivial; a line in its place names the later call and the handle of the whole.
 */
import { readsFile } from '../../capture/call-purpose.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageResult } from '../../model/message.ts';
import type { SummaryRecord } from '../../model/session.ts';

import { supersededResult } from '../../wording/history.ts';
import type { SessionContext } from '../context.ts';
import { type Entry, type ResolvedCall, resultsIn, withResults } from '../entries.ts';
import { latestSummary } from '../read-session.ts';
import { parsed, sortedJson } from '../shapes/json.ts';
import { NOTHING_YET, readState } from './state.ts';

/** A result that requests no longer hold. */
export type LeftOutResult = Pick<MessageResult, 'tool' | 'callId' | 'output' | 'status'>;

/** Shorter results are not worth a line in their place. */
const LEAST_CHARS = 400;
/** Those that are noted; older ones are summarised long before there are so many. */
const MOST = 1_000;

/** Drops what the requests of a session need no longer show; null where there is nothing. */
export async function dropSuperseded(
  { store, clock, name }: SessionContext,
  all: readonly ResolvedCall[],
): Promise<{ readonly summary: SummaryRecord; readonly results: readonly LeftOutResult[] } | null> {
  const later = laterReads(all);
  const results = all.flatMap((one): LeftOutResult[] => {
    const { record, pair, dropped, frozen } = one;
    if (record === null || dropped !== undefined || !isRead(one) || later(one) === undefined) return [];
    if (frozen !== null && frozen.text.length < LEAST_CHARS) return [];
    const { callId, tool } = pair.call;
    return [{ callId, tool, output: record.id, status: record.outcome.status }];
  });
  if (results.length === 0) return null;
  const current = await latestSummary({ store, name });
  const state = current === undefined ? NOTHING_YET : readState(current.state);
  const superseded = [...state.superseded, ...results.map(({ output }) => output)].slice(-MOST);
  const summary = await store.addSummary({
    ...name,
    at: clock(),
    parent: current?.version ?? 0,
    covers: current?.covers ?? 0,
    by: current?.by === 'host' ? 'host' : 'extractive',
    text: current?.text ?? '',
    state: { ...state, superseded } as unknown as SummaryRecord['state'],
  });
  return { summary, results };
}

/** Entries with a line in place of results that were dropped, while a later one says the same. */
export function withoutSuperseded(
  entries: readonly Entry[],
  dropped: ReadonlySet<ArtifactId>,
): readonly Entry[] {
  if (dropped.size === 0) return entries;
  const later = laterReads(resultsIn(entries));
  return withResults(entries, (one) => {
    const call = one.record === null || !dropped.has(one.record.id) ? undefined : later(one)?.pair.call;
    return call === undefined || one.record === null
      ? one
      : { ...one, dropped: supersededResult(call, one.record.id) };
  });
}

/** The latest call that read the same as another one, if that is not the latest itself. */
function laterReads(all: readonly ResolvedCall[]): (one: ResolvedCall) => ResolvedCall | undefined {
  const latest = new Map(all.filter(isRead).map((one) => [keyOf(one), one]));
  return (one) => {
    const found = latest.get(keyOf(one));
    return found === one ? undefined : found;
  };
}

function isRead({ pair: { call }, record }: ResolvedCall): boolean {
  if (record === null || record.outcome.status !== 'ok') return false;
  return readsFile(call.tool, parsed(call.input));
}

function keyOf({ pair: { call } }: ResolvedCall): string {
  return `${call.tool} ${sortedJson(parsed(call.input))}`;
}
