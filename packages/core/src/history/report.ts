/**
 * What can be counted in a session as it is kept: durable, so it says the same in any process.
 * Numbers only.
 */
import { createHash } from 'node:crypto';
import { everyItem } from '../model/every-item.ts';
import type { MessageCall } from '../model/message.ts';
import type { SessionName } from '../model/session.ts';
import type { OutputKey, Store } from '../model/store.ts';
import type { SessionContext } from './context.ts';
import { pair } from './pairing.ts';
import { allAbove, unlessDamaged } from './read-session.ts';

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

/** Reads the session once. */
export async function sessionReport({ store, name }: SessionContext): Promise<SessionReport> {
  const all = await allAbove({ store, name }, 0);
  const { messages, orphans, surplus } = pair(all);
  const pairs = messages.flatMap((message) => (message.asText === true ? [] : message.pairs));
  let [results, missing, reExecutions] = [0, 0, 0];
  const asked = new Map<string, boolean>();
  for (const { call, result, shared } of pairs) {
    // A crash may have come between recording a result and saying so.
    const found =
      result !== null
        ? await isKept(store, { scope: name.scope, id: result.output })
        : !shared && (await isRecorded(store, { ...name, callId: call.callId }));
    if (found) results++;
    else missing++;
    const key = keyOf(call);
    if (asked.get(key) === true) reExecutions++;
    asked.set(key, result !== null);
  }
  const parts = all.flatMap((message) => message.parts).filter((part) => part.type === 'result');
  return {
    messages: all.length,
    calls: pairs.length,
    results,
    missing,
    surplus: surplus.length,
    orphans: orphans.length,
    re_executions: reExecutions,
    refetches: await fetchesOf(store, name),
    legacy: parts.filter(({ legacy, unsaid }) => legacy !== undefined && unsaid !== true).length,
  };
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
