/**
 * The context window of a session: as its last request noted it, else weighed now if it has
 * messages.
 */
import type { SessionAnswer, SessionRow, WindowUse } from '../../../../spillway/src/inspector/api.ts';
import { get } from '../../data/api-client.ts';
import { useValue } from '../../data/observable.ts';
import { useResource } from '../../data/resource.ts';
import { route } from '../../shell/router.ts';

export function useSessionWindow(
  session: (SessionRow & Partial<SessionAnswer>) | undefined,
): WindowUse | null {
  useValue(route);
  const isKnown = session?.window?.size != null;
  const chosen = session && localStorage.getItem(`spillway-window:${session.id}`);
  const needsWeighing = session !== undefined && !isKnown && session.totals.messages > 0;
  const key = needsWeighing ? `window ${session.id} ${chosen} ${session.seen_at}` : undefined;
  const { data } = useResource(key, (signal) =>
    get<WindowUse>(`/api/sessions/${encodeURIComponent(session?.id ?? '')}/window`, { size: chosen }, signal),
  );
  return isKnown ? (session?.window ?? null) : (data ?? session?.window ?? null);
}
