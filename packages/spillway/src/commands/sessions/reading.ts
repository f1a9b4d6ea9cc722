/** Sessions of the workspace: all of them, or one by its name with the nearest one told where it is not there. */
import { nearest, type SessionQuery, type SessionRecord, SpillwayError, type Store } from '@spillway/core';
import { everyItem } from '../pages.ts';

export function sessionsOf(store: Store, query: SessionQuery): AsyncGenerator<SessionRecord> {
  return everyItem((page) => store.sessions({ ...query, ...page }));
}

export async function foundSession(store: Store, scope: string, id: string): Promise<SessionRecord> {
  const names: string[] = [];
  for await (const session of sessionsOf(store, { scope, show: 'all' })) {
    if (session.id === id) return session;
    if (names.length < 500) names.push(session.id);
  }
  const near = nearest(id, names);
  throw new SpillwayError(
    'not_found',
    `There is no session of that name here.${near === undefined ? ' See `spillway sessions list --all`.' : ` Did you mean ${near}?`}`,
  );
}

export function sessionFacts({ id, openedAt, seenAt, endedAt }: SessionRecord) {
  return {
    id,
    opened: new Date(openedAt).toISOString(),
    seen: new Date(seenAt).toISOString(),
    ended: endedAt === undefined ? null : new Date(endedAt).toISOString(),
  };
}

/** How many messages a session holds. Places are without gaps: the last one tells. */
export async function messageCount(store: Store, scope: string, session: string): Promise<number> {
  const { items } = await store.messages({ scope, session, order: 'newest', limit: 1 });
  return items[0]?.place ?? 0;
}
