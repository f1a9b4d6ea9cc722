/**
 * How long results are kept that passed whole: as long as the session they came in, which ends after
 * 30 idle days. Nobody was told their handles, so nobody can ask for them afterwards. Looked after
 * behind the first result that is stored, and once a day after that, for each scope.
 */
import type { Spillway, Store } from '@spillway/core';

const DAY_MS = 24 * 60 * 60 * 1_000;
const PAGE = 200;
/** What the sessions of gateways are called begins with this. */
export const SESSION_PREFIX = 'mcp-';

export class PassedResults {
  readonly #spillway: Spillway;
  readonly #store: Store | null;
  readonly #looked = new Map<string, number>();

  constructor(spillway: Spillway, store: Store | null) {
    this.#spillway = spillway;
    this.#store = store;
  }

  /** Removes those of ended sessions, unless that was done within a day. */
  async lookAfter(scope: string): Promise<void> {
    const now = performance.now();
    if (this.#store === null || now - (this.#looked.get(scope) ?? Number.NEGATIVE_INFINITY) < DAY_MS) return;
    this.#looked.set(scope, now);
    let after: string | undefined;
    do {
      const query = { scope, show: 'all', limit: PAGE, ...(after === undefined ? {} : { after }) } as const;
      const page = await this.#store.sessions(query);
      for (const { id, endedAt } of page.items)
        if (endedAt !== undefined && id.startsWith(SESSION_PREFIX))
          await this.#remove(this.#store, scope, id);
      after = page.next;
    } while (after !== undefined);
  }

  async #remove(store: Store, scope: string, session: string): Promise<void> {
    let after: string | undefined;
    do {
      const more = after === undefined ? {} : { after };
      const page = await store.list({ scope, session, show: 'all', limit: PAGE, ...more });
      const ids = page.items
        .filter(({ disclosed, server }) => !disclosed && server !== undefined)
        .map(({ id }) => id);
      if (ids.length > 0) await this.#spillway.retire({ how: 'purge', scope, ids });
      after = page.next;
    } while (after !== undefined);
  }
}
