/**
 * A store as the owner of a workspace sees it: what is asked for the workspace covers everything
 * that is stored for it, be it for a principal of `spillway serve` or by a gateway of the last
 * release, which kept each server apart. Only the commands of the owner look through it.
 */
import type { OutputRecord, Store } from '@spillway/core';
import type { Page, Paged, RetireResult } from '@spillway/core/store';

type Overridden = Pick<Store, 'find' | 'list' | 'sessions' | 'events' | 'retire' | 'usage'>;

const SEPARATOR = ' ';

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
  const overridden: Overridden = {
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
      const { limit: _limit, after: _after, ...rest } = query;
      return oneAfterTheOther<OutputRecord>(await scopes(), query, (scope, page) =>
        store.list({ ...rest, ...page, scope }, options),
      );
    },
    async sessions(query, options) {
      if (query.scope !== workspace || (await scopes()).length === 1) return store.sessions(query, options);
      const { scope: _all, ...rest } = query;
      const { items, next } = await store.sessions(rest, options);
      const own = items.filter(({ scope }) => isOwned(scope, workspace));
      return next === undefined ? { items: own } : { items: own, next };
    },
    async events(query, options) {
      if (query.scope !== workspace || (await scopes()).length === 1) return store.events(query, options);
      const { scope: _all, ...rest } = query;
      const { items, next } = await store.events(rest, options);
      const own = items.filter(({ scope }) => isOwned(scope, workspace));
      return next === undefined ? { items: own } : { items: own, next };
    },
    async retire(request, options) {
      if (request.scope !== workspace) return store.retire(request, options);
      const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
      for (const scope of await scopes()) add(total, await store.retire({ ...request, scope }, options));
      return total;
    },
    async usage(query = {}, options) {
      return store.usage({ scopes: await scopes(), ...query }, options);
    },
  };
  return new Proxy(store, {
    get(target, key) {
      if (key in overridden) return overridden[key as keyof Overridden];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The pages of each scope in turn; a cursor says in which of them it goes on. */
async function oneAfterTheOther<T>(
  scopes: readonly string[],
  { limit, after }: Paged,
  list: (scope: string, page: Paged) => Promise<Page<T>>,
): Promise<Page<T>> {
  const [position = '0', ...inner] = (after ?? '').split(SEPARATOR);
  const at = Number(position);
  const scope = scopes[at];
  if (scope === undefined) return { items: [] };
  const cursor = inner.join(SEPARATOR);
  const { items, next } = await list(scope, {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === '' ? {} : { after: cursor }),
  });
  if (next !== undefined) return { items, next: `${at}${SEPARATOR}${next}` };
  return at + 1 < scopes.length ? { items, next: `${at + 1}` } : { items };
}

/** The workspace's own first. */
async function scopesOf(store: Store, workspace: string): Promise<readonly string[]> {
  const scopes = new Set([workspace]);
  let after: string | undefined;
  do {
    const page = await store.sessions({
      show: 'all',
      limit: 1_000,
      ...(workspace === 'workspace' ? {} : { below: workspace }),
      ...(after === undefined ? {} : { after }),
    });
    for (const { scope } of page.items) if (isOwned(scope, workspace)) scopes.add(scope);
    after = page.next;
  } while (after !== undefined);
  return [...scopes];
}

function add(
  total: { outputs: number; bytesFreed: number; sessionsEnded: number },
  more: RetireResult,
): void {
  total.outputs += more.outputs;
  total.bytesFreed += more.bytesFreed;
  total.sessionsEnded += more.sessionsEnded;
}
