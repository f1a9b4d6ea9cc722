/**
 * Holds in memory what a store cannot take for a while (full disk, read-only), behind what is
 * stored, and stores it later in the same order under the same ids. Invariants: nothing held is
 * lost, except the content of the oldest outputs beyond `HELD_BYTES`; nothing is stored twice;
 * nothing of a session overtakes what came before it.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import { type SessionName, type SummaryDraft, type SummaryRecord, sessionKey } from '../model/session.ts';
import type * as Contract from '../model/store.ts';
import { callStore, storeOf } from './assembling.ts';
import { copyOutput } from './copying.ts';
import { numberMessages } from './drafting.ts';
import { memoryStore } from './memory.ts';
import { summaryOutdated } from './refusals.ts';
import { isAbort } from './waiting.ts';

const HELD_BYTES = 32 * 1024 * 1024;
const MOST_OUTPUTS = 10_000;
/** Chars of JSON of the messages of one session; more is refused. */
const MOST_CHARS = 64 * 1024 * 1024;

/** What is not stored of a session, and why. */
export interface Unstored {
  /** Messages held in memory. */
  readonly messages: number;
  /** Outputs held in memory. */
  readonly outputs: number;
  /** Summaries held in memory. */
  readonly summaries: number;
  /** In a few words; null where everything is stored. */
  readonly why: string | null;
}

interface HeldOutput {
  readonly record: OutputRecord;
  readonly why: string;
  /** False if the store refused it for good. */
  storable: boolean;
  hasContent: boolean;
}

/** Holds in memory what a store could not take. Made by Spillway; a history reads through it. */
export class StandbyStore {
  /** The store with what is held behind it. */
  readonly store: Contract.Store;
  /** Takes outputs that the store does not take: see `hold`. */
  readonly memory: Contract.Store = memoryStore();
  readonly #stored: Contract.Store;
  readonly #outputs = new Map<ArtifactId, HeldOutput>();
  #bytes = 0;
  readonly #conversations = new Map<string, HeldConversation>();
  readonly #projections = new Map<string, ProjectionRecord>();
  #restoring: Promise<void> | null = null;

  constructor(stored: Contract.Store) {
    this.#stored = stored;
    const own: object = this.#methods();
    this.store = storeOf(
      (method, args, options) => callStore(method in own ? own : stored, method, args, options),
      async () => {
        await this.restore();
        await stored.close();
      },
    );
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
    this.#outputs.set(record.id, { record, why, storable, hasContent: true });
    this.#bytes += bytesOf(record);
    for (const held of this.#outputs.values()) {
      if (this.#bytes <= HELD_BYTES) break;
      if (!held.hasContent) continue;
      await beforeDrop(held.record);
      await this.#dropContent(held);
    }
    const [oldest] = this.#outputs.values();
    if (this.#outputs.size > MOST_OUTPUTS && oldest !== undefined) await this.#release(oldest);
  }

  /** Whether this is the store behind it, or the one it offers. */
  standsFor(store: Contract.Store): boolean {
    return store === this.#stored || store === this.store;
  }

  /** Why an output is not stored; null if it is, or is not known. */
  whyNotStored(id: ArtifactId): string | null {
    return this.#outputs.get(id)?.why ?? null;
  }

  /** What of a session is only held. */
  unstored(name: SessionName): Unstored {
    const held = this.#conversations.get(sessionKey(name));
    const outputs = this.#held(({ scope, session }) => scope === name.scope && session === name.session);
    return {
      messages: held?.messages.length ?? 0,
      outputs: outputs.length,
      summaries: held?.summaries.length ?? 0,
      why: held?.why ?? outputs[0]?.why ?? null,
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

  #methods(): Partial<Contract.Store> {
    const stored = this.#stored;
    return {
      find: async (key, wait) => {
        const [latest] = this.#held(
          ({ id, scope, session, callId }) =>
            scope === key.scope &&
            ('id' in key ? id === key.id : session === key.session && callId === key.callId),
        ).reverse();
        return latest?.record ?? stored.find(key, wait);
      },
      read: async (id, part, from, wait) => {
        const held = this.#outputs.get(id);
        if (held?.hasContent === false)
          throw new SpillwayError(
            'corrupt',
            `The output ${id} was not stored, and there was no room to hold it.`,
          );
        return (held === undefined ? stored : this.memory).read(id, part, from, wait);
      },
      freeze: async (record, mode = 'first', wait) => {
        const key = `${record.output} ${record.audience}`;
        const held = this.#projections.get(key);
        if (held !== undefined && mode === 'first') return held;
        try {
          if (!this.#outputs.has(record.output)) return await stored.freeze(record, mode, wait);
        } catch (error) {
          if (!cannotBeWritten(error, wait)) throw error;
        }
        this.#projections.set(key, record);
        return record;
      },
      frozen: async (id, audience, wait) => {
        const held = this.#projections.get(`${id} ${audience}`);
        return held ?? (this.#outputs.has(id) ? undefined : stored.frozen(id, audience, wait));
      },
      addMessages: (request, wait) =>
        this.#say(
          request,
          () => stored.addMessages(request, wait),
          (held) => held.addMessages(request),
          wait,
        ),
      messages: async (query, wait) => {
        const page = await stored.messages(query, wait);
        return this.#conversations.get(sessionKey(query))?.withHeld(page, query) ?? page;
      },
      addSummary: (draft, wait) =>
        this.#say(
          draft,
          () => stored.addSummary(draft, wait),
          (held) => held.addSummary(draft),
          wait,
        ),
      summaries: async (query, wait) => {
        const page = await stored.summaries(query, wait);
        const held = this.#conversations.get(sessionKey(query))?.summaries ?? [];
        if (held.length === 0 || query.after !== undefined) return page;
        return { ...page, items: [...held.toReversed(), ...page.items] };
      },
      retire: async (request, wait) => {
        if (request.preview !== true) await this.#forget(request);
        return stored.retire(request, wait);
      },
    };
  }

  async #say<T>(
    name: SessionName,
    store: () => Promise<T>,
    hold: (held: HeldConversation) => T,
    wait: Contract.WaitOptions | undefined,
  ): Promise<T> {
    await this.restore();
    const key = sessionKey(name);
    const held = this.#conversations.get(key);
    if (held !== undefined) return hold(held);
    try {
      return await store();
    } catch (error) {
      if (!cannotBeWritten(error, wait)) throw error;
      const begun = await HeldConversation.begin(this.#stored, name, error);
      const now = this.#conversations.get(key) ?? begun;
      this.#conversations.set(key, now);
      return hold(now);
    }
  }

  /** Forgets what a request means, as far as it names it by session or handle. */
  async #forget({ scope, session, ids, how }: Contract.RetireRequest): Promise<void> {
    if (session === undefined && (how !== 'purge' || ids === undefined)) return;
    if (session !== undefined && ids === undefined)
      this.#conversations.delete(sessionKey({ scope, session }));
    const meant = this.#held(
      (record) =>
        record.scope === scope &&
        (session === undefined || record.session === session) &&
        (ids === undefined || ids.includes(record.id)),
    );
    for (const held of meant) {
      await this.#release(held);
      for (const key of this.#projectionsOf(held.record.id)) this.#projections.delete(key);
    }
  }

  /**
   * Outputs first, so that messages refer to existing ones. What the store refuses for good is not
   * retried.
   */
  async #restore(): Promise<void> {
    for (const held of this.#outputs.values()) {
      if (!held.storable || !held.hasContent) continue;
      const done = await this.#attempt(() => this.#storeOutput(held));
      if (done === 'refused') held.storable = false;
      if (done === 'later') break;
    }
    for (const [key, record] of this.#projections) {
      if (this.#outputs.has(record.output)) continue;
      if ((await this.#attempt(() => this.#stored.freeze(record))) === 'later') break;
      this.#projections.delete(key);
    }
    for (const [key, held] of this.#conversations)
      if (await held.store(this.#stored)) this.#conversations.delete(key);
  }

  async #attempt(write: () => Promise<unknown>): Promise<'done' | 'refused' | 'later'> {
    try {
      await write();
      return 'done';
    } catch (error) {
      return cannotBeWritten(error) ? 'later' : 'refused';
    }
  }

  async #storeOutput(held: HeldOutput): Promise<void> {
    const { id, scope, session } = held.record;
    const keys = this.#projectionsOf(id);
    const projections = keys.flatMap((key) => this.#projections.get(key) ?? []);
    await copyOutput(this.memory, this.#stored, held.record, { scope, session }, projections);
    for (const key of keys) this.#projections.delete(key);
    await this.#release(held);
  }

  #projectionsOf(id: ArtifactId): string[] {
    return [...this.#projections].flatMap(([key, { output }]) => (output === id ? [key] : []));
  }

  #held(isMeant: (record: OutputRecord) => boolean): HeldOutput[] {
    return [...this.#outputs.values()].filter(({ record }) => isMeant(record));
  }

  async #release(held: HeldOutput): Promise<void> {
    await this.#dropContent(held);
    this.#outputs.delete(held.record.id);
  }

  async #dropContent(held: HeldOutput): Promise<void> {
    if (!held.hasContent) return;
    held.hasContent = false;
    this.#bytes -= bytesOf(held.record);
    const { scope, id } = held.record;
    await this.memory.retire({ how: 'purge', scope, ids: [id], at: Date.now() });
  }
}

/**
 * Messages and summaries of a session that could not be stored, behind the stored ones. Their
 * ordinals and versions assume that no other process writes to the session meanwhile.
 */
class HeldConversation {
  readonly #name: SessionName;
  readonly #failure: unknown;
  readonly #last: number;
  readonly #version: number;
  messages: readonly MessageRecord[] = [];
  summaries: readonly SummaryRecord[] = [];
  #chars = 0;

  private constructor(name: SessionName, failure: unknown, last: number, version: number) {
    this.#name = name;
    this.#failure = failure;
    this.#last = last;
    this.#version = version;
  }

  static async begin(
    store: Contract.Store,
    { scope, session }: SessionName,
    failure: unknown,
  ): Promise<HeldConversation> {
    const name = { scope, session };
    const newest = await store.messages({ ...name, order: 'newest', limit: 1 });
    const latest = await store.summaries({ ...name, limit: 1 });
    return new HeldConversation(name, failure, newest.items[0]?.ordinal ?? 0, latest.items[0]?.version ?? 0);
  }

  get why(): string {
    const isFull = this.#failure instanceof SpillwayError && this.#failure.code === 'store_full';
    return isFull ? 'no room left in the store' : 'the store is not available';
  }

  addMessages(request: Contract.AddMessagesRequest): readonly MessageRecord[] {
    const { records, added } = numberMessages(request, {
      last: this.#last + this.messages.length,
      find: (id) => this.messages.find((message) => message.id === id),
    });
    const chars = this.#chars + JSON.stringify(added).length;
    if (chars > MOST_CHARS)
      throw new SpillwayError(
        'store_full',
        `The messages of this session cannot be stored, and no more of them can be held in memory: ${this.why}. Free some space, then go on.`,
        { cause: this.#failure },
      );
    this.#chars = chars;
    this.messages = [...this.messages, ...structuredClone(added)];
    return records;
  }

  withHeld(page: Contract.Page<MessageRecord>, query: Contract.MessageQuery): Contract.Page<MessageRecord> {
    const held = this.messages.filter(({ ordinal }) => ordinal > (query.above ?? 0));
    if (query.order === 'newest') {
      if (query.after !== undefined) return page;
      return { ...page, items: [...held.toReversed(), ...page.items].slice(0, query.limit ?? 100) };
    }
    return page.next === undefined ? { items: [...page.items, ...held] } : page;
  }

  addSummary(draft: SummaryDraft): SummaryRecord {
    const latest = this.#version + this.summaries.length;
    if (draft.parent !== latest) throw summaryOutdated(latest);
    const record = structuredClone({ ...draft, version: latest + 1 });
    this.summaries = [...this.summaries, record];
    return record;
  }

  /** Whether all of it is stored. */
  async store(store: Contract.Store): Promise<boolean> {
    try {
      await this.#storeMessages(store);
      for (const { version: _, ...draft } of this.summaries) {
        await store.addSummary(draft);
        this.summaries = this.summaries.slice(1);
      }
    } catch (error) {
      if (cannotBeWritten(error)) return false;
      // Another writer summarised the session: the held summary is out of date.
      this.summaries = [];
    }
    return this.messages.length === 0;
  }

  async #storeMessages(store: Contract.Store): Promise<void> {
    const batch = this.messages;
    if (batch.length === 0) return;
    const drafts = batch.map(({ scope: _, session: __, ordinal: ___, ...draft }) => draft);
    const add = (messages: typeof drafts) =>
      store.addMessages({ ...this.#name, messages }).catch((error: unknown) => {
        if (cannotBeWritten(error)) throw error;
        return [];
      });
    const stored = await add(drafts);
    // Another message took one of the ids: the stored one stays.
    if (stored.length === 0) for (const draft of drafts) await add([draft]);
    this.messages = this.messages.slice(batch.length);
    // Another writer added messages: the held summary names wrong ordinals.
    if (batch.some(({ ordinal }, i) => ordinal !== stored[i]?.ordinal)) this.summaries = [];
  }
}

/**
 * True only if the store cannot be written now; any other error is about the request, or an abort.
 */
function cannotBeWritten(error: unknown, wait?: Contract.WaitOptions): boolean {
  if (isAbort(error, wait?.signal)) return false;
  if (!(error instanceof SpillwayError)) return true;
  return error.code === 'store_full' || error.code === 'store_unavailable';
}

function bytesOf({ parts }: OutputRecord): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
