/**
 * A store as the owner of a workspace sees it: a query for the workspace covers the scopes below it,
 * too, which the principals of `spillway serve` have. Only the commands of the owner look through it.
 */
import type { Store } from '@spillway/core';
import { everyItem, type RetireResult } from '@spillway/core/store';
import { inTurn, overriding, sumOfRetired } from './folder-store.ts';

export function ownerStore(store: Store, workspace: string): Store {
  let known: Promise<readonly string[]> | null = null;
  const scopes = (): Promise<readonly string[]> => {
    known ??= scopesOf(store, workspace);
    return known;
  };
  return overriding(store, {
    async find(key, options) {
      if (key.scope !== workspace) return store.find(key, options);
      for (const scope of await scopes()) {
        const found = await store.find({ ...key, scope }, options);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    async list(query, options) {
      if (query.scope !== workspace) return store.list(query, options);
      const shelves = (await scopes()).map((scope) => ({ store, scope }));
      return inTurn(shelves, query, ({ scope }, asked) => store.list({ ...asked, scope }, options), '#');
    },
    async sessions({ scope, ...query }, options) {
      if (scope === workspace) return store.sessions({ ...query, below: workspace }, options);
      return store.sessions(scope === undefined ? query : { ...query, scope }, options);
    },
    async events(query, options) {
      const { scope: asked, ...rest } = query;
      if (asked !== workspace || (await scopes()).length === 1) return store.events(query, options);
      const page = await store.events(rest, options);
      return { ...page, items: page.items.filter(({ scope }) => isBelow(scope, workspace)) };
    },
    async retire(request, options) {
      if (request.scope !== workspace) return store.retire(request, options);
      const done: RetireResult[] = [];
      for (const scope of await scopes()) done.push(await store.retire({ ...request, scope }, options));
      return done.reduce(sumOfRetired);
    },
    async usage(query = {}, options) {
      return store.usage({ scopes: await scopes(), ...query }, options);
    },
  });
}

function isBelow(scope: string, workspace: string): boolean {
  return scope === workspace || scope.startsWith(`${workspace}:`);
}

/** The workspace's own first. */
async function scopesOf(store: Store, below: string): Promise<readonly string[]> {
  const scopes = new Set([below]);
  for await (const { scope } of everyItem((page) => store.sessions({ show: 'all', below, ...page })))
    scopes.add(scope);
  return [...scopes];
}
