/** Sessions by scope and id, as their outputs and events show them. Times are milliseconds. */
import type { LedgerEvent } from '../../model/events.ts';
import type { OutputDraft } from '../../model/output.ts';
import type { SessionRecord } from '../../model/session.ts';
import type { Page, RetireRequest, SessionQuery } from '../../model/store.ts';
import { showsLife } from '../drafting.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';

interface Row {
  readonly seq: number;
  session: SessionRecord;
}

export class MemorySessions {
  readonly #rows = new Map<string, Row>();

  count(isCounted: (session: SessionRecord) => boolean): number {
    return [...this.#rows.values()].filter(({ session }) => isCounted(session)).length;
  }

  /**
   * An output or a message arrived: the session exists, was seen, and if it had ended it goes on.
   */
  see(
    { session: id, scope, startedAt }: Pick<OutputDraft, 'session' | 'scope' | 'startedAt'>,
    at: number,
  ): void {
    const row = this.#rows.get(key(scope, id));
    const { openedAt, seenAt } = row?.session ?? { openedAt: startedAt, seenAt: at };
    const session = { id, scope, openedAt, seenAt: Math.max(seenAt, at) };
    this.#rows.set(key(scope, id), { seq: row?.seq ?? this.#rows.size + 1, session });
  }

  noted({ session: id, scope, type, at }: LedgerEvent): void {
    const row = id === undefined ? undefined : this.#rows.get(key(scope, id));
    if (row !== undefined && showsLife(type))
      row.session = { ...row.session, seenAt: Math.max(row.session.seenAt, at) };
  }

  hasEnded({ scope, session }: Pick<OutputDraft, 'scope' | 'session'>): boolean {
    return this.#rows.get(key(scope, session))?.session.endedAt !== undefined;
  }

  /** Whether a request means the session of an output. */
  isMeant({ scope, session }: Pick<OutputDraft, 'scope' | 'session'>, request: RetireRequest): boolean {
    const row = this.#rows.get(key(scope, session));
    if (row === undefined || (request.ended && row.session.endedAt === undefined)) return false;
    return isNamed(row.session, request);
  }

  /** How many open sessions the request ends, or would. */
  end(request: RetireRequest): number {
    const ending = [...this.#rows.values()].filter(
      ({ session }) => session.endedAt === undefined && isNamed(session, request),
    );
    if (!request.preview) for (const row of ending) row.session = { ...row.session, endedAt: request.at };
    return ending.length;
  }

  list(query: SessionQuery): Page<SessionRecord> {
    const limit = pageLimit(query.limit);
    const [seenAt, seq] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY, 0];
    const rows = [...this.#rows.values()]
      .filter(({ session }) => query.scope === undefined || session.scope === query.scope)
      .filter(({ session }) => query.below === undefined || isBelow(session.scope, query.below))
      .filter(({ session }) => query.show === 'all' || session.endedAt === undefined)
      .filter(({ session }) => session.seenAt < (query.idleSince ?? Number.POSITIVE_INFINITY))
      .filter((row) => row.session.seenAt < seenAt || (row.session.seenAt === seenAt && row.seq < seq))
      .sort((a, b) => b.session.seenAt - a.session.seenAt || b.seq - a.seq);
    return pageOf(
      rows,
      limit,
      (row) => `${row.session.seenAt}.${row.seq}`,
      (row) => row.session,
    );
  }
}

function isBelow(scope: string, above: string): boolean {
  return scope === above || scope.startsWith(`${above}:`);
}

function key(scope: string, id: string): string {
  return JSON.stringify([scope, id]);
}

function isNamed(session: SessionRecord, request: RetireRequest): boolean {
  if (session.scope !== request.scope) return false;
  if (request.session !== undefined && session.id !== request.session) return false;
  return request.idleSince === undefined || session.seenAt < request.idleSince;
}
