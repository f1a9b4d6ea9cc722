/**
 * The ledger, sessions and what ends them: which statement serves which method. Large requests are
 * carried out in steps.
 */
import {
  type ArchiveRequest,
  type ArchiveResult,
  type Codec,
  checkRetireRequest,
  type EventPage,
  type EventQuery,
  type LedgerEvent,
  type Page,
  type RetireRequest,
  type RetireResult,
  type SessionQuery,
  type SessionRecord,
  type UpkeepStore,
  type Usage,
  type UsageQuery,
  type WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { archiveSome, nextContents } from './archiving.ts';
import { addEvents } from './ledger.ts';
import { decidedEvents, listEvents, listSessions, usage } from './listing.ts';
import { purgeMessages } from './messages.ts';
import { endSessions, previewRetire, retireSome } from './retiring.ts';

export class PostgresUpkeep implements UpkeepStore {
  readonly #access: Access;
  readonly #codec: Codec;
  /** Up to this place of the ledger everything is decided. */
  #decided = 0;

  constructor(access: Access, codec: Codec) {
    this.#access = access;
    this.#codec = codec;
  }

  note(events: readonly LedgerEvent[], wait: WaitOptions = {}): Promise<void> {
    return this.#access.write((db) => addEvents(db, events), wait);
  }

  /**
   * A place in the ledger may be given out before an earlier one is committed. A page ends where
   * that is still open.
   */
  async events(query: EventQuery, { signal }: WaitOptions = {}): Promise<EventPage> {
    const look = () => this.#access.read((db) => listEvents(db, query, this.#decided), signal);
    const page = await look();
    if (!page.isCut) return page;
    this.#decided = await this.#access.call(decidedEvents, signal);
    return look();
  }

  sessions(query: SessionQuery, { signal }: WaitOptions = {}): Promise<Page<SessionRecord>> {
    return this.#access.read((db) => listSessions(db, query), signal);
  }

  async retire(request: RetireRequest, wait: WaitOptions = {}): Promise<RetireResult> {
    checkRetireRequest(request);
    if (request.preview) return this.#access.read((db) => previewRetire(db, request), wait.signal);
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    for (let last = false; !last; ) {
      const done = await this.#access.keepUp((db) => retireSome(db, request), wait);
      total.outputs += done.outputs;
      total.bytesFreed += done.bytesFreed;
      last = done.last;
    }
    if (request.how === 'purge') await this.#access.keepUp((db) => purgeMessages(db, request), wait);
    // Last, so that a request that is interrupted leaves the session open, to be ended again.
    if (request.endSession)
      total.sessionsEnded = await this.#access.keepUp((db) => endSessions(db, request), wait);
    return total;
  }

  async archive(request: ArchiveRequest, { signal }: WaitOptions = {}): Promise<ArchiveResult> {
    const total = { outputs: 0, bytesBefore: 0, bytesAfter: 0 };
    for (let last: string | undefined = '0'; last !== undefined; ) {
      const after: string = last;
      const look = await this.#access.read((db) => nextContents(db, request, after), signal);
      total.outputs += look.outputs;
      for (const content of look.contents) {
        for (let at: number | undefined = 0; at !== undefined; ) {
          const from: number = at;
          const step = await this.#access.read((db) => archiveSome(db, content, from, this.#codec), signal);
          total.bytesBefore += step.before;
          total.bytesAfter += step.after;
          at = step.next;
        }
      }
      last = look.last;
    }
    return total;
  }

  usage(query: UsageQuery = {}, { signal }: WaitOptions = {}): Promise<Usage> {
    return this.#access.read((db) => usage(db, query), signal);
  }
}
