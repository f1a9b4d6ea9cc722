/**
 * Finds stored outputs by their handles and reads them: by pages, raw, in the order of arrival,
 * part by part. What somebody asked for by its handle is told to the ledger.
 */
import { SpillwayError } from '../model/errors.ts';
import type { FetchHint } from '../model/fetch.ts';
import type { Format } from '../model/format.ts';
import type { OutputName, OutputRecord } from '../model/output.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { ContentPart } from '../options.ts';
import type { FetchedPage } from '../retrieval/fetched.ts';
import { type ArrivedRun, interleaved } from '../retrieval/interleaved.ts';
import { readRaw } from '../retrieval/raw.ts';
import { parseRequest, type Want } from '../retrieval/request.ts';
import { sessionPage } from '../retrieval/session/page.ts';
import { parseSessionRequest } from '../retrieval/session/request.ts';
import { StoredParts } from '../retrieval/stored-parts.ts';
import { withSignal } from '../stores/with-signal.ts';
import { GET_ARTIFACT } from '../wording/get-artifact.ts';
import { REFUSED_OUTPUT } from '../wording/refused-fetches.ts';
import type { EventData, Ledger } from './ledger.ts';
import type { Pages } from './pages.ts';
import type { Policies } from './policies.ts';

export interface StoredOutputsOptions {
  readonly store: Store | null;
  readonly policies: Policies;
  readonly pages: Pages;
  readonly ledger: Ledger;
  readonly formats: readonly Format[];
  readonly hint: FetchHint;
}

/** Who asks for a page. */
export interface RetrieveOptions extends WaitOptions {
  /** The session whose messages can be searched and fetched. Without it only outputs are searched. */
  readonly session?: string | null;
}

export function noStore(): SpillwayError {
  return new SpillwayError('store_unavailable', REFUSED_OUTPUT.noStore);
}

export class StoredOutputs {
  readonly #options: StoredOutputsOptions;

  constructor(options: StoredOutputsOptions) {
    this.#options = options;
  }

  get store(): Store {
    const { store } = this.#options;
    if (store === null) throw noStore();
    return store;
  }

  /** The store for one call: what it reads ends with the signal of the call. */
  storeFor({ signal }: WaitOptions): Store {
    return withSignal(this.store, signal);
  }

  /** The output under a handle that still resolves. */
  async find({ scope, id }: OutputName, wait: WaitOptions = {}): Promise<OutputRecord> {
    wait.signal?.throwIfAborted();
    const found = await this.store.find({ scope, id }, wait);
    if (found === undefined) throw new SpillwayError('not_found', REFUSED_OUTPUT.notFound(id));
    if ('purgedAt' in found) throw new SpillwayError('gone', REFUSED_OUTPUT.purged(id));
    if (found.retiredAt !== undefined) throw new SpillwayError('gone', REFUSED_OUTPUT.retired(id));
    return found;
  }

  async page(
    args: unknown,
    scope: string,
    purpose: 'fetch' | 'survey',
    { session = null, ...wait }: RetrieveOptions,
  ): Promise<FetchedPage> {
    wait.signal?.throwIfAborted();
    const { policies, pages, formats, hint } = this.#options;
    const asked = parseSessionRequest(args);
    if (asked !== null) {
      const { pageLimit } = policies.of({ tool: GET_ARTIFACT.name, session: session ?? undefined }).policy;
      return sessionPage({ store: this.storeFor(wait), scope, session, hint, pageLimit }, asked);
    }
    const request = parseRequest(args, formats);
    const record = await this.find({ scope, id: request.id }, wait);
    const { pageLimit } = policies.of(record).policy;
    const page = await pages.fetch(this.storeFor(wait), record, request, pageLimit, wait);
    if (purpose === 'fetch')
      await this.#note(record, { chars: page.body.length, by: wayOf(request.want), ...rangeOf(page) });
    return page;
  }

  async raw(args: unknown, scope: string, wait: WaitOptions): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args, this.#options.formats);
    const record = await this.find({ scope, id: request.id }, wait);
    await this.#note(record, { by: 'raw' });
    return readRaw(this.storeFor(wait), record, request);
  }

  async interleaved(name: OutputName, wait: WaitOptions): Promise<AsyncIterable<ArrivedRun>> {
    const record = await this.find(name, wait);
    await this.#note(record, { by: 'interleaved' });
    return interleaved(this.storeFor(wait), record);
  }

  async *contents(
    record: OutputRecord,
    index: number | undefined,
    wait: WaitOptions,
  ): AsyncGenerator<ContentPart> {
    const parts = new StoredParts(this.storeFor(wait), record);
    for await (const stored of parts.content((known) => index === undefined || known.index === index)) {
      const reading = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
      yield { part: stored.part, bytes: reading.pieces };
    }
  }

  async #note(record: OutputRecord, data: EventData): Promise<void> {
    const { ledger } = this.#options;
    await ledger.note(ledger.event('fetched', record, record.id, data));
  }
}

/** By what a page was asked for: `lines`, `pattern`, `json_path` … */
function wayOf(want: Want): string {
  return want.kind === 'structure' ? want.address.argument : want.kind;
}

/** Which part of an output a page showed, for the ledger. */
function rangeOf({ part, lines, chars }: FetchedPage): EventData {
  return {
    part,
    ...(lines === null ? {} : { first_line: lines[0], last_line: lines[1] }),
    ...(chars === null ? {} : { first_char: chars[0], last_char: chars[1] }),
  };
}
