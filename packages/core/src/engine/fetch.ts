/**
 * Finds stored outputs by handle and reads them: by page, raw, in order of arrival, or by part.
 * Fetches by handle are noted in the ledger.
 */
import { SpillwayError } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import { NOTHING } from '../model/extent.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputName, OutputRecord } from '../model/output.ts';
import type { WaitOptions } from '../model/store.ts';
import type { ContentPart } from '../options.ts';
import type { FetchedPage } from '../retrieval/fetched.ts';
import { type ArrivedRun, interleaved } from '../retrieval/interleaved.ts';
import { readRaw } from '../retrieval/page.ts';
import { parseRequest, type Want } from '../retrieval/request.ts';
import { retrieve } from '../retrieval/retrieve.ts';
import { parseSessionRequest, sessionPage } from '../retrieval/session/page.ts';
import { StoredParts } from '../retrieval/stored-parts.ts';
import { storedPieces } from '../text/pieces.ts';
import { RowStream } from '../vocabulary/found-lines.ts';
import { isError } from '../vocabulary/verdict.ts';
import { standardVocabulary } from '../vocabulary/vocabulary.ts';
import { GET_ARTIFACT } from '../wording/get-artifact.ts';
import { REFUSED_OUTPUT } from '../wording/refused-fetches.ts';
import type { Projector } from './project.ts';
import { type Setup, storeFor } from './setup.ts';

/** Who asks for a page. */
export interface RetrieveOptions extends WaitOptions {
  /** The session whose messages can be searched and fetched. Without it only outputs are searched. */
  readonly session?: string | null;
}

type EventData = NonNullable<LedgerEvent['data']>;

/** Why bytes are streamed: a `survey`, or a person who looks, is not noted in the ledger. */
export interface StreamOptions extends WaitOptions {
  /** Default: `fetch`. */
  readonly purpose?: 'fetch' | 'survey';
}

export class Fetcher {
  readonly #setup: Setup;
  readonly #projector: Projector;

  constructor(setup: Setup, projector: Projector) {
    this.#setup = setup;
    this.#projector = projector;
  }

  /** Refuses retired handles. */
  async find({ scope, id }: OutputName, wait: WaitOptions = {}): Promise<OutputRecord> {
    wait.signal?.throwIfAborted();
    const found = await storeFor(this.#setup).find({ scope, id }, wait);
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
    const { formats, hint } = this.#setup;
    const store = storeFor(this.#setup, wait);
    const asked = parseSessionRequest(args);
    if (asked !== null) {
      const named = { tool: GET_ARTIFACT.name, session: session ?? undefined };
      const { pageLimit } = this.#projector.policyOf(named).policy;
      const shown = (message: MessageRecord) =>
        this.#projector.withoutSecrets(message, message.session, 'read');
      return sessionPage({ store, scope, session, hint, pageLimit, shown }, asked);
    }
    const request = parseRequest(args, formats);
    const record = await this.find({ scope, id: request.id }, wait);
    const { pageLimit } = this.#projector.policyOf(record).policy;
    const page = await retrieve({ ...this.#setup, store, pageLimit, ...wait }, record, request);
    if (purpose === 'fetch')
      await this.#note(record, { chars: page.body.length, by: wayOf(request.want), ...rangeOf(page) });
    return page;
  }

  async raw(
    args: unknown,
    scope: string,
    { purpose, ...wait }: StreamOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args, this.#setup.formats);
    const record = await this.find({ scope, id: request.id }, wait);
    if (purpose !== 'survey') await this.#note(record, { by: 'raw' });
    return readRaw(storeFor(this.#setup, wait), record, request);
  }

  async interleaved(
    name: OutputName,
    { purpose, ...wait }: StreamOptions,
  ): Promise<AsyncIterable<ArrivedRun>> {
    const record = await this.find(name, wait);
    if (purpose !== 'survey') await this.#note(record, { by: 'interleaved' });
    return interleaved(storeFor(this.#setup, wait), record);
  }

  async *contents(
    record: OutputRecord,
    index: number | undefined,
    wait: WaitOptions,
  ): AsyncGenerator<ContentPart> {
    const parts = new StoredParts(storeFor(this.#setup, wait), record);
    for await (const stored of parts.content((known) => index === undefined || known.index === index)) {
      yield { part: stored.part, bytes: parts.open(stored).from(0) };
    }
  }

  /**
   * The first line of a stored output that reports an error: the text parts in order, and stderr
   * before any other. Null if there is none and the outcome is `ok`; a failed output falls back to
   * its opening line.
   */
  async firstError(record: OutputRecord, wait: WaitOptions): Promise<string | null> {
    let first: string | null = null;
    let opening: string | null = null;
    for await (const content of this.contents(record, undefined, wait)) {
      const { kind, name } = content.part;
      const isStderr = name === 'stderr' || name === 'error';
      if (kind === 'binary' || (first !== null && !isStderr)) continue;
      const found = await firstErrorOf(content);
      if (found.error !== null && isStderr) return found.error;
      first ??= found.error;
      opening = isStderr ? (found.opening ?? opening) : (opening ?? found.opening);
    }
    return first ?? (record.outcome.status === 'ok' ? null : opening);
  }

  async #note(record: OutputRecord, data: EventData): Promise<void> {
    const { ledger } = this.#setup;
    await ledger.note(ledger.event('fetched', record, record.id, data));
  }
}

function wayOf(want: Want): string {
  return want.kind === 'structure' ? want.address.argument : want.kind;
}

function rangeOf({ part, lines, chars }: FetchedPage): EventData {
  return {
    part,
    ...(lines === null ? {} : { first_line: lines[0], last_line: lines[1] }),
    ...(chars === null ? {} : { first_char: chars[0], last_char: chars[1] }),
  };
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARS = 200;
/** A line labelled as an error counts, whatever else it says. */
const LABELLED =
  /^\W{0,4}(?:[\dTZ:.,/+-]+\s+){0,2}[[(]?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b[\])]?\s*[:|-]/;

interface FirstLines {
  error: string | null;
  opening: string | null;
}

async function firstErrorOf({ bytes }: ContentPart): Promise<FirstLines> {
  const found: FirstLines = { error: null, opening: null };
  const feed = new RowStream(standardVocabulary(), (row, { table, judge }) => {
    const isCued = judge.isCued(row);
    if (found.error !== null || (!isCued && found.opening !== null)) return;
    const text = table.textOf(row);
    if (text.trim() === '') return;
    found.opening ??= oneLine(text);
    const verdict = judge.of(row, true);
    if (LABELLED.test(text) || isError(judge.weight[verdict] as number, judge.flags[verdict] as number))
      found.error = oneLine(text);
  });
  for await (const piece of storedPieces(NOTHING, bytes)) {
    feed.push(piece);
    if (found.error !== null || piece.start.bytes > MOST_BYTES) break;
  }
  if (found.error === null) feed.finish();
  return found;
}

function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  return line.length <= MOST_CHARS ? line : `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…`;
}
