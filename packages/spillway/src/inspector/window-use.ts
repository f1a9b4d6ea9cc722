/** How full the context window of a session is: as its last request noted it, or weighed now. */
import type { LedgerEvent, Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import type { WindowUse } from './api.ts';
import type { Inspected } from './inspected.ts';

interface SessionName {
  readonly scope: string;
  readonly id: string;
}

/** As it was noted; null where no request was made. */
export function notedWindow({ index, spillway }: Inspected, { scope, id }: SessionName): WindowUse | null {
  const event = index.preparedIn(scope, id);
  return event === undefined ? null : windowOf(spillway, event);
}

export function windowOf(spillway: Spillway, { at, session, data = {} }: LedgerEvent): WindowUse {
  const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
  return {
    source: 'prepared',
    at,
    size: number('window') === 0 ? null : number('window'),
    used: number('tokens'),
    system: number('system'),
    messages: number('messages') + number('summary'),
    results: number('results'),
    reserved: number('reserved'),
    summary: number('summary'),
    ...thresholds(spillway, session),
    verdict: (data.verdict as WindowUse['verdict'] | undefined) ?? 'fits',
  };
}

/** Weighs the next request of a session. Freezes and notes nothing. */
export async function measuredWindow(
  { spillway, store }: Inspected,
  { scope, id }: SessionName,
  size: number | undefined,
  signal: AbortSignal,
): Promise<WindowUse> {
  const session = new History({ spillway, store }).session({ scope, session: id });
  const window = size === undefined ? {} : { window: size };
  const { numbers, composition, verdict } = await session.prepare({ ...window, purpose: 'look', signal });
  return {
    source: 'measured',
    at: Date.now(),
    size: numbers.window,
    used: numbers.tokens,
    system: composition.system,
    messages: composition.messages + composition.summary,
    results: composition.results,
    reserved: composition.reserved,
    summary: composition.summary,
    ...thresholds(spillway, id),
    verdict,
  };
}

function thresholds(spillway: Spillway, session: string | undefined) {
  const { policy } = spillway.explain('history', session === undefined ? {} : { session });
  return { warn_at: policy.warnAt, compact_at: policy.compactAt, hard_at: policy.hardAt };
}
