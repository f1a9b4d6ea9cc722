/**
 * Retires outputs and ends sessions, on request and automatically, and removes the plain copies.
 * Sessions that are idle for 30 days are ended automatically. The check runs when an output is
 * stored, at most once a day for each scope. A session must be found idle twice, a day apart, so
 * that a wrong clock ends nothing; the same holds for outputs that are purged by age. Times are
 * milliseconds.
 */
import type { LedgerEvent } from '../model/events.ts';
import type { PlainCopyFolder } from '../model/plain-copies.ts';
import type { RetireRequest, RetireResult, Store, WaitOptions } from '../model/store.ts';
import { readRaw } from '../retrieval/raw.ts';
import { withSignal } from '../stores/with-signal.ts';
import type { StoredProjections } from './stored-projections.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long a session may lie idle before it counts as ended. */
const IDLE_MS = 30 * DAY_MS;
/** How far back a look is looked for. */
const MEMORY_MS = 1_000 * DAY_MS;

export interface UpkeepOptions {
  readonly store: Store;
  readonly copies: PlainCopyFolder | null;
  /** Whether records outlive their session. */
  readonly retention: 'durable' | 'session';
  /** Days after which outputs of ended sessions are purged; undefined keeps them. */
  readonly maxAgeDays: number | undefined;
  readonly clock: () => number;
  readonly note: (event: LedgerEvent) => Promise<void>;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  /** When each scope was looked after last. */
  readonly #looked = new Map<string, number>();

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** What happens to the outputs of a session that ends. */
  get how(): 'retire' | 'purge' {
    return this.#options.retention === 'session' ? 'purge' : 'retire';
  }

  /** Retires handles or purges outputs, and removes their plain copies. */
  async retire(request: Omit<RetireRequest, 'at'>, { signal }: WaitOptions = {}): Promise<RetireResult> {
    const { clock, note } = this.#options;
    const store = withSignal(this.#options.store, signal);
    const at = clock();
    if (request.preview !== true) await this.#removeCopies(store, request);
    const retired = await store.retire({ ...request, at });
    if (request.preview !== true) {
      const { scope, session } = request;
      const type =
        request.endSession === true ? 'session_ended' : request.how === 'purge' ? 'purged' : 'revoked';
      const data = { outputs: retired.outputs, bytes: retired.bytesFreed, sessions: retired.sessionsEnded };
      await note({ type, at, scope, data, ...(session === undefined ? {} : { session }) });
    }
    return retired;
  }

  /**
   * Ends the idle sessions of a scope and purges what is too old, unless that was done within a
   * day.
   */
  lookAfter(scope: string): Promise<void> | undefined {
    const now = this.#options.clock();
    const looked = this.#looked.get(scope);
    if (looked !== undefined && Math.abs(now - looked) < DAY_MS) return undefined;
    this.#looked.set(scope, now);
    return this.#look(scope, now);
  }

  async #look(scope: string, now: number): Promise<void> {
    if (!(await this.#hasIdle(scope, now)) && !(await this.#hasAged(scope, now))) return;
    const before = await this.#lookBefore(scope, now - DAY_MS);
    await this.#options.note({ type: 'found_idle', at: now, scope });
    if (await this.#hasIdle(scope, before))
      await this.retire({ how: this.how, scope, endSession: true, idleSince: before - IDLE_MS });
    if (await this.#hasAged(scope, before)) await this.retire(this.#aged(scope, before));
  }

  async #hasIdle(scope: string, at: number): Promise<boolean> {
    const { items } = await this.#options.store.sessions({ scope, idleSince: at - IDLE_MS, limit: 1 });
    return items.length > 0;
  }

  /** Outputs of ended sessions that were too old at a time. */
  #aged(scope: string, at: number): Omit<RetireRequest, 'at'> {
    const { maxAgeDays = Number.POSITIVE_INFINITY } = this.#options;
    return { how: 'purge', scope, ended: true, before: at - maxAgeDays * DAY_MS };
  }

  async #hasAged(scope: string, at: number): Promise<boolean> {
    const { maxAgeDays, store } = this.#options;
    if (maxAgeDays === undefined || !Number.isFinite(at)) return false;
    return (await store.retire({ ...this.#aged(scope, at), at, preview: true })).outputs > 0;
  }

  /** When there was something to end before; looks later than `latest` do not count. */
  async #lookBefore(scope: string, latest: number): Promise<number> {
    const query = { scope, type: 'found_idle', since: latest - MEMORY_MS, limit: 1_000 } as const;
    const { items } = await this.#options.store.events(query);
    return items.reduce(
      (last, { at }) => (at <= latest ? Math.max(last, at) : last),
      Number.NEGATIVE_INFINITY,
    );
  }

  async #removeCopies(store: Store, request: Omit<RetireRequest, 'at'>): Promise<void> {
    const { copies } = this.#options;
    if (copies === null) return;
    const { scope, session, ids, before } = request;
    const meant = await this.#sessionsMeant(store, request);
    let after: string | undefined;
    do {
      const page = await store.list({
        scope,
        show: 'all',
        limit: 200,
        ...(session === undefined ? {} : { session }),
        ...(after === undefined ? {} : { after }),
      });
      for (const record of page.items) {
        const named = ids === undefined || ids.includes(record.id);
        const ended = before === undefined || record.endedAt < before;
        if (named && ended && (meant === null || meant.has(record.session))) await copies.remove(record);
      }
      after = page.next;
    } while (after !== undefined);
  }

  /** The sessions that a request means by what they are; null if it means any. */
  async #sessionsMeant(
    store: Store,
    { scope, idleSince, ended }: Omit<RetireRequest, 'at'>,
  ): Promise<ReadonlySet<string> | null> {
    if (idleSince === undefined && ended === undefined) return null;
    const meant = new Set<string>();
    let after: string | undefined;
    do {
      const page = await store.sessions({
        scope,
        show: 'all',
        limit: 1_000,
        ...(idleSince === undefined ? {} : { idleSince }),
        ...(after === undefined ? {} : { after }),
      });
      for (const { id, endedAt } of page.items)
        if (ended === undefined || endedAt !== undefined) meant.add(id);
      after = page.next;
    } while (after !== undefined);
    return meant;
  }
}

interface RestoreCopiesOptions extends WaitOptions {
  readonly store: Store;
  readonly copies: PlainCopyFolder;
  readonly projections: StoredProjections;
}

/**
 * Makes notices true that name a plain copy which a killed process did not come to write: writes
 * the copy from the store, or, where that fails, projects the output again without naming it.
 */
export async function restoreCopies({
  copies,
  projections,
  ...options
}: RestoreCopiesOptions): Promise<void> {
  const store = withSignal(options.store, options.signal);
  for (const name of (await copies.unwritten?.()) ?? []) {
    const found = await store.find(name);
    if (found !== undefined && !('purgedAt' in found)) {
      const bytes = readRaw(store, found, { part: null, want: { kind: 'all' } });
      const isWritten = await copies.write(found, bytes);
      options.signal?.throwIfAborted();
      if (!isWritten && found.retiredAt === undefined) await projections.again(name, {});
    }
    await copies.settle?.(name);
  }
}
