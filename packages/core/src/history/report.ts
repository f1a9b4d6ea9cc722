/**
 * What can be counted in a session as it is kept: durable, so it says the same in any process.
 * Numbers only; reads one page at a time.
 */
import { createHash } from 'node:crypto';
import type { ArtifactId } from '../model/artifact.ts';
import { everyItem } from '../model/every-item.ts';
import type { MessageCall } from '../model/message.ts';
import type { SessionName } from '../model/session.ts';
import type { OutputKey, Store } from '../model/store.ts';
import type { SessionContext } from './context.ts';
import { messagesAbove, unlessDamaged } from './read-session.ts';

/** Numbers of a session. */
export interface SessionReport {
  /** Messages that are kept. */
  readonly messages: number;
  /** Calls of tools in them. */
  readonly calls: number;
  /** Results that count: one for each call that has any. */
  readonly results: number;
  /** Calls without a result: none was recorded, or the store no longer has its output. */
  readonly missing: number;
  /** Results beside the one that counts. */
  readonly surplus: number;
  /** Results of calls that nobody made here. */
  readonly orphans: number;
  /** Calls that ask the same tool for the same as an earlier one that has its result. */
  readonly re_executions: number;
  /** Fetches of what a projection had left out. */
  readonly refetches: number;
  /** Results that were cut before they reached us. */
  readonly legacy: number;
}

interface Tally {
  calls: number;
  /** The outputs that its results refer to. */
  readonly outputs: ArtifactId[];
}

/** Reads the session once. */
export async function sessionReport({
  store,
  name,
}: Pick<SessionContext, 'store' | 'name'>): Promise<SessionReport> {
  const tallies = new Map<string, Tally>();
  const asked = new Map<string, string>();
  const tallyOf = (callId: string): Tally => {
    const tally = tallies.get(callId) ?? { calls: 0, outputs: [] };
    tallies.set(callId, tally);
    return tally;
  };
  let [messages, calls, reExecutions, legacy] = [0, 0, 0, 0];
  for await (const { parts } of messagesAbove({ store, name }, 0)) {
    messages++;
    for (const part of parts) {
      if (part.type === 'result' && part.unsaid !== true) {
        tallyOf(part.callId).outputs.push(part.output);
        if (part.legacy !== undefined) legacy++;
      }
      if (part.type !== 'call') continue;
      calls++;
      tallyOf(part.callId).calls++;
      const key = keyOf(part);
      const before = asked.get(key);
      if (before !== undefined && before !== part.callId && tallyOf(before).outputs.length > 0)
        reExecutions++;
      asked.set(key, part.callId);
    }
  }
  const sums = await sumUp(store, name, tallies);
  const refetches = await fetchesOf(store, name);
  return { messages, calls, ...sums, re_executions: reExecutions, refetches, legacy };
}

async function sumUp(store: Store, name: SessionName, tallies: ReadonlyMap<string, Tally>) {
  const sums = { missing: 0, results: 0, surplus: 0, orphans: 0 };
  for (const [callId, { calls, outputs }] of tallies) {
    if (calls === 0) {
      sums.orphans += outputs.length;
      continue;
    }
    let kept = 0;
    for (const id of outputs) if (await isKept(store, { scope: name.scope, id })) kept++;
    // A crash may have come between recording a result and saying so.
    if (calls === 1 && outputs.length === 0 && (await isRecorded(store, { ...name, callId }))) kept++;
    sums.results += Math.min(calls, kept);
    sums.surplus += Math.max(0, kept - calls);
    sums.missing += Math.max(0, calls - kept);
  }
  return sums;
}

/** Whether the store has an output, or had it before it was deleted. A damaged one is there too. */
async function isKept(store: Store, key: OutputKey): Promise<boolean> {
  return (await unlessDamaged(() => store.find(key))) !== undefined;
}

async function isRecorded(store: Store, key: OutputKey): Promise<boolean> {
  const found = await store.find(key);
  return found !== undefined && !('purgedAt' in found);
}

async function fetchesOf(store: Store, { scope, session }: SessionName): Promise<number> {
  let fetches = 0;
  for await (const event of everyItem((page) => store.events({ scope, type: 'fetched', ...page })))
    if (event.session === session) fetches++;
  return fetches;
}

function keyOf({ tool, input }: MessageCall): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('base64');
}
