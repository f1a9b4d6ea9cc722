/**
 * The same store with its work in another thread, so that a slow disk never holds up the event loop. Only plain data crosses; pieces
 * are copied once on the way in (whoever made them may still need them) and handed over on the way out.
 */
import type { ArtifactId } from '../../../model/artifact.ts';
import type { LedgerEvent } from '../../../model/events.ts';
import type { Extent } from '../../../model/extent.ts';
import type { MessageRecord } from '../../../model/message.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../../../model/output.ts';
import type { PartSpec } from '../../../model/part.ts';
import type { Piece } from '../../../model/piece.ts';
import type { Audience, ProjectionRecord } from '../../../model/projection.ts';
import type { SessionRecord } from '../../../model/session.ts';
import type * as Contract from '../../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../../model/summary.ts';
import { Drafting } from '../../drafting.ts';
import { closed } from '../../refusals.ts';
import { Line } from './line.ts';
import { STORE, type Target } from './messages.ts';

export class ThreadedStore implements Contract.Store {
  readonly #line: Line;
  #closing: Promise<void> | undefined;

  /** Options of the store in the thread; plain data only. */
  constructor(options: object) {
    this.#line = new Line(options);
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    return new ThreadedWriter(this.#line, await this.#ask<Target>('create', draft), draft);
  }

  find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    return this.#ask('find', key);
  }

  async read(id: ArtifactId, part: number, from: Contract.ReadFrom): Promise<Contract.Reading> {
    const { at, target } = await this.#ask<{ at: Extent; target: Target }>('read', id, part, from);
    return { at, pieces: this.#pieces(target) };
  }

  list(query: Contract.OutputQuery): Promise<Contract.Page<OutputRecord>> {
    return this.#ask('list', query);
  }

  freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    return this.#ask('freeze', record, mode);
  }

  frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#ask('frozen', id, audience);
  }

  note(events: readonly LedgerEvent[]): Promise<void> {
    return this.#ask('note', events);
  }

  events(query: Contract.EventQuery): Promise<Contract.Page<LedgerEvent>> {
    return this.#ask('events', query);
  }

  sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    return this.#ask('sessions', query);
  }

  addMessages(request: Contract.AddMessagesRequest): Promise<readonly MessageRecord[]> {
    return this.#ask('addMessages', request);
  }

  messages(query: Contract.MessageQuery): Promise<Contract.Page<MessageRecord>> {
    return this.#ask('messages', query);
  }

  addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    return this.#ask('addSummary', draft);
  }

  summaries(query: Contract.SummaryQuery): Promise<Contract.Page<SummaryRecord>> {
    return this.#ask('summaries', query);
  }

  retire(request: Contract.RetireRequest): Promise<Contract.RetireResult> {
    return this.#ask('retire', request);
  }

  archive(request: Contract.ArchiveRequest): Promise<Contract.ArchiveResult> {
    return this.#ask('archive', request);
  }

  usage(): Promise<Contract.Usage> {
    return this.#ask('usage');
  }

  close(): Promise<void> {
    this.#closing ??= this.#line.isUp ? this.#line.ask<void>(STORE, 'close', []) : Promise.resolve();
    return this.#closing;
  }

  async *#pieces(target: Target): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#closing !== undefined) throw closed();
        const piece = await this.#line.ask<Uint8Array | undefined>(target, 'next', []);
        if (piece === undefined) return;
        yield piece;
      }
    } finally {
      if (this.#closing === undefined) await this.#line.ask(STORE, 'forget', [target]);
    }
  }

  #ask<T>(method: keyof Contract.Store, ...args: readonly unknown[]): Promise<T> {
    return this.#closing === undefined ? this.#line.ask<T>(STORE, method, args) : Promise.reject(closed());
  }
}

/** Bytes of one output that may be on their way to the other thread: a producer need not wait for each answer. */
const WINDOW_BYTES = 1024 * 1024;

/** Keeps the rules of a writer on this side too, because `part` answers at once. */
class ThreadedWriter implements Contract.OutputWriter {
  readonly #line: Line;
  readonly #target: Target;
  readonly #drafting: Drafting;
  #onTheWay = 0;
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void)[] = [];

  constructor(line: Line, target: Target, draft: OutputDraft) {
    this.#line = line;
    this.#target = target;
    this.#drafting = new Drafting(draft);
  }

  part(spec: PartSpec): number {
    const index = this.#drafting.declare(spec);
    // The order of messages is the order of calls, so the part is declared there before any piece of it arrives; a thread that is
    // gone says so with the next piece.
    this.#line.ask(this.#target, 'part', [spec]).catch(() => undefined);
    return index;
  }

  async append(part: number, piece: Piece): Promise<void> {
    this.#drafting.accept(part, piece);
    this.#mustBeWell();
    const bytes = piece.bytes.slice();
    const size = bytes.length;
    this.#onTheWay += size;
    const arrived = (failure: { readonly error: unknown } | null) => {
      this.#onTheWay -= size;
      this.#failure ??= failure;
      for (const wake of this.#wake.splice(0)) wake();
    };
    this.#line.ask(this.#target, 'append', [part, { ...piece, bytes }], [bytes.buffer]).then(
      () => arrived(null),
      (error: unknown) => arrived({ error }),
    );
    while (this.#onTheWay > WINDOW_BYTES) await new Promise<void>((resolve) => this.#wake.push(resolve));
    this.#mustBeWell();
  }

  async seal(seal: Contract.Seal): Promise<Contract.SealResult> {
    this.#mustBeWell();
    this.#drafting.finish(seal);
    return this.#last<Contract.SealResult>('seal', [seal]);
  }

  async discard(): Promise<void> {
    this.#drafting.finish();
    await this.#last('discard', []);
  }

  #mustBeWell(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #last<T>(method: 'seal' | 'discard', args: readonly unknown[]): Promise<T> {
    try {
      const value = await this.#line.ask<T>(this.#target, method, args);
      await this.#line.ask(STORE, 'forget', [this.#target]);
      return value;
    } catch (error) {
      this.#drafting.reopen();
      throw error;
    }
  }
}
