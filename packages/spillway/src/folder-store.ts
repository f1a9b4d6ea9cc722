/**
 * Everything that was stored for one folder, as one store. Outputs of a folder may lie in several
 * places (find-workspace.ts). New ones go to the first place. Queries with the scope of that place
 * search all of them. An output is read, and noted in the ledger, where it lies.
 */

import type { ArtifactId, Store } from '@spillway/core';
import {
  everyItem,
  type MessageQuery,
  type Page,
  type Paged,
  type RetireResult,
  type Usage,
  type WaitOptions,
} from '@spillway/core/store';
import { defined } from './fields.ts';

/** A place: a store, and the scope that the folder has in it. */
export interface Shelf {
  readonly store: Store;
  readonly scope: string;
}

/** `find` is asked whenever something is not found: a place may be made while we run. */
export function folderStore(own: Shelf, find: () => readonly Shelf[]): Store {
  const elsewhere = new Map<ArtifactId, Store>();
  const used = new Set([own.store]);
  const others = (): readonly Shelf[] => {
    const shelves = find();
    for (const { store } of shelves) used.add(store);
    return shelves;
  };
  const storeOf = (id: ArtifactId | undefined): Store =>
    (id === undefined ? undefined : elsewhere.get(id)) ?? own.store;
  const shelvesFor = (scope: string | undefined): readonly Shelf[] => {
    if (scope === undefined) return [{ ...own, scope: '' }];
    if (scope === own.scope) return [own, ...others()];
    const owning = others().filter((shelf) => scope === shelf.scope || scope.startsWith(`${shelf.scope}:`));
    return [own, ...owning].map(({ store }) => ({ store, scope }));
  };
  const scoped = (scope: string | undefined, shelf: Shelf) =>
    scope === undefined ? {} : { scope: shelf.scope };
  /** All messages of a session lie in one place; outputs of it may lie in several. */
  const shelfOf = async (
    { scope, session }: Pick<MessageQuery, 'scope' | 'session'>,
    options?: WaitOptions,
  ): Promise<Shelf> => {
    const shelves = shelvesFor(scope);
    if (shelves.length > 1)
      for (const shelf of shelves) {
        const { items } = await shelf.store.messages({ scope: shelf.scope, session, limit: 1 }, options);
        if (items.length > 0) return shelf;
      }
    return shelves[0] as Shelf;
  };
  return overriding(own.store, {
    async find(key, options) {
      const found = await own.store.find(key, options);
      // A call id is known to those who made the call, and they store in one place.
      if (found !== undefined || !('id' in key)) return found;
      for (const { store, scope } of shelvesFor(key.scope).slice(1)) {
        // A place that cannot be read is passed over.
        const there = await store.find({ ...key, scope }, options).catch(() => undefined);
        if (there === undefined) continue;
        elsewhere.set(key.id, store);
        return there;
      }
      return undefined;
    },
    read: (id, part, from, options) => storeOf(id).read(id, part, from, options),
    frozen: (id, audience, options) => storeOf(id).frozen(id, audience, options),
    freeze: (record, mode, options) => storeOf(record.output).freeze(record, mode, options),
    async note(events, options) {
      for (const store of new Set(events.map(({ output }) => storeOf(output))))
        await store.note(
          events.filter(({ output }) => storeOf(output) === store),
          options,
        );
    },
    async list(query, options) {
      // Earlier runs of a call are compared with those of the same place.
      if (query.call !== undefined) return own.store.list(query, options);
      return inTurn(shelvesFor(query.scope), query, async ({ store, scope }, asked) => {
        const listed = await store.list({ ...asked, scope }, options);
        if (store !== own.store) for (const { id } of listed.items) elsewhere.set(id, store);
        return listed;
      });
    },
    sessions: (query, options) =>
      inTurn(shelvesFor(query.scope), query, (shelf, asked) =>
        shelf.store.sessions({ ...asked, ...scoped(query.scope, shelf) }, options),
      ),
    events: (query, options) =>
      inTurn(shelvesFor(query.scope), query, (shelf, asked) =>
        shelf.store.events({ ...asked, ...scoped(query.scope, shelf) }, options),
      ),
    async messages(query, options) {
      const { store, scope } = await shelfOf(query, options);
      return store.messages({ ...query, scope }, options);
    },
    async summaries(query, options) {
      const { store, scope } = await shelfOf(query, options);
      return store.summaries({ ...query, scope }, options);
    },
    async retire(request, options) {
      const done: RetireResult[] = [];
      for (const { store, scope } of shelvesFor(request.scope))
        done.push(await store.retire({ ...request, scope }, options));
      return done.reduce(sumOfRetired);
    },
    async usage(query, options) {
      const used = [await own.store.usage(query, options)];
      for (const { store, scope } of others())
        used.push(await store.usage({ scopes: [scope], ...query }, options));
      return used.reduce(sumOfUsage);
    },
    async close() {
      await Promise.all([...used].map((store) => store.close()));
    },
  });
}

/** The store with some of its methods replaced. */
function overriding(store: Store, methods: Partial<Store>): Store {
  const { close } = methods;
  const replaced = close === undefined ? methods : { ...methods, [Symbol.asyncDispose]: close };
  return new Proxy(store, {
    get(target, key) {
      if (key in replaced) return replaced[key as keyof Store];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * The pages of each shelf in turn. Cursors of the first shelf are its own; others say which shelf they
 * go on in: `@1 cursor`. A store of stores has another sign than those in it.
 */
async function inTurn<Q extends Paged, P extends Page<unknown> & { readonly end?: string }>(
  shelves: readonly Shelf[],
  query: Q,
  list: (shelf: Shelf, query: Q) => Promise<P>,
  sign: '@' | '#' = '@',
): Promise<P> {
  const { after = '', ...first } = query;
  const [, position = '0', inner = after] = new RegExp(`^${sign}(\\d+) ([^]*)$`).exec(after) ?? [];
  const at = Math.min(Number(position), shelves.length - 1);
  const asked = inner === '' ? first : { ...first, after: inner };
  const { next, end, ...rest } = await list(shelves[at] as Shelf, asked as Q);
  const cursor = (text: string) => (at === 0 ? text : `${sign}${at} ${text}`);
  const following =
    next !== undefined ? cursor(next) : at + 1 < shelves.length ? `${sign}${at + 1} ` : undefined;
  return {
    ...rest,
    ...defined({ next: following, end: end === undefined ? undefined : cursor(end) }),
  } as unknown as P;
}

function sumOfRetired(one: RetireResult, other: RetireResult): RetireResult {
  const ids = [...(one.ids ?? []), ...(other.ids ?? [])];
  return {
    outputs: one.outputs + other.outputs,
    bytesFreed: one.bytesFreed + other.bytesFreed,
    sessionsEnded: one.sessionsEnded + other.sessionsEnded,
    ...(one.ids === undefined && other.ids === undefined ? {} : { ids }),
  };
}

function sumOfUsage(one: Usage, other: Usage): Usage {
  return {
    outputs: one.outputs + other.outputs,
    bytes: one.bytes + other.bytes,
    sessions: one.sessions + other.sessions,
    events: one.events + other.events,
  };
}

// A store as the owner of a workspace sees it: a query for the workspace covers the scopes below
// it, too, which the principals of `spillway serve` have. Only the commands of the owner look
// through it.

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
