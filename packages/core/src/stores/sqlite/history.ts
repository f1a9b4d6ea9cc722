/** Messages and summaries in the file: which statement serves which method. */
import type { MessageRecord } from '../../model/message.ts';
import type * as Contract from '../../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../../model/summary.ts';
import type { Access } from './access.ts';
import { addMessages, addSummary, listMessages, listSummaries } from './messages.ts';

type Wait = Contract.WaitOptions;

export class SqliteHistory implements Contract.HistoryStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  addMessages(request: Contract.AddMessagesRequest, wait: Wait = {}): Promise<readonly MessageRecord[]> {
    return this.#access.write({ durable: true, run: (db) => addMessages(db, request) }, wait);
  }

  messages(query: Contract.MessageQuery, { signal }: Wait = {}): Promise<Contract.Page<MessageRecord>> {
    return this.#access.read((db) => listMessages(db, query), signal);
  }

  addSummary(draft: SummaryDraft, wait: Wait = {}): Promise<SummaryRecord> {
    return this.#access.write({ durable: true, run: (db) => addSummary(db, draft) }, wait);
  }

  summaries(query: Contract.SummaryQuery, { signal }: Wait = {}): Promise<Contract.Page<SummaryRecord>> {
    return this.#access.read((db) => listSummaries(db, query), signal);
  }
}
