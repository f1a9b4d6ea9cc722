/**
 * Messages and summaries of a session that could not be stored, behind the stored ones. Their
 * ordinals and versions assume that nobody else writes to the session meanwhile. Units: chars of
 * JSON.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { MessageDraft, MessageRecord } from '../../model/message.ts';
import type { AddMessagesRequest, MessageQuery, Page, Store, WaitOptions } from '../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../model/summary.ts';
import { numberMessages } from '../number-messages.ts';
import { summaryOutdated } from '../refusals.ts';
import { isAbort } from '../waiting.ts';

/** Held messages of one session; more is refused. */
const MOST_CHARS = 64 * 1024 * 1024;

type Name = Pick<AddMessagesRequest, 'scope' | 'session'>;

export class HeldConversation {
  readonly why: string;
  readonly #failure: unknown;
  readonly #name: Name;
  readonly #last: number;
  readonly #version: number;
  messages: readonly MessageRecord[] = [];
  summaries: readonly SummaryRecord[] = [];
  #chars = 0;

  private constructor(name: Name, failure: unknown, last: number, version: number) {
    this.#name = { scope: name.scope, session: name.session };
    this.#failure = failure;
    this.why = whyNot(failure);
    this.#last = last;
    this.#version = version;
  }

  static async begin(store: Store, { scope, session }: Name, failure: unknown): Promise<HeldConversation> {
    const newest = await store.messages({ scope, session, order: 'newest', limit: 1 });
    const latest = await store.summaries({ scope, session, limit: 1 });
    const last = newest.items[0]?.ordinal ?? 0;
    return new HeldConversation({ scope, session }, failure, last, latest.items[0]?.version ?? 0);
  }

  addMessages(request: AddMessagesRequest): readonly MessageRecord[] {
    const { records, added } = numberMessages(request, {
      last: this.#last + this.messages.length,
      find: (id) => this.messages.find((message) => message.id === id),
    });
    const chars = added.reduce((sum, record) => sum + JSON.stringify(record).length, 0);
    if (this.#chars + chars > MOST_CHARS) throw this.#tooMuch();
    this.#chars += chars;
    this.messages = [...this.messages, ...structuredClone(added)];
    return records;
  }

  withHeld(page: Page<MessageRecord>, query: MessageQuery): Page<MessageRecord> {
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

  async store(store: Store): Promise<boolean> {
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

  async #storeMessages(store: Store): Promise<void> {
    const batch = this.messages;
    if (batch.length === 0) return;
    const drafts = batch.map(({ scope: _, session: __, ordinal: ___, ...draft }) => draft);
    let stored: readonly MessageRecord[] = [];
    try {
      stored = await store.addMessages({ ...this.#name, messages: drafts });
    } catch (error) {
      if (cannotBeWritten(error)) throw error;
      await this.#storeEach(store, drafts);
    }
    this.messages = this.messages.slice(batch.length);
    // Another writer added messages: the held summary names wrong ordinals.
    if (batch.some(({ ordinal }, i) => ordinal !== stored[i]?.ordinal)) this.summaries = [];
  }

  /** Another message took one of the ids: the stored one stays. */
  async #storeEach(store: Store, drafts: readonly MessageDraft[]): Promise<void> {
    for (const draft of drafts) {
      try {
        await store.addMessages({ ...this.#name, messages: [draft] });
      } catch (error) {
        if (cannotBeWritten(error)) throw error;
      }
    }
  }

  #tooMuch(): SpillwayError {
    const advice = 'The messages of this session cannot be stored, and no more of them can be held in memory';
    return new SpillwayError('store_full', `${advice}: ${this.why}. Free some space, then go on.`, {
      cause: this.#failure,
    });
  }
}

/**
 * True only if the store cannot be written now; any other error is about the request, or an abort.
 */
export function cannotBeWritten(error: unknown, wait?: WaitOptions): boolean {
  if (isAbort(error, wait?.signal)) return false;
  if (!(error instanceof SpillwayError)) return true;
  return error.code === 'store_full' || error.code === 'store_unavailable';
}

function whyNot(error: unknown): string {
  const full = error instanceof SpillwayError && error.code === 'store_full';
  return full ? 'no room left in the store' : 'the store is not available';
}
