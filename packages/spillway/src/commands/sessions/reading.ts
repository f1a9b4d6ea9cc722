/**
 * Sessions of the workspace: all of them, or one by its name; if there is none, the nearest name is
 * suggested. The store remembers that a deleted session existed; here it is gone.
 */

import { SpillwayError, type Store } from '@spillway/core';
import { nearest } from '@spillway/core/plugin';
import type { SessionQuery, SessionRecord } from '@spillway/core/store';
import { everyItem } from '@spillway/core/store';

export async function* sessionsOf(store: Store, query: SessionQuery): AsyncGenerator<SessionRecord> {
  for await (const session of everyItem((page) => store.sessions({ ...query, ...page })))
    if (!(await isDeleted(store, session))) yield session;
}

/** Whether a session has ended and nothing of it is left. */
async function isDeleted(store: Store, { id, scope, endedAt }: SessionRecord): Promise<boolean> {
  if (endedAt === undefined) return false;
  const { items } = await store.list({ scope, session: id, show: 'all', limit: 1 });
  return items.length === 0 && (await messageCount(store, scope, id)) === 0;
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
async function messageCount(store: Store, scope: string, session: string): Promise<number> {
  const { items } = await store.messages({ scope, session, order: 'newest', limit: 1 });
  return items[0]?.ordinal ?? 0;
}
