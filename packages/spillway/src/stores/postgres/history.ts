/** Messages and summaries on the server: which statement serves which method. */
import type {
  AddMessagesRequest,
  HistoryStore,
  MessageQuery,
  MessageRecord,
  Page,
  SummaryDraft,
  SummaryQuery,
  SummaryRecord,
  WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { addMessages, addSummary, listMessages, listSummaries } from './messages.ts';

export class PostgresHistory implements HistoryStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  addMessages(request: AddMessagesRequest, wait: WaitOptions = {}): Promise<readonly MessageRecord[]> {
    return this.#access.write((db) => addMessages(db, request), wait);
  }

  messages(query: MessageQuery, { signal }: WaitOptions = {}): Promise<Page<MessageRecord>> {
    return this.#access.read((db) => listMessages(db, query), signal);
  }

  addSummary(draft: SummaryDraft, wait: WaitOptions = {}): Promise<SummaryRecord> {
    return this.#access.write((db) => addSummary(db, draft), wait);
  }

  summaries(query: SummaryQuery, { signal }: WaitOptions = {}): Promise<Page<SummaryRecord>> {
    return this.#access.read((db) => listSummaries(db, query), signal);
  }
}
