/**
 * The store contract over an SQL engine: which query serves which method. Large requests are carried
 * out in steps, and content is read piece by piece.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputDraft } from '../../model/output.ts';
import type * as Contract from '../../model/store.ts';
import { callStore, type StoreMethod, storeOf } from '../assembling.ts';
import { Drafting } from '../drafting.ts';
import { checkRetireRequest, noSuchOutput } from '../refusals.ts';
import type { Dialect, Query } from './dialect.ts';
import { listEvents, listSessions, usage } from './ledger.ts';
import { addMessages, addSummary, listMessages, listSummaries, purgeMessages } from './messages.ts';
import { findOutput, freezeProjection, frozenProjection, listOutputs } from './outputs.ts';
import { archiveSome, damagedPiece, isKept, openPart, pieceBytes, type ReadPosition } from './reading.ts';
import { endSessions, nextBatch, nextContents, previewRetire, retireSome } from './retiring.ts';
import { type OutputTarget, SqlWriter } from './writer.ts';

/** At most this many pieces (1 MB) per look-up. */
const MOST_PIECES = 16;

type Wait = Contract.WaitOptions;

/** How a write is carried out. */
export interface WriteKind extends Wait {
  /** Whether it survives the loss of power once it resolves. Default: yes. */
  readonly durable?: boolean;
  /**
   * `repeat`: finds what it did the first time, so it may be given twice. `free`: frees room, so it
   * must succeed on a full disk; only one runs at a time.
   */
  readonly purpose?: 'repeat' | 'free';
}

/** The engine under a store. A query may run more than once, so it is passed as a function. */
export interface SqlEngine {
  /** Begins an output. */
  create(drafting: Pick<Drafting, 'draft' | 'specs'>, signal: AbortSignal | undefined): Promise<OutputTarget>;
  /** Runs a query that changes nothing. */
  read<T>(query: (d: Dialect) => Query<T>, signal?: AbortSignal): Promise<T>;
  /** Runs a query as one transaction. */
  write<T>(query: (d: Dialect) => Query<T>, how?: WriteKind): Promise<T>;
  /**
   * The position in the ledger up to which events are final; undefined where positions are in
   * order.
   */
  decidedEvents?(signal: AbortSignal | undefined): Promise<number>;
  /** Deletes content that nothing refers to, where purging does not do so. */
  sweep?(): Promise<void>;
  /** Whether an error says that there is no room for a write of this size. */
  isFull?(error: unknown): boolean;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

type Queries = Partial<Record<StoreMethod, (d: Dialect, ...args: never[]) => Query<unknown>>>;

const READINGS: Queries = {
  find: findOutput,
  list: listOutputs,
  frozen: (_, id: never, audience: never) => frozenProjection(id, audience),
  messages: listMessages,
  summaries: listSummaries,
  sessions: listSessions,
  usage,
};

const CHANGES: Queries = {
  freeze: freezeProjection,
  addMessages,
  addSummary,
  note: (d, events) => d.addEvents(events),
};

const KINDS: Partial<Record<StoreMethod, WriteKind>> = {
  freeze: { purpose: 'repeat' },
  note: { durable: false },
};

/** A store over an SQL engine. */
export function sqlStore(engine: SqlEngine): Contract.Store {
  const methods = new SqlMethods(engine);
  return storeOf(
    (method, args, wait) => {
      const given = args as never[];
      const [reading, change] = [READINGS[method], CHANGES[method]];
      if (reading !== undefined) return engine.read((d) => reading(d, ...given), wait.signal);
      if (change !== undefined)
        return engine.write((d) => change(d, ...given), { ...wait, ...KINDS[method] });
      return callStore(methods, method, args, wait);
    },
    () => methods.close(),
  );
}

class SqlMethods implements Pick<Contract.Store, 'create' | 'read' | 'events' | 'retire' | 'archive'> {
  readonly #engine: SqlEngine;
  readonly #holding = new Set<SqlWriter>();
  /** Events up to this position are final; no earlier one can appear. */
  #decided = 0;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  async close(): Promise<void> {
    for (const writer of this.#holding) await writer.end();
    await this.#engine.close();
  }

  async create(draft: OutputDraft, { signal }: Wait = {}) {
    const drafting = new Drafting(draft);
    return new SqlWriter(drafting, await this.#engine.create(drafting, signal), this.#holding);
  }

  async read(
    id: ArtifactId,
    part: number,
    from: Contract.ReadFrom,
    { signal }: Wait = {},
  ): Promise<Contract.Reading> {
    const position = await this.#engine.read(() => openPart(id, part, from), signal);
    return { at: position.at, pieces: this.#pieces(id, part, position, signal) };
  }

  async *#pieces(
    id: ArtifactId,
    part: number,
    { content, bytes: end, at }: ReadPosition,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { read } = this.#engine;
    const refusal = async (what: 'damaged' | 'missing') =>
      (await read(() => isKept(content), signal)) ? damagedPiece(id, part, what) : noSuchOutput();
    // A page needs one piece; for a longer read each look-up brings more.
    let start = at.bytes;
    for (let most = 1; start < end; most = Math.min(most * 4, MOST_PIECES)) {
      const pieces = await read((d) => d.pieces(content, start, most), signal);
      if (pieces.length === 0) throw await refusal('missing');
      for (const piece of pieces) {
        if (piece.start !== start) throw await refusal('missing');
        const bytes = pieceBytes(piece);
        if (bytes === null) throw await refusal('damaged');
        // Before the caller has them: it may transfer them to another thread.
        start += bytes.length;
        yield bytes;
      }
    }
  }

  /** With several writers a later place may be committed first; a page ends before such a gap. */
  async events(query: Contract.EventQuery, { signal }: Wait = {}): Promise<Contract.EventPage> {
    const { read, decidedEvents } = this.#engine;
    const upTo = () => (decidedEvents === undefined ? undefined : this.#decided);
    const look = () => read((d) => listEvents(d, query, upTo()), signal);
    const { isCut, ...page } = await look();
    if (!isCut || decidedEvents === undefined) return page;
    this.#decided = await decidedEvents(signal);
    const { isCut: _, ...decided } = await look();
    return decided;
  }

  async retire(request: Contract.RetireRequest, wait: Wait = {}): Promise<Contract.RetireResult> {
    checkRetireRequest(request);
    const { read, write } = this.#engine;
    if (request.preview) return read((d) => previewRetire(d, request), wait.signal);
    const total = { outputs: 0, bytesFreed: 0, sessionsEnded: 0 };
    const how = { ...wait, purpose: 'free' } as const;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const batch = await read((d) => nextBatch(d, request, from), wait.signal);
      after = batch.last;
      for (const done of await this.#retire(request, batch.seqs, how)) {
        total.outputs += done.outputs;
        total.bytesFreed += done.bytesFreed;
      }
    }
    if (request.how === 'purge') await write((d) => purgeMessages(d, request), how);
    // Last, so that an interrupted request leaves the session open and can be given again.
    if (request.endSession) total.sessionsEnded = await write((d) => endSessions(d, request), how);
    if (request.how === 'purge') await this.#engine.sweep?.();
    return total;
  }

  /** In one commit; one by one where the disk has no room for that. */
  async #retire(
    request: Contract.RetireRequest,
    seqs: readonly number[],
    how: WriteKind,
  ): Promise<readonly Omit<Contract.RetireResult, 'sessionsEnded'>[]> {
    if (seqs.length === 0) return [];
    const { write, sweep, isFull } = this.#engine;
    try {
      return [await write((d) => retireSome(d, request, seqs), how)];
    } catch (error) {
      if (isFull?.(error) !== true || seqs.length === 1) throw error;
      const done = [];
      for (const seq of seqs) {
        done.push(...(await this.#retire(request, [seq], how)));
        // Sweep before the next one: only then is there room for it.
        if (request.how === 'purge') await sweep?.();
      }
      return done;
    }
  }

  async archive(request: Contract.ArchiveRequest, wait: Wait = {}): Promise<Contract.ArchiveResult> {
    const { read, sweep } = this.#engine;
    const total = { outputs: 0, bytesBefore: 0, bytesAfter: 0 };
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const batch = await read((d) => nextContents(d, request, from), wait.signal);
      after = batch.last;
      total.outputs += batch.seqs.length;
      for (const content of batch.contents) {
        const { before, after: left } = await this.#archiveContent(content, wait);
        total.bytesBefore += before;
        total.bytesAfter += left;
      }
    }
    await sweep?.();
    return total;
  }

  async #archiveContent(content: number, wait: Wait): Promise<{ before: number; after: number }> {
    const total = { before: 0, after: 0 };
    const { write } = this.#engine;
    for (let from: number | undefined = 0; from !== undefined; ) {
      const at: number = from;
      const step = await write((d) => archiveSome(d, content, at), { ...wait, durable: false });
      total.before += step.before;
      total.after += step.after;
      from = step.next;
    }
    return total;
  }
}
