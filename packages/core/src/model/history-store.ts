/**
 * The part of a store that keeps conversations: messages and summaries of sessions. `History` needs
 * it; a store without it keeps outputs only.
 */
import type { MessageDraft, MessageRecord } from './message.ts';
import type { Page, Paged, WaitOptions } from './page.ts';
import type { SummaryDraft, SummaryRecord } from './summary.ts';

/** Where messages and summaries are kept. */
export interface HistoryStore {
  /**
   * Adds messages behind those that are there, all or none. One whose id is there already keeps its
   * ordinal.
   */
  addMessages(request: AddMessagesRequest, options?: WaitOptions): Promise<readonly MessageRecord[]>;
  /** Messages of a session, in their order. */
  messages(query: MessageQuery, options?: WaitOptions): Promise<Page<MessageRecord>>;
  /** Keeps the next version of a session's summary, unless another came first. */
  addSummary(draft: SummaryDraft, options?: WaitOptions): Promise<SummaryRecord>;
  /** Summaries of a session, the latest first. */
  summaries(query: SummaryQuery, options?: WaitOptions): Promise<Page<SummaryRecord>>;
}

/** Messages to be added to a session, in this order. */
export interface AddMessagesRequest {
  readonly scope: string;
  readonly session: string;
  readonly messages: readonly MessageDraft[];
}

/** Which messages to read. */
export interface MessageQuery extends Paged {
  readonly scope: string;
  readonly session: string;
  /** Oldest first unless told. */
  readonly order?: 'oldest' | 'newest';
  /** Only messages with a place above this. */
  readonly above?: number;
}

/** Which summaries to read. */
export interface SummaryQuery extends Paged {
  readonly scope: string;
  readonly session: string;
}
