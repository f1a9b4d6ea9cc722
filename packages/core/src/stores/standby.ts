/**
 * Holds in memory what a store cannot take for a while (full disk, read-only), behind what is
 * stored, and stores it later in the same order under the same ids. Invariants: nothing held is
 * lost, except the content of the oldest outputs beyond `HELD_BYTES`; nothing is stored twice;
 * nothing of a session overtakes what came before it.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartTotals } from '../model/part.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import type * as Contract from '../model/store.ts';
import { PieceCutter } from '../text/pieces.ts';
import { callStore, storeOf } from './assembling.ts';
import { memoryStore } from './memory.ts';
import { cannotBeWritten, HeldConversation } from './standby/conversation.ts';
import { HeldOutputs } from './standby/outputs.ts';

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

type Name = Pick<Contract.AddMessagesRequest, 'scope' | 'session'>;

/** Holds in memory what a store could not take. Made by Spillway; a history reads through it. */
export class StandbyStore {
  /** The store with what is held behind it. */
  readonly store: Contract.Store;
  /** Takes outputs that the store does not take: see `hold`. */
  readonly memory: Contract.Store = memoryStore();
  readonly #stored: Contract.Store;
  readonly #outputs = new HeldOutputs(this.memory);
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
    await this.#outputs.add(record, why, storable, beforeDrop);
  }

  /** Whether this is the store behind it, or the one it offers. */
  standsFor(store: Contract.Store): boolean {
    return store === this.#stored || store === this.store;
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

  #methods(): Partial<Contract.Store> {
    const stored = this.#stored;
    return {
      find: async (key, wait) => this.#outputs.match(key) ?? stored.find(key, wait),
      read: async (id, part, from, wait) =>
        (this.#outputs.find(id) === undefined ? stored : this.#outputs).read(id, part, from, wait),
      freeze: async (record, mode = 'first', wait) => {
        const key = projectionKey(record.output, record.audience);
        const held = this.#projections.get(key);
        if (held !== undefined && mode === 'first') return held;
        try {
          if (this.#outputs.find(record.output) === undefined) return await stored.freeze(record, mode, wait);
        } catch (error) {
          if (!cannotBeWritten(error, wait)) throw error;
        }
        this.#projections.set(key, record);
        return record;
      },
      frozen: async (id, audience, wait) => {
        const held = this.#projections.get(projectionKey(id, audience));
        return held ?? (this.#outputs.find(id) === undefined ? stored.frozen(id, audience, wait) : undefined);
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
        return this.#conversations.get(keyOf(query))?.withHeld(page, query) ?? page;
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
        const held = this.#conversations.get(keyOf(query))?.summaries ?? [];
        if (held.length === 0 || query.after !== undefined) return page;
        return { ...page, items: [...held.toReversed(), ...page.items] };
      },
      retire: async (request, wait) => {
        if (request.preview !== true) {
          const { scope, session } = request;
          if (session !== undefined && request.ids === undefined)
            this.#conversations.delete(keyOf({ scope, session }));
          for (const id of await this.#outputs.retire(request)) this.#forgetProjections(id);
        }
        return stored.retire(request, wait);
      },
    };
  }

  async #say<T>(
    name: Name,
    store: () => Promise<T>,
    hold: (held: HeldConversation) => T,
    wait: Contract.WaitOptions | undefined,
  ): Promise<T> {
    await this.restore();
    const key = keyOf(name);
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

  /**
   * Outputs first, so that messages refer to existing ones. What the store refuses for good is not
   * retried.
   */
  async #restore(): Promise<void> {
    for (const { record } of this.#outputs.storable()) {
      const done = await this.#attempt(async () => {
        await this.#store(record);
        await this.#outputs.release(record.id);
      });
      if (done === 'refused') this.#outputs.giveUp(record.id);
      if (done === 'later') break;
    }
    for (const [key, record] of this.#projections) {
      if (this.#outputs.find(record.output) !== undefined) continue;
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

  /** Copies an output with its handle, bytes (checked against their hashes) and projections. */
  async #store(record: OutputRecord): Promise<void> {
    const { id, tool, callId, session, scope, startedAt } = record;
    const draft = { id, tool, session, scope, startedAt, ...(callId === undefined ? {} : { callId }) };
    const writer = await this.#stored.create(draft);
    try {
      const parts = await this.#copyParts(writer, record);
      const { outcome, complete, sourceTruncated, endedAt, summary } = record;
      const projection = this.#projections.get(projectionKey(id, 'model'));
      const sent = projection === undefined ? {} : { projection };
      await writer.seal({ outcome, complete, sourceTruncated, endedAt, summary, parts, ...sent });
      this.#forgetProjections(id);
    } catch (error) {
      // The first failure is the reason to report.
      await writer.discard().catch(() => undefined);
      throw error;
    }
  }

  async #copyParts(writer: Contract.OutputWriter, record: OutputRecord): Promise<readonly PartTotals[]> {
    const totals: PartTotals[] = [];
    for (const part of record.parts) {
      const { index: _, bytes, chars, lines, illFormed, hash, notes, ...spec } = part;
      writer.part(spec);
      totals.push({ bytes, chars, lines, illFormed, hash, notes });
    }
    for (const { index, kind, hash, notes } of record.parts) {
      const cutter = new PieceCutter(kind);
      for await (const bytes of (await this.#outputs.read(record.id, index, { bytes: 0 })).pieces)
        for (const piece of cutter.push(bytes)) await writer.append(index, piece);
      for (const piece of cutter.finish()) await writer.append(index, piece);
      if (cutter.totals(notes).hash !== hash)
        throw new SpillwayError('corrupt', 'The bytes of an output that was held in memory have changed.');
    }
    return totals;
  }

  #forgetProjections(id: ArtifactId): void {
    for (const audience of ['model', 'transport', 'screen'] as const)
      this.#projections.delete(projectionKey(id, audience));
  }
}

function keyOf({ scope, session }: Name): string {
  return JSON.stringify([scope, session]);
}

function projectionKey(output: ArtifactId, audience: Audience): string {
  return `${output} ${audience}`;
}
