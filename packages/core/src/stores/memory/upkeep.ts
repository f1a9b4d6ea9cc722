/**
 * The ledger in a list, and what ends outputs and sessions: by request, or to keep a limit. Times
 * are milliseconds.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { LedgerEvent } from '../../model/events.ts';
import type { SessionRecord } from '../../model/session.ts';
import type * as Contract from '../../model/store.ts';
import { eventPageOf, MOST_PREVIEWED, pageLimit, parseCursor } from '../paging.ts';
import { checkRetireRequest, overLimit } from '../refusals.ts';
import type { MemoryHistory } from './history.ts';
import type { Entry, MemoryOutputs } from './outputs.ts';
import type { MemorySessions } from './sessions.ts';

interface Held {
  readonly outputs: MemoryOutputs;
  readonly history: MemoryHistory;
  readonly sessions: MemorySessions;
  readonly limits: Contract.StoreLimits;
  readonly clock: () => number;
}

export class MemoryUpkeep implements Contract.UpkeepStore {
  readonly #held: Held;
  readonly #ledger: LedgerEvent[] = [];

  constructor(held: Held) {
    this.#held = held;
  }

  async note(events: readonly LedgerEvent[]): Promise<void> {
    this.add(events);
  }

  add(events: readonly LedgerEvent[]): void {
    this.#ledger.push(...events);
    for (const event of events) this.#held.sessions.noted(event);
  }

  async events(query: Contract.EventQuery): Promise<Contract.EventPage> {
    const limit = pageLimit(query.limit);
    const [after] = parseCursor(query.after) ?? [-1];
    const rows = [...this.#ledger.entries()].filter(([seq, event]) => {
      const asked = query.scope === undefined || query.scope === event.scope;
      const sameType = query.type === undefined || query.type === event.type;
      return seq > after && asked && sameType && event.at >= (query.since ?? Number.NEGATIVE_INFINITY);
    });
    return eventPageOf(
      rows,
      limit,
      ([seq]) => `${seq}`,
      ([, event]) => event,
    );
  }

  async sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    return this.#held.sessions.list(query);
  }

  async retire(request: Contract.RetireRequest): Promise<Contract.RetireResult> {
    checkRetireRequest(request);
    const { outputs, history, sessions } = this.#held;
    const meant = outputs.entries.filter((entry) => this.#isMeant(entry, request));
    const ids = meant.slice(0, MOST_PREVIEWED).map(({ record }) => record.id);
    const result = {
      outputs: meant.length,
      sessionsEnded: request.endSession ? sessions.end(request) : 0,
      ...(request.preview ? { ids } : {}),
    };
    if (request.how === 'retire') {
      if (!request.preview) for (const { record } of meant) outputs.update(record, { retiredAt: request.at });
      return { ...result, bytesFreed: 0 };
    }
    const hashes = meant.flatMap(({ record }) => record.parts.map((part) => part.hash));
    if (request.preview) return { ...result, bytesFreed: outputs.contents.unshared(hashes) };
    history.purge(request, (session) => sessions.isMeant(session, request));
    return { ...result, bytesFreed: outputs.purge(meant, request.at) };
  }

  /** Memory is not made smaller: nothing that lasts is saved by it. */
  async archive({ scope, session, before }: Contract.ArchiveRequest): Promise<Contract.ArchiveResult> {
    const old = this.#held.outputs.entries.filter(({ record, purgedAt }) => {
      const asked = session === undefined || session === record.session;
      return purgedAt === undefined && record.scope === scope && asked && record.endedAt < before;
    });
    return { outputs: old.length, bytesBefore: 0, bytesAfter: 0 };
  }

  async usage({ scopes }: Contract.UsageQuery = {}): Promise<Contract.Usage> {
    const { outputs, sessions } = this.#held;
    const isCounted = ({ scope }: { readonly scope: string }) => scopes?.includes(scope) !== false;
    const kept = outputs.entries.filter(
      ({ record, purgedAt }) => purgedAt === undefined && isCounted(record),
    );
    const contents = new Map(
      kept.flatMap(({ record }) => record.parts.map(({ hash, bytes }) => [hash, bytes] as const)),
    );
    return {
      outputs: kept.length,
      bytes: [...contents.values()].reduce((sum, bytes) => sum + bytes, 0),
      sessions: sessions.count(isCounted),
      events: this.#ledger.filter(isCounted).length,
    };
  }

  /** Evicts outputs of ended sessions, oldest first, until `wanted` more bytes fit. */
  makeRoom(wanted: number): void {
    const { outputs, sessions, clock } = this.#held;
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#held.limits;
    const missing = () => outputs.bytes + wanted - maxBytes;
    for (const entry of missing() > 0 ? outputs.entries : []) {
      const { id, scope, session, tool } = entry.record;
      if (missing() <= 0) return;
      if (entry.purgedAt !== undefined || !sessions.hasEnded(entry.record) || this.#isCited(id)) continue;
      const at = clock();
      const bytes = outputs.purge([entry], at);
      this.add([
        { type: 'purged', at, scope, session, tool, output: id, data: { reason: 'evicted', bytes } },
      ]);
    }
    if (missing() > 0) throw overLimit(maxBytes);
  }

  #isMeant({ record, purgedAt }: Entry, request: Contract.RetireRequest): boolean {
    if (record.scope !== request.scope || purgedAt !== undefined) return false;
    if (request.how === 'retire' && record.retiredAt !== undefined) return false;
    if (request.ids !== undefined && !request.ids.includes(record.id)) return false;
    if (request.before !== undefined && record.endedAt >= request.before) return false;
    if (request.ended && this.#isCited(record.id)) return false;
    return this.#held.sessions.isMeant(record, request);
  }

  #isCited(id: ArtifactId): boolean {
    const { history, sessions } = this.#held;
    return history.isCited(id, (session) => sessions.hasEnded(session));
  }
}
