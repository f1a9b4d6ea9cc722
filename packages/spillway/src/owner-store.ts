/**
 * A store as the owner of a workspace sees it: what is asked for the workspace covers everything
 * that is stored for it, be it for a principal of `spillway serve` or by a gateway of the last
 * release, which kept each server apart. Only the commands of the owner look through it.
 */
import type { Store } from '@spillway/core';
import { everyItem, type Page, type RetireResult } from '@spillway/core/store';
import { inTurn, overriding, sumOfRetired, withoutPage } from './folder-store.ts';

/** Whether outputs of a scope belong to a workspace: its own, and those below it. */
function isOwned(scope: string, workspace: string): boolean {
  return scope === workspace || scope.startsWith(`${workspace}:`) || isOfPrincipal(scope, workspace);
}

/** The store in the folder of a workspace holds nothing of another. */
function isOfPrincipal(scope: string, workspace: string): boolean {
  return workspace === 'workspace' && scope.startsWith('principal:');
}

export function ownerStore(store: Store, workspace: string): Store {
  let known: Promise<readonly string[]> | null = null;
  const scopes = (): Promise<readonly string[]> => {
    known ??= scopesOf(store, workspace);
    return known;
  };
  /** A page of all scopes, of which only what belongs to the workspace is left. */
  const owned = async <P extends Page<{ readonly scope: string }>>(page: Promise<P>): Promise<P> => {
    const { items, next } = await page;
    const own = items.filter(({ scope }) => isOwned(scope, workspace));
    return { items: own, ...(next === undefined ? {} : { next }) } as unknown as P;
  };
  const isWhole = async (scope: string | undefined) => scope !== workspace || (await scopes()).length === 1;
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
      const list = ({ scope }: { readonly scope: string }, page: object) =>
        store.list({ ...withoutPage(query), ...page, scope }, options);
      return inTurn(shelves, query, list, '#');
    },
    async sessions(query, options) {
      if (await isWhole(query.scope)) return store.sessions(query, options);
      const { scope: _all, ...rest } = query;
      return owned(store.sessions(rest, options));
    },
    async events(query, options) {
      if (await isWhole(query.scope)) return store.events(query, options);
      const { scope: _all, ...rest } = query;
      return owned(store.events(rest, options));
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

/** The workspace's own first. */
async function scopesOf(store: Store, workspace: string): Promise<readonly string[]> {
  const scopes = new Set([workspace]);
  const below = workspace === 'workspace' ? {} : { below: workspace };
  for await (const { scope } of everyItem((page) => store.sessions({ show: 'all', ...below, ...page })))
    if (isOwned(scope, workspace)) scopes.add(scope);
  return [...scopes];
}
