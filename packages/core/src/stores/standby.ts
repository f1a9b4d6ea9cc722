/**
 * A store that cannot be written for a while: its disk is full, or it was made read-only. What a
 * conversation says then is held in memory, behind what is stored, and stored in the same order,
 * under the same ids, as soon as writing succeeds again. Invariants: nothing held is lost before it
 * is stored, except the content of the oldest outputs once they take more than `HELD_BYTES`; what
 * is stored is never stored twice; nothing of a session overtakes what was said before it.
 * Everything else goes to the store as it is.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import type * as Contract from '../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../model/summary.ts';
import { memoryStore } from './memory.ts';
import { HeldConversation } from './standby/conversation.ts';
import { copyOutput } from './standby/copy.ts';
import { cannotBeWritten } from './standby/failing.ts';
import { HeldOutputs } from './standby/outputs.ts';

/** What is not stored of a session, and why. */
export interface Unstored {
  readonly messages: number;
  readonly outputs: number;
  readonly summaries: number;
  /** In a few words; null where everything is stored. */
  readonly why: string | null;
}

type Wait = Contract.WaitOptions;
type Name = Pick<Contract.AddMessagesRequest, 'scope' | 'session'>;

/**
 * A store with what it could not take held in memory behind it. Made by Spillway; a history reads
 * through it.
 */
export class StandbyStore implements Contract.Store {
  readonly #store: Contract.Store;
  /** Takes outputs that the store does not take: see `hold`. */
  readonly memory: Contract.Store = memoryStore();
  readonly #outputs = new HeldOutputs(this.memory);
  readonly #conversations = new Map<string, HeldConversation>();
  /** What was sent of outputs that are stored, by output and audience. */
  readonly #projections = new Map<string, ProjectionRecord>();
  #restoring: Promise<void> | null = null;

  constructor(store: Contract.Store) {
    this.#store = store;
  }

  /**
   * Keeps an output that was recorded in `memory` because the store did not take it. `storable`: it
   * is stored later. `beforeDrop` is told of an output whose content has to go, while it can still
   * be read.
   */
  async hold(
    record: OutputRecord,
    why: string,
    storable: boolean,
    beforeDrop: (record: OutputRecord) => Promise<void>,
  ): Promise<void> {
    await this.#outputs.add(record, why, storable, beforeDrop);
  }

  standsFor(store: Contract.Store): boolean {
    return store === this.#store || store === this;
  }

  /** Why an output is not stored; null if it is, or is not known. */
  whyNotStored(id: ArtifactId): string | null {
    return this.#outputs.find(id)?.why ?? null;
  }

  /** What of a session is only held. */
  unstored(name: Name): Unstored {
    const held = this.#conversations.get(keyOf(name));
    const outputs = this.#outputs.ofSession(name);
    const why = held?.why ?? outputs[0]?.why ?? null;
    return {
      messages: held?.messages.length ?? 0,
      outputs: outputs.length,
      summaries: held?.summaries.length ?? 0,
      why,
    };
  }

  /** Stores what is held, as far as it can be. Never throws: what fails is tried again. */
  restore(): Promise<void> {
    if (this.#outputs.size + this.#conversations.size + this.#projections.size === 0)
      return Promise.resolve();
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = null;
    });
    return this.#restoring;
  }

  create(...args: Parameters<Contract.Store['create']>): Promise<Contract.OutputWriter> {
    return this.#store.create(...args);
  }

  /** Of a call that was made again while nothing could be stored, the latest is held. */
  async find(key: Contract.OutputKey, wait?: Wait): ReturnType<Contract.Store['find']> {
    return this.#outputs.match(key) ?? this.#store.find(key, wait);
  }

  read(id: ArtifactId, part: number, from: Contract.ReadFrom, wait?: Wait): Promise<Contract.Reading> {
    return this.#outputs.find(id) === undefined
      ? this.#store.read(id, part, from, wait)
      : this.#outputs.read(id, part, from, wait);
  }

  list(...args: Parameters<Contract.Store['list']>): ReturnType<Contract.Store['list']> {
    return this.#store.list(...args);
  }

  async freeze(
    record: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
    wait?: Wait,
  ): Promise<ProjectionRecord> {
    if (this.#outputs.find(record.output) !== undefined) return this.#outputs.freeze(record, mode);
    const key = projectionKey(record.output, record.audience);
    const held = this.#projections.get(key);
    if (held !== undefined && mode === 'first') return held;
    try {
      return await this.#store.freeze(record, mode, wait);
    } catch (error) {
      if (!cannotBeWritten(error, wait)) throw error;
      this.#projections.set(key, record);
      return record;
    }
  }

  async frozen(id: ArtifactId, audience: Audience, wait?: Wait): Promise<ProjectionRecord | undefined> {
    if (this.#outputs.find(id) !== undefined) return this.#outputs.frozen(id, audience);
    return this.#projections.get(projectionKey(id, audience)) ?? this.#store.frozen(id, audience, wait);
  }

  note(...args: Parameters<Contract.Store['note']>): Promise<void> {
    return this.#store.note(...args);
  }

  events(...args: Parameters<Contract.Store['events']>): ReturnType<Contract.Store['events']> {
    return this.#store.events(...args);
  }

  sessions(...args: Parameters<Contract.Store['sessions']>): ReturnType<Contract.Store['sessions']> {
    return this.#store.sessions(...args);
  }

  async addMessages(request: Contract.AddMessagesRequest, wait?: Wait): Promise<readonly MessageRecord[]> {
    await this.restore();
    const held = this.#conversations.get(keyOf(request));
    if (held !== undefined) return held.addMessages(request);
    try {
      return await this.#store.addMessages(request, wait);
    } catch (error) {
      if (!cannotBeWritten(error, wait)) throw error;
      return (await this.#conversation(request, error)).addMessages(request);
    }
  }

  async messages(query: Contract.MessageQuery, wait?: Wait): Promise<Contract.Page<MessageRecord>> {
    const page = await this.#store.messages(query, wait);
    return this.#conversations.get(keyOf(query))?.withHeld(page, query) ?? page;
  }

  async addSummary(draft: SummaryDraft, wait?: Wait): Promise<SummaryRecord> {
    await this.restore();
    const held = this.#conversations.get(keyOf(draft));
    if (held !== undefined) return held.addSummary(draft);
    try {
      return await this.#store.addSummary(draft, wait);
    } catch (error) {
      if (!cannotBeWritten(error, wait)) throw error;
      return (await this.#conversation(draft, error)).addSummary(draft);
    }
  }

  async summaries(query: Contract.SummaryQuery, wait?: Wait): Promise<Contract.Page<SummaryRecord>> {
    const page = await this.#store.summaries(query, wait);
    const held = this.#conversations.get(keyOf(query))?.summaries ?? [];
    if (held.length === 0 || query.after !== undefined) return page;
    return { ...page, items: [...held.toReversed(), ...page.items] };
  }

  async retire(request: Contract.RetireRequest, wait?: Wait): Promise<Contract.RetireResult> {
    wait?.signal?.throwIfAborted();
    if (request.preview !== true) {
      const { scope, session } = request;
      if (session !== undefined && request.ids === undefined)
        this.#conversations.delete(keyOf({ scope, session }));
      await this.#outputs.retire(request);
    }
    return this.#store.retire(request, wait);
  }

  archive(...args: Parameters<Contract.Store['archive']>): Promise<Contract.ArchiveResult> {
    return this.#store.archive(...args);
  }

  usage(query?: Contract.UsageQuery, wait?: Wait): Promise<Contract.Usage> {
    return this.#store.usage(query, wait);
  }

  /** Tries once more to store what is held. */
  async close(): Promise<void> {
    await this.restore();
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #conversation(name: Name, failure: unknown): Promise<HeldConversation> {
    const key = keyOf(name);
    const held = this.#conversations.get(key) ?? (await HeldConversation.begin(this.#store, name, failure));
    this.#conversations.set(key, this.#conversations.get(key) ?? held);
    return this.#conversations.get(key) ?? held;
  }

  /**
   * Outputs first, so that messages refer to what is there. What is refused for what it is is not
   * tried again.
   */
  async #restore(): Promise<void> {
    for (const { record } of this.#outputs.storable()) {
      const done = await this.#attempt(async () => {
        await copyOutput(this.#outputs, this.#store, record);
        await this.#outputs.release(record.id);
      });
      if (done === 'refused') this.#outputs.giveUp(record.id);
      if (done === 'later') break;
    }
    for (const [key, record] of this.#projections) {
      if ((await this.#attempt(() => this.#store.freeze(record))) === 'later') break;
      this.#projections.delete(key);
    }
    for (const [key, held] of this.#conversations)
      if (await held.store(this.#store)) this.#conversations.delete(key);
  }

  async #attempt(write: () => Promise<unknown>): Promise<'done' | 'refused' | 'later'> {
    try {
      await write();
      return 'done';
    } catch (error) {
      return cannotBeWritten(error) ? 'later' : 'refused';
    }
  }
}

function keyOf({ scope, session }: Name): string {
  return JSON.stringify([scope, session]);
}

function projectionKey(output: ArtifactId, audience: Audience): string {
  return `${output} ${audience}`;
}
