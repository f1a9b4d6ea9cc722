/** How full the context window of a session is: as its last request noted it, or weighed now. */
import type { LedgerEvent, Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import type { Inspected } from './inspected.ts';

/** What a request takes of the window, in tokens; `size` is null where nobody told it. */
export type WindowUse = ReturnType<typeof windowOf>;

interface SessionName {
  readonly scope: string;
  readonly id: string;
}

export function windowOf(
  spillway: Spillway,
  { at, session, data = {} }: Pick<LedgerEvent, 'at' | 'session' | 'data'>,
) {
  const { policy } = spillway.explain('history', session === undefined ? {} : { session });
  return {
    at,
    ...windowNumbers(data),
    warn_at: policy.warnAt,
    compact_at: policy.compactAt,
    hard_at: policy.hardAt,
    verdict: (data.verdict ?? 'fits') as 'fits' | 'warning' | 'needs_compaction' | 'refused',
  };
}

/** The tokens of a request that the ledger noted. */
export function windowNumbers(data: NonNullable<LedgerEvent['data']>) {
  const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
  return {
    /** Null where no host has told the size of its window. */
    size: number('window') || null,
    used: number('tokens'),
    system: number('system'),
    /** Summaries that stand for older messages are part of `messages`. */
    messages: number('messages') + number('summary'),
    results: number('results'),
    reserved: number('reserved'),
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
  const data = { ...composition, window: numbers.window ?? 0, tokens: numbers.tokens, verdict };
  return windowOf(spillway, { at: Date.now(), session: id, data });
}
