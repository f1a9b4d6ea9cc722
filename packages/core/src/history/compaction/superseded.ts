/**
 * Reads that a later one repeats: the same tool was given the same and read a file again. When a
 * window fills they are dropped first, since the latest of them says all that is still true. What is
 * dropped is noted in the next version of the summary, beside the messages, so that undoing it is
 * trivial; a line in its place names the later call and the handle of the whole.
 */
import { readsFile } from '../../capture/file-read.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageResult } from '../../model/message.ts';
import type { SummaryRecord } from '../../model/summary.ts';
import { supersededResult } from '../../wording/history.ts';
import type { SessionContext } from '../context.ts';
import { latestSummary } from '../read-session.ts';
import type { ResolvedCall } from '../resolve-calls.ts';
import { parsed } from '../shapes/json.ts';
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
  resolved: readonly ResolvedCall[],
): Promise<{ readonly summary: SummaryRecord; readonly results: readonly LeftOutResult[] } | null> {
  const results = supersededIn(resolved);
  if (results.length === 0) return null;
  const current = await latestSummary({ store, name });
  const state = current === undefined ? NOTHING_YET : readState(current.state);
  const dropped = [...state.superseded, ...results.map(({ output }) => output)].slice(-MOST);
  const summary = await store.addSummary({
    ...name,
    at: clock(),
    parent: current?.version ?? 0,
    covers: current?.covers ?? 0,
    by: current?.by === 'host' ? 'host' : 'extractive',
    text: current?.text ?? '',
    state: { ...state, superseded: dropped } as unknown as SummaryRecord['state'],
  });
  return { summary, results };
}

/** Results with a line in place of those that were dropped, while a later one says the same. */
export function withoutSuperseded(
  resolved: readonly ResolvedCall[],
  dropped: ReadonlySet<ArtifactId>,
): readonly ResolvedCall[] {
  if (dropped.size === 0) return resolved;
  const latest = new Map(resolved.filter(isRead).map((one) => [keyOf(one), one]));
  return resolved.map((one) => {
    const { record } = one;
    if (record === null || !dropped.has(record.id)) return one;
    const later = latest.get(keyOf(one));
    if (later === undefined || later === one) return one;
    return { ...one, dropped: supersededResult(later.pair.call, record.id) };
  });
}

function supersededIn(all: readonly ResolvedCall[]): LeftOutResult[] {
  const latest = new Map(all.filter(isRead).map((one) => [keyOf(one), one]));
  return all.flatMap((one) => {
    const { record, pair, dropped, frozen } = one;
    const later = latest.get(keyOf(one));
    if (record === null || dropped !== undefined || later === undefined || later === one) return [];
    if ((frozen?.text.length ?? LEAST_CHARS) < LEAST_CHARS || !isRead(one)) return [];
    const { callId, tool } = pair.call;
    return [{ callId, tool, output: record.id, status: record.outcome.status }];
  });
}

function isRead({ pair: { call }, record }: ResolvedCall): boolean {
  if (record === null || record.outcome.status !== 'ok') return false;
  return readsFile(call.tool, parsed(call.input));
}

function keyOf({ pair: { call } }: ResolvedCall): string {
  const input = parsed(call.input);
  const sorted = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `${call.tool} ${sorted}`;
}
