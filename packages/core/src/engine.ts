/**
 * The whole path: capture → project → retrieve → explain. Each step has its file in engine/; this
 * one puts them together. Clock, randomness and the store are given; nothing here is global.
 */
import type { NotProjected, ToolResult } from './capture/result.ts';
import { fetchedData, firstErrorIn, type RetrieveOptions, type StreamOptions } from './engine/fetch.ts';
import { Projector, type TogetherOptions } from './engine/project.ts';
import { Recorder } from './engine/record.ts';
import { type Setup, setUp, storeFor } from './engine/setup.ts';
import { Upkeep } from './engine/upkeep.ts';
import type { ArtifactId } from './model/artifact.ts';
import { SpillwayError } from './model/errors.ts';
import type { LedgerEvent } from './model/events.ts';
import type { ToolDefinition } from './model/fetch.ts';
import type { MessageRecord } from './model/message.ts';
import type { Call, OutputName, OutputRecord } from './model/output.ts';
import type { SettingsInput } from './model/policy.ts';
import type { Projection, ProjectionRecord } from './model/projection.ts';
import type { RetireRequest, RetireResult, Store, WaitOptions } from './model/store.ts';
import type {
  BatchItem,
  ContentPart,
  OpenCapture,
  Processed,
  ProcessOptions,
  ProjectOptions,
  RecordedOutput,
  SpillwayOptions,
} from './options.ts';
import { type ContextWindow, checkWindow } from './policy/adaptive.ts';
import type { Settings } from './policy/levels.ts';
import type { Effective } from './policy/resolve.ts';
import type { PartReasons } from './projection/project.ts';
import type { FetchedPage } from './retrieval/fetched.ts';
import { type ArrivedRun, interleaved } from './retrieval/interleaved.ts';
import { readRaw } from './retrieval/page.ts';
import { parseRequest } from './retrieval/request.ts';
import { retrieve } from './retrieval/retrieve.ts';
import { parseSessionRequest, sessionPage } from './retrieval/session/page.ts';
import { StoredParts } from './retrieval/stored-parts.ts';
import { untilAborted } from './text/abortable.ts';
import type { OwnPatterns } from './vocabulary/vocabulary.ts';
import { GET_ARTIFACT, getArtifactTool } from './wording/get-artifact.ts';
import { type ParsedProjection, parseProjection } from './wording/parse-projection.ts';
import { REFUSED_OUTPUT } from './wording/refused-fetches.ts';

/** What a Spillway is put together from, for what stands beside it in engine/. */
export let partsOf: (spillway: Spillway) => SpillwayParts;

interface SpillwayParts {
  readonly setup: Setup;
  readonly projector: Projector;
  readonly recorder: Recorder;
}

/** The tool-output layer: everything a tool said goes in, what a model can read comes out. */
export class Spillway {
  static {
    partsOf = (spillway) => ({
      setup: spillway.#setup,
      projector: spillway.#projector,
      recorder: spillway.#recorder,
    });
  }

  readonly #setup: Setup;
  readonly #projector: Projector;
  readonly #recorder: Recorder;
  readonly #upkeep: Upkeep;

  /** The tool `get_artifact` with the arguments of added formats; `retrieve` answers it. */
  readonly definition: ToolDefinition;

  constructor(options: SpillwayOptions) {
    const setup = setUp(options);
    this.#setup = setup;
    this.#projector = new Projector(setup);
    this.#upkeep = new Upkeep(setup);
    this.#recorder = new Recorder(setup, this.#projector, (scope) =>
      setup.hasUpkeep ? this.#upkeep.lookAfter(scope) : undefined,
    );
    this.definition = getArtifactTool(
      setup.formats.flatMap(({ address }) => address ?? []),
      { patterns: setup.patterns !== null, paths: setup.paths !== null },
    );
  }

  /** Replaces the patterns of lines that tell of an error or a warning, from the next output on. */
  setOwnPatterns(own: OwnPatterns): void {
    this.#projector.own = own;
  }

  /**
   * The settings of this installation. A valid change applies to the next call; an invalid one
   * throws and changes nothing.
   */
  get settings(): Settings {
    return this.#projector.settings;
  }

  /** Gives a session settings of its own, above those of its tools; null takes them away. */
  configureSession(session: string, settings: SettingsInput | null): void {
    this.#projector.configureSession(session, settings);
  }

  /** The policy that a call would have, and where each field comes from. */
  explain(
    tool: string,
    { session, policy }: { readonly session?: string; readonly policy?: SettingsInput } = {},
  ): Effective {
    return this.#projector.policyOf({ tool, session }, policy);
  }

  /** Records a result, then projects it. */
  async process<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: ProcessOptions = {},
  ): Promise<Processed> {
    checkWindow(options.window);
    const closed = await this.#recorder.take(call, result, options, options.audience ?? 'model');
    return this.#recorder.answer(closed, options.window);
  }

  /**
   * Records results that are read together; what the window has room for is shared over them by
   * need. Answers come in order.
   */
  async processBatch(
    items: readonly BatchItem[],
    { window, ...wait }: WaitOptions & { readonly window?: ContextWindow } = {},
  ): Promise<Processed[]> {
    checkWindow(window);
    const all = window === undefined ? wait : { ...wait, window };
    const closed = await Promise.all(
      items.map(({ call, result, options = {} }) =>
        this.#recorder.take(call, result, { ...all, ...options }, options.audience ?? 'model'),
      ),
    );
    return this.#recorder.answerAll(closed, window);
  }

  /**
   * Begins a capture that is fed piece by piece. Once the signal is aborted nothing more is taken,
   * and `finish` keeps what had arrived.
   */
  async open(
    call: Call,
    options: Omit<ProcessOptions, 'outcome' | 'sourceTruncated'> = {},
  ): Promise<OpenCapture> {
    checkWindow(options.window);
    return this.#recorder.open(call, options);
  }

  /**
   * Records a result and projects nothing: for hosts that keep a history and project what they
   * send. `not_stored` if it cannot be kept.
   */
  async record<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated' | 'policy' | 'signal'> = {},
  ): Promise<RecordedOutput> {
    const closed = await this.#recorder.take(call, result, options, null);
    const sealed = await this.#recorder.keep(closed);
    return 'failure' in closed ? { ...sealed, failure: closed.failure } : sealed;
  }

  /** The projection of a stored output: the frozen one, or one made now and frozen. */
  async project(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#projector.first(await this.#find(name, options), options)).projection;
  }

  /** A new projection in place of the frozen one. */
  async reproject(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#projector.again(await this.#find(name, options), options)).projection;
  }

  /** What the projection would be under these settings. Freezes nothing. */
  async preview(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#projector.preview(await this.#find(name, options), options)).projection;
  }

  /** Why a projection under these settings shows what it shows, by part. Freezes nothing. */
  async reasons(name: OutputName, options: ProjectOptions = {}): Promise<readonly PartReasons[]> {
    return (await this.#projector.preview(await this.#find(name, options), options)).reasons;
  }

  /**
   * What stored outputs would look like that are read together: what the window has room for is
   * shared over them by need, at least 1,000 chars each, or as little as there can be with the
   * `lowest` floor. Freezes nothing; `freeze` keeps what was really sent.
   */
  async projectTogether(
    records: readonly OutputRecord[],
    options: TogetherOptions = {},
  ): Promise<ProjectionRecord[]> {
    checkWindow(options.window);
    return this.#projector.together(records, options);
  }

  /** Keeps what an audience was sent of an output, unless it was sent something before. */
  async freeze(
    output: OutputRecord,
    projection: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
    wait: WaitOptions = {},
  ): Promise<ProjectionRecord> {
    return this.#projector.freeze(output, projection, mode, wait);
  }

  /**
   * What a projection says about itself, read back from its text; null if it is not one. A tool can
   * print a notice of ours: it is believed only with the handle that belongs to the output.
   * `artifactId` is that handle (`metadata.artifact_id`). Without it, only handles count that this
   * Spillway told itself, with the total it told.
   */
  parse(text: string, artifactId?: ArtifactId): ParsedProjection | null {
    for (const dialect of this.#setup.dialects) {
      const parsed = parseProjection(text, dialect, artifactId);
      if (parsed === null || parsed.gaps.length === 0) continue;
      if (artifactId !== undefined || this.#projector.hasShown(parsed)) return parsed;
    }
    return null;
  }

  /** The store that outputs are kept in. Throws `store_unavailable` where nothing is stored. */
  get store(): Store {
    return storeFor(this.#setup);
  }

  /** Tokens of a text, as budgets count them. */
  countTokens(text: string): number {
    return this.#setup.tokens(text);
  }

  /**
   * One page of a stored output, what a `search` finds in the scope, or messages of `session`.
   * `args` are those of the tool `get_artifact`: untrusted. A `survey` goes through outputs that no
   * model asked for by name, or is a person's look; it is not noted in the ledger.
   */
  async retrieve(
    args: unknown,
    scope: string,
    purpose: 'fetch' | 'survey' = 'fetch',
    { session = null, ...wait }: RetrieveOptions = {},
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
    const record = await this.#find({ scope, id: request.id }, wait);
    const { pageLimit } = this.#projector.policyOf(record).policy;
    const page = await retrieve({ ...this.#setup, store, pageLimit, ...wait }, record, request);
    if (purpose === 'fetch') await this.#noteFetched(record, fetchedData(request, page));
    return page;
  }

  /** The exact bytes of what a request asks for, streamed. The signal ends the stream too. */
  async readRaw(
    args: unknown,
    scope: string,
    { purpose, ...wait }: StreamOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args, this.#setup.formats);
    const record = await this.#find({ scope, id: request.id }, wait);
    if (purpose !== 'survey') await this.#noteFetched(record, { by: 'raw' });
    return readRaw(storeFor(this.#setup, wait), record, request);
  }

  /** The text parts of a stored output in the order in which their bytes arrived, run by run. */
  async interleaved(
    name: OutputName,
    { purpose, ...wait }: StreamOptions = {},
  ): Promise<AsyncIterable<ArrivedRun>> {
    const record = await this.#find(name, wait);
    if (purpose !== 'survey') await this.#noteFetched(record, { by: 'interleaved' });
    return interleaved(storeFor(this.#setup, wait), record);
  }

  /**
   * The content parts of a stored output in order, or one of them by its index; read a part before
   * asking for the next.
   */
  async *contents(record: OutputRecord, index?: number, wait: WaitOptions = {}): AsyncGenerator<ContentPart> {
    const parts = new StoredParts(storeFor(this.#setup, wait), record);
    for await (const stored of parts.content((known) => index === undefined || known.index === index))
      yield { part: stored.part, bytes: parts.open(stored).from(0) };
  }

  /**
   * The first line of a stored output that speaks of failure, cleaned; of one that failed, at least
   * its first line. Null if there is none.
   */
  async firstError(record: OutputRecord, wait: WaitOptions = {}): Promise<string | null> {
    return firstErrorIn(this.contents(record, undefined, wait), record.outcome);
  }

  /** Adds an event to the ledger. It resolves also if the store fails. */
  async note(event: LedgerEvent, wait: WaitOptions = {}): Promise<void> {
    await this.#setup.ledger.note(event, wait);
  }

  /**
   * Ends a session: its handles no longer resolve; with `purge` its records go too. `retention`
   * decides unless told.
   */
  async endSession(
    scope: string,
    session: string,
    how?: 'retire' | 'purge',
    wait: WaitOptions = {},
  ): Promise<RetireResult> {
    wait.signal?.throwIfAborted();
    this.#projector.configureSession(session, null);
    return this.#upkeep.retire({ how: how ?? this.#upkeep.how, scope, session, endSession: true }, wait);
  }

  /**
   * Retires handles or purges outputs, and removes their plain copies. One that is given up half
   * way has ended some of them; the same order again ends the rest.
   */
  async retire(order: Omit<RetireRequest, 'at'>, wait: WaitOptions = {}): Promise<RetireResult> {
    return this.#upkeep.retire(order, wait);
  }

  /**
   * The stored output behind an answer, once it is durable; null if it was not stored. What is
   * shown whole may be answered while it is still being stored.
   */
  async sealed(
    answer: Pick<Processed, 'projection'>,
    { signal }: WaitOptions = {},
  ): Promise<OutputRecord | null> {
    return untilAborted(this.#recorder.sealed(answer), signal);
  }

  /** Waits until everything that was answered is stored as well. */
  async settled({ signal }: WaitOptions = {}): Promise<void> {
    await untilAborted(this.#recorder.settled(), signal);
  }

  /** Waits for what is under way, then closes the store. */
  async close(): Promise<void> {
    await this.settled();
    await this.#setup.store?.close();
  }

  /** The same, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Refuses retired handles. */
  async #find({ scope, id }: OutputName, wait: WaitOptions = {}): Promise<OutputRecord> {
    wait.signal?.throwIfAborted();
    const found = await this.store.find({ scope, id }, wait);
    if (found === undefined) throw new SpillwayError('not_found', REFUSED_OUTPUT.notFound(id));
    if ('purgedAt' in found) throw new SpillwayError('gone', REFUSED_OUTPUT.purged(id));
    if (found.retiredAt !== undefined) throw new SpillwayError('gone', REFUSED_OUTPUT.retired(id));
    return found;
  }

  async #noteFetched(record: OutputRecord, data: NonNullable<LedgerEvent['data']>): Promise<void> {
    const { ledger } = this.#setup;
    await ledger.note(ledger.event('fetched', record, record.id, data));
  }
}
