/** What the last request of a session took of the context window, as it was noted. Units: tokens. */
import type { Store } from '@spillway/core';
import { formatCount } from '@spillway/core/plugin';
import type { SessionRecord } from '@spillway/core/store';
import { everyItem } from '@spillway/core/store';

export interface SessionContextUse {
  readonly at: string;
  /** Null where the host told no window. */
  readonly window: number | null;
  readonly tokens: number;
  readonly system: number;
  readonly messages: number;
  readonly summary: number;
  readonly results: number;
  readonly reserved: number;
  readonly verdict: string;
}

/** Null where no request was made through this history. */
export async function contextOf(
  store: Store,
  { scope, id }: Pick<SessionRecord, 'scope' | 'id'>,
): Promise<SessionContextUse | null> {
  let last: SessionContextUse | null = null;
  for await (const { session, at, data = {} } of everyItem((page) =>
    store.events({ scope, type: 'prepared', ...page }),
  )) {
    if (session !== id) continue;
    const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
    last = {
      at: new Date(at).toISOString(),
      window: number('window') === 0 ? null : number('window'),
      tokens: number('tokens'),
      system: number('system'),
      messages: number('messages'),
      summary: number('summary'),
      results: number('results'),
      reserved: number('reserved'),
      verdict: String(data.verdict ?? 'fits'),
    };
  }
  return last;
}

export function contextLine(context: SessionContextUse): string {
  const { window, tokens, system, messages, summary, results, reserved } = context;
  const full =
    window === null
      ? `${formatCount(tokens)} tokens`
      : `${Math.round((tokens / window) * 100)} % full, ${formatCount(tokens)} of ${formatCount(window)} tokens`;
  const parts = [
    ['tool results', results],
    ['messages', messages + summary],
    ['system', system],
    ['reserved', reserved],
  ] as const;
  const named = parts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${formatCount(count)}`);
  return `Context window: ${full} (${named.join(', ')}).`;
}
