/**
 * Retires outputs and ends sessions, on request and automatically, and removes the plain copies.
 * Sessions that are idle for 30 days are ended automatically. The check runs when an output is
 * stored, at most once a day for each scope. A session must be found idle twice, a day apart, so
 * that a wrong clock ends nothing; the same holds for outputs that are purged by age. Times are
 * milliseconds.
 */
import { everyItem } from '../model/every-item.ts';
import type { RetireRequest, RetireResult, Store, WaitOptions } from '../model/store.ts';
import { type Setup, storeFor } from './setup.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const IDLE_MS = 30 * DAY_MS;
/** How far back earlier checks are searched. */
const MEMORY_MS = 1_000 * DAY_MS;

export class Upkeep {
  readonly #setup: Setup;
  readonly #looked = new Map<string, number>();

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  get how(): 'retire' | 'purge' {
    return this.#setup.retention === 'session' ? 'purge' : 'retire';
  }

  async retire(request: Omit<RetireRequest, 'at'>, wait: WaitOptions = {}): Promise<RetireResult> {
    const { clock, ledger } = this.#setup;
    const store = storeFor(this.#setup, wait);
    const at = clock();
    if (request.preview !== true) await this.#removeCopies(store, request);
    const retired = await store.retire({ ...request, at });
    if (request.preview !== true) {
      const { scope, session } = request;
      const type =
        request.endSession === true ? 'session_ended' : request.how === 'purge' ? 'purged' : 'revoked';
      const data = { outputs: retired.outputs, bytes: retired.bytesFreed, sessions: retired.sessionsEnded };
      await ledger.note({ type, at, scope, data, ...(session === undefined ? {} : { session }) });
    }
    return retired;
  }

  /** Ends idle sessions and purges what is too old, at most once a day. */
  lookAfter(scope: string): Promise<void> | undefined {
    const now = this.#setup.clock();
    const looked = this.#looked.get(scope);
    if (looked !== undefined && Math.abs(now - looked) < DAY_MS) return undefined;
    this.#looked.set(scope, now);
    return this.#look(scope, now);
  }

  async #look(scope: string, now: number): Promise<void> {
    if (!(await this.#hasIdle(scope, now)) && !(await this.#hasAged(scope, now))) return;
    const before = await this.#lookBefore(scope, now - DAY_MS);
    await this.#setup.ledger.note({ type: 'found_idle', at: now, scope });
    if (await this.#hasIdle(scope, before))
      await this.retire({ how: this.how, scope, endSession: true, idleSince: before - IDLE_MS });
    if (await this.#hasAged(scope, before)) await this.retire(this.#aged(scope, before));
  }

  async #hasIdle(scope: string, at: number): Promise<boolean> {
    const { items } = await storeFor(this.#setup).sessions({ scope, idleSince: at - IDLE_MS, limit: 1 });
    return items.length > 0;
  }

  #aged(scope: string, at: number): Omit<RetireRequest, 'at'> {
    const { maxAgeDays = Number.POSITIVE_INFINITY } = this.#setup;
    return { how: 'purge', scope, ended: true, before: at - maxAgeDays * DAY_MS };
  }

  async #hasAged(scope: string, at: number): Promise<boolean> {
    const { maxAgeDays } = this.#setup;
    if (maxAgeDays === undefined || !Number.isFinite(at)) return false;
    return (await storeFor(this.#setup).retire({ ...this.#aged(scope, at), at, preview: true })).outputs > 0;
  }

  async #lookBefore(scope: string, latest: number): Promise<number> {
    const query = { scope, type: 'found_idle', since: latest - MEMORY_MS, limit: 1_000 } as const;
    const { items } = await storeFor(this.#setup).events(query);
    return items.reduce(
      (last, { at }) => (at <= latest ? Math.max(last, at) : last),
      Number.NEGATIVE_INFINITY,
    );
  }

  async #removeCopies(store: Store, request: Omit<RetireRequest, 'at'>): Promise<void> {
    const { copies } = this.#setup;
    if (copies === null) return;
    const { scope, session, ids, before } = request;
    const meant = await this.#sessionsMeant(store, request);
    const of = { scope, show: 'all', ...(session === undefined ? {} : { session }) } as const;
    for await (const record of everyItem((from) => store.list({ ...of, ...from }))) {
      const named = ids === undefined || ids.includes(record.id);
      const ended = before === undefined || record.endedAt < before;
      if (named && ended && (meant === null || meant.has(record.session))) await copies.remove(record);
    }
  }

  async #sessionsMeant(
    store: Store,
    { scope, idleSince, ended }: Omit<RetireRequest, 'at'>,
  ): Promise<ReadonlySet<string> | null> {
    if (idleSince === undefined && ended === undefined) return null;
    const meant = new Set<string>();
    const idle = idleSince === undefined ? {} : { idleSince };
    const of = { scope, show: 'all', ...idle } as const;
    for await (const { id, endedAt } of everyItem((from) => store.sessions({ ...of, ...from })))
      if (ended === undefined || endedAt !== undefined) meant.add(id);
    return meant;
  }
}
