/**
 * The ledger, sessions and what ends them: which statement serves which method. Large requests are
 * carried out in steps.
 */
import type { LedgerEvent } from '../../model/events.ts';
import type { SessionRecord } from '../../model/session.ts';
import type * as Contract from '../../model/store.ts';
import type { Codec } from '../codecs.ts';
import { checkRetireRequest } from '../refusals.ts';
import type { Access } from './access.ts';
import { archiveSome, type Look, nextContents, type Step } from './archiving.ts';
import type { Connection } from './driver.ts';
import { isFull } from './failures.ts';
import { addEvents } from './ledger.ts';
import { listEvents, listSessions, usage } from './listing.ts';
import { purgeMessages } from './messages.ts';
import { endSessions, nextBatch, previewRetire, retireSome } from './retiring.ts';

type Wait = Contract.WaitOptions;

export class SqliteUpkeep implements Contract.UpkeepStore {
  readonly #access: Access;
  readonly #codec: () => Codec;

  constructor(access: Access, codec: () => Codec) {
    this.#access = access;
    this.#codec = codec;
  }

  note(events: readonly LedgerEvent[], wait: Wait = {}): Promise<void> {
    return this.#access.write({ durable: false, run: (db) => addEvents(db, events) }, wait);
  }

  events(query: Contract.EventQuery, { signal }: Wait = {}): Promise<Contract.EventPage> {
    return this.#access.read((db) => listEvents(db, query), signal);
  }

  sessions(query: Contract.SessionQuery, { signal }: Wait = {}): Promise<Contract.Page<SessionRecord>> {
    return this.#access.read((db) => listSessions(db, query), signal);
  }

  async retire(request: Contract.RetireRequest, { signal }: Wait = {}): Promise<Contract.RetireResult> {
    checkRetireRequest(request);
    if (request.preview) return this.#access.read((db) => previewRetire(db, request), signal);
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    const wait = { purpose: 'free', ...(signal === undefined ? {} : { signal }) } as const;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { meant, last } = await this.#access.read((db) => nextBatch(db, request, after ?? 0), signal);
      after = last;
      for (const done of await this.#retire(request, meant, wait)) {
        total.outputs += done.outputs;
        total.bytesFreed += done.bytesFreed;
      }
    }
    if (request.how === 'purge')
      await this.#access.write({ durable: true, run: (db) => purgeMessages(db, request) }, wait);
    // Last, so that a request that is interrupted leaves the session open, to be ended again.
    if (request.endSession)
      total.sessionsEnded = await this.#access.write(
        { durable: true, run: (db) => endSessions(db, request) },
        wait,
      );
    if (request.how === 'purge') await this.#access.sweep();
    return total;
  }

  async archive(request: Contract.ArchiveRequest, wait: Wait = {}): Promise<Contract.ArchiveResult> {
    const total = { outputs: 0, bytesBefore: 0, bytesAfter: 0 };
    for (let last: number | undefined = 0; last !== undefined; ) {
      const look: Look = await this.#access.read((db) => nextContents(db, request, last ?? 0), wait.signal);
      total.outputs += look.outputs;
      for (const content of look.contents) {
        const { before, after } = await this.#archiveContent(content, wait);
        total.bytesBefore += before;
        total.bytesAfter += after;
      }
      last = look.last;
    }
    await this.#access.sweep();
    return total;
  }

  usage(query: Contract.UsageQuery = {}, { signal }: Wait = {}): Promise<Contract.Usage> {
    return this.#access.read((db) => usage(db, query), signal);
  }

  /** In one commit; one by one where the disk has no room for that. */
  async #retire(
    request: Contract.RetireRequest,
    seqs: readonly number[],
    wait: Wait & { readonly purpose: 'free' },
  ): Promise<readonly Omit<Contract.RetireResult, 'sessionsEnded'>[]> {
    if (seqs.length === 0) return [];
    try {
      const run = (db: Connection) => retireSome(db, request, seqs);
      return [await this.#access.write({ durable: true, run }, wait)];
    } catch (error) {
      if (!isFull(error) || seqs.length === 1) throw error;
      const done = [];
      for (const seq of seqs) {
        done.push(...(await this.#retire(request, [seq], wait)));
        // What it left free is swept before the next: only then is there room for that.
        if (request.how === 'purge') await this.#access.sweep();
      }
      return done;
    }
  }

  async #archiveContent(
    content: number,
    wait: Wait,
  ): Promise<{ readonly before: number; readonly after: number }> {
    const total = { before: 0, after: 0 };
    for (let from: number | undefined = 0; from !== undefined; ) {
      const at: number = from;
      const run = (db: Connection): Step => archiveSome(db, content, at, this.#codec());
      const { before, after, next }: Step = await this.#access.write({ durable: false, run }, wait);
      total.before += before;
      total.after += after;
      from = next;
    }
    return total;
  }
}
