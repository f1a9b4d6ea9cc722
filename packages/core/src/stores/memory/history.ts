/**
 * Messages and summaries by session. Invariant: places and versions count from 1 without gaps;
 * nothing kept is changed.
 */
import type { MessageRecord } from '../../model/message.ts';
import type {
  AddMessagesRequest,
  HistoryStore,
  MessageQuery,
  Page,
  RetireRequest,
  SummaryQuery,
} from '../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../model/summary.ts';
import { citedBy, numberMessages } from '../number-messages.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';
import { summaryOutdated } from '../refusals.ts';
import type { MemorySessions } from './sessions.ts';

interface Session {
  readonly scope: string;
  readonly id: string;
  readonly messages: MessageRecord[];
  readonly byId: Map<string, MessageRecord>;
  readonly summaries: SummaryRecord[];
  /** Outputs that its messages refer to. */
  readonly cited: Set<string>;
}

type Name = Pick<AddMessagesRequest, 'scope' | 'session'>;

export class MemoryHistory implements HistoryStore {
  readonly #seen: MemorySessions;
  readonly #sessions = new Map<string, Session>();

  constructor(seen: MemorySessions) {
    this.#seen = seen;
  }

  async addMessages(request: AddMessagesRequest): Promise<readonly MessageRecord[]> {
    const { messages, byId, cited } = this.#session(request);
    const { records, added } = numberMessages(request, { last: messages.length, find: (id) => byId.get(id) });
    for (const record of added) {
      // A copy: whoever gave it must not be able to change what is canonical.
      const kept = structuredClone(record);
      messages.push(kept);
      byId.set(kept.id, kept);
      for (const output of citedBy(kept)) cited.add(output);
    }
    const { scope, session } = request;
    for (const { at } of request.messages) this.#seen.see({ scope, session, startedAt: at }, at);
    return records.map((record) => structuredClone(record));
  }

  async messages(query: MessageQuery): Promise<Page<MessageRecord>> {
    const limit = pageLimit(query.limit);
    const [cursor] = parseCursor(query.after) ?? [];
    const messages = this.#sessions.get(keyOf(query))?.messages ?? [];
    const newest = query.order === 'newest';
    const first = Math.max(query.above ?? 0, newest ? 0 : (cursor ?? 0));
    const end = newest ? (cursor ?? messages.length + 1) - 1 : messages.length;
    const rows = newest
      ? messages.slice(Math.max(first, end - limit - 1), Math.max(first, end)).reverse()
      : messages.slice(first, first + limit + 1);
    return pageOf(
      rows,
      limit,
      (row) => `${row.ordinal}`,
      (row) => structuredClone(row),
    );
  }

  async addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    const { summaries } = this.#session(draft);
    if (draft.parent !== summaries.length) throw summaryOutdated(summaries.length);
    const record = structuredClone({ ...draft, version: summaries.length + 1 });
    summaries.push(record);
    return structuredClone(record);
  }

  async summaries(query: SummaryQuery): Promise<Page<SummaryRecord>> {
    const limit = pageLimit(query.limit);
    const [before] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY];
    const all = this.#sessions.get(keyOf(query))?.summaries ?? [];
    const rows = all.filter(({ version }) => version < before).reverse();
    return pageOf(
      rows,
      limit,
      (row) => `${row.version}`,
      (row) => structuredClone(row),
    );
  }

  /** Whether a session that has not ended refers to the output. */
  isCited(output: string, hasEnded: (session: Name) => boolean): boolean {
    return [...this.#sessions.values()].some(
      ({ scope, id, cited }) => cited.has(output) && !hasEnded({ scope, session: id }),
    );
  }

  /** Forgets the sessions that a purge means. */
  purge(request: RetireRequest, isMeant: (session: Name) => boolean): void {
    if (request.ids !== undefined || request.before !== undefined) return;
    for (const [key, { scope, id }] of this.#sessions)
      if (isMeant({ scope, session: id })) this.#sessions.delete(key);
  }

  #session(name: Name): Session {
    const { scope, session: id } = name;
    const session = this.#sessions.get(keyOf(name)) ?? {
      scope,
      id,
      messages: [],
      byId: new Map(),
      summaries: [],
      cited: new Set<string>(),
    };
    this.#sessions.set(keyOf(name), session);
    return session;
  }
}

function keyOf({ scope, session }: Name): string {
  return JSON.stringify([scope, session]);
}
