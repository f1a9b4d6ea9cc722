/**
 * Everything that was stored for one folder, as one store. Outputs of a folder may lie in several
 * places (find-workspace.ts): new ones go to the first, and whatever is asked for by the scope of that
 * place is looked up in all of them. An output is read, and noted in the ledger, where it lies.
 */
import type { ArtifactId, Store } from '@spillway/core';
import type { Page, Paged, RetireResult, Usage } from '@spillway/core/store';

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
  return overriding(own.store, {
    async find(key, options) {
      const found = await own.store.find(key, options);
      // A call id is known to those who made the call, and they store in one place.
      if (found !== undefined || !('id' in key)) return found;
      for (const { store, scope } of shelvesFor(key.scope).slice(1)) {
        // A place that cannot be read has nothing to say about a handle.
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
      return inTurn(shelvesFor(query.scope), query, async ({ store, scope }, page) => {
        const listed = await store.list({ ...withoutPage(query), ...page, scope }, options);
        if (store !== own.store) for (const { id } of listed.items) elsewhere.set(id, store);
        return listed;
      });
    },
    sessions: (query, options) =>
      inTurn(shelvesFor(query.scope), query, (shelf, page) =>
        shelf.store.sessions({ ...withoutPage(query), ...page, ...scoped(query.scope, shelf) }, options),
      ),
    events: (query, options) =>
      inTurn(shelvesFor(query.scope), query, (shelf, page) =>
        shelf.store.events({ ...withoutPage(query), ...page, ...scoped(query.scope, shelf) }, options),
      ),
    messages: (query, options) =>
      inTurn(shelvesFor(query.scope), query, ({ store, scope }, page) =>
        store.messages({ ...withoutPage(query), ...page, scope }, options),
      ),
    summaries: (query, options) =>
      inTurn(shelvesFor(query.scope), query, ({ store, scope }, page) =>
        store.summaries({ ...withoutPage(query), ...page, scope }, options),
      ),
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
export function overriding(store: Store, methods: Partial<Store>): Store {
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
export async function inTurn<P extends Page<unknown> & { readonly end?: string }>(
  shelves: readonly Shelf[],
  { limit, after = '' }: Paged,
  list: (shelf: Shelf, page: Paged) => Promise<P>,
  sign: '@' | '#' = '@',
): Promise<P> {
  const [, position = '0', inner = after] = new RegExp(`^${sign}(\\d+) ([^]*)$`).exec(after) ?? [];
  const at = Math.min(Number(position), shelves.length - 1);
  const page = await list(shelves[at] as Shelf, {
    ...(limit === undefined ? {} : { limit }),
    ...(inner === '' ? {} : { after: inner }),
  });
  const cursor = (text: string) => (at === 0 ? text : `${sign}${at} ${text}`);
  const { next, end, ...rest } = page;
  const following =
    next !== undefined ? cursor(next) : at + 1 < shelves.length ? `${sign}${at + 1} ` : undefined;
  return {
    ...rest,
    ...(following === undefined ? {} : { next: following }),
    ...(end === undefined ? {} : { end: cursor(end) }),
  } as P;
}

export function withoutPage<Q extends Paged>({
  limit: _limit,
  after: _after,
  ...rest
}: Q): Omit<Q, keyof Paged> {
  return rest;
}

export function sumOfRetired(one: RetireResult, other: RetireResult): RetireResult {
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
