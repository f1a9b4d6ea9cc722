/**
 * The whole path: capture → project → retrieve → explain. Each step has its file in engine/; this
 * one puts them together. Clock, randomness and the store are given; nothing here is global.
 */
import { randomBytes } from 'node:crypto';
import { checkCall } from './capture/call.ts';
import type { NotProjected, TextResult, ToolResult } from './capture/result.ts';
import { Answers } from './engine/answers.ts';
import { Captures } from './engine/captures.ts';
import { HeldCaptures } from './engine/held-captures.ts';
import { type EventData, Ledger } from './engine/ledger.ts';
import { Pages } from './engine/pages.ts';
import { Policies } from './engine/policies.ts';
import { Projector } from './engine/projector.ts';
import { StoredProjections, type TogetherOptions } from './engine/stored-projections.ts';
import { firstError } from './first-error.ts';
import type { ArtifactId } from './model/artifact.ts';
import type { Dialect } from './model/dialect.ts';
import { SpillwayError } from './model/errors.ts';
import type { LedgerEvent } from './model/events.ts';
import type { Call, OutputRecord } from './model/output.ts';
import type { SettingsInput } from './model/policy.ts';
import type { Projection, ProjectionRecord } from './model/projection.ts';
import type { RetireRequest, RetireResult, Store } from './model/store.ts';
import type {
  BatchItem,
  ContentPart,
  OpenCapture,
  OutputName,
  Processed,
  ProcessOptions,
  ProjectOptions,
  RecordedOutput,
  SpillwayOptions,
} from './options.ts';
import { checkWindow, type Window } from './policy/adaptive.ts';
import type { Settings } from './policy/levels.ts';
import type { Effective } from './policy/resolve.ts';
import type { PartReasons } from './projection/project.ts';
import type { FetchedPage } from './retrieval/fetched.ts';
import { type ArrivedRun, interleaved } from './retrieval/interleaved.ts';
import { readRaw } from './retrieval/raw.ts';
import { parseRequest, type Want } from './retrieval/request.ts';
import { StoredParts } from './retrieval/stored-parts.ts';
import { completeStore, hasUpkeep } from './stores/assembling.ts';
import { StandbyStore } from './stores/standby.ts';
import type { OwnPatterns } from './strategies/smart/words.ts';
import { estimateTokens } from './text/tokens.ts';
import { Upkeep } from './upkeep.ts';
import { DIALECTS } from './wording/dialects/index.ts';
import { type ParsedProjection, parseProjection } from './wording/parse-projection.ts';

const MAX_CAPTURE = 2 * 1024 ** 3;

/** The tool-output layer: everything a tool said goes in, what a model can read comes out. */
export class Spillway {
  readonly #options: SpillwayOptions & { readonly store: Store | null };
  readonly #dialects: readonly Dialect[];
  readonly #projector: Projector;
  readonly #policies: Policies;
  readonly #ledger: Ledger;
  readonly #captures: Captures;
  readonly #held: HeldCaptures | null;
  readonly #answers: Answers;
  readonly #pages: Pages;
  readonly #projections: StoredProjections;
  #keeping: Upkeep | undefined;

  /**
   * Holds what a conversation says while the store cannot be written; null where that throws, or
   * nothing is stored.
   */
  readonly standby: StandbyStore | null;

  constructor(options: SpillwayOptions) {
    const { strict = false, clock = Date.now, plainCopies = null, formats = [] } = options;
    const { hint = { kind: 'tool', name: 'get_artifact' }, patterns = null, paths = null } = options;
    const complete = options.store === null ? null : completeStore(options.store);
    this.standby = complete === null || strict ? null : new StandbyStore(complete);
    const store = this.standby ?? complete;
    this.#options = { ...options, store };
    this.#dialects = [...DIALECTS, ...(options.dialects ?? [])];
    const projector = new Projector({
      strategies: options.strategies ?? [],
      formats,
      own: options.ownPatterns,
      dialects: this.#dialects,
      hint,
      tokens: options.tokens ?? estimateTokens,
      clock,
      whyNotStored: (id) => this.standby?.whyNotStored(id) ?? null,
    });
    const policies = new Policies({ store, projector, hint });
    const ledger = new Ledger({ store, clock, onEvent: options.onEvent ?? (() => {}) });
    const capturing = {
      store,
      projector,
      policies,
      ledger,
      maxCapture: options.maxCapture ?? MAX_CAPTURE,
      clock,
      random: options.random ?? randomBytes,
      onStored: async (scope: string) => {
        if (complete !== null && hasUpkeep(complete)) await this.#upkeep.lookAfter(scope);
      },
    };
    const captures = new Captures(capturing);
    this.#projector = projector;
    this.#policies = policies;
    this.#ledger = ledger;
    this.#captures = captures;
    this.#held = this.#holding(capturing);
    this.#answers = new Answers({ store, projector, policies, captures, plainCopies, strict });
    this.#pages = new Pages({ projector, hint, patterns, paths, formats });
    this.#projections = new StoredProjections({ projector, policies, pages: this.#pages, ledger });
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
    this.#policies.configureSession(session, settings);
  }

  /** The policy that a call would have, and where each field comes from. */
  explain(
    tool: string,
    { session, policy }: { readonly session?: string; readonly policy?: SettingsInput } = {},
  ): Effective {
    return this.#policies.of({ tool, session }, policy);
  }

  /** Records a result, then projects it. */
  async process<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: ProcessOptions = {},
  ): Promise<Processed> {
    checkWindow(options.window);
    const closed = await this.#captures.take(call, result, options, options.audience ?? 'model');
    return this.#answers.one(closed, options.window);
  }

  /**
   * Records results that are read together; what the window has room for is shared over them by
   * need. Answers come in order.
   */
  async processBatch(
    items: readonly BatchItem[],
    options: { readonly window?: Window } = {},
  ): Promise<Processed[]> {
    checkWindow(options.window);
    const closed = await Promise.all(
      items.map(({ call, result, options: own = {} }) =>
        this.#captures.take(call, result, own, own.audience ?? 'model'),
      ),
    );
    return this.#answers.batch(closed, options.window);
  }

  /** Begins a capture that is fed piece by piece. */
  async open(
    call: Call,
    options: Omit<ProcessOptions, 'outcome' | 'sourceTruncated'> = {},
  ): Promise<OpenCapture> {
    checkCall(call);
    checkWindow(options.window);
    const begun = await this.#captures.begin(call, options, options.audience ?? 'model');
    const { capture, draft } = begun;
    return {
      id: draft.id,
      part(spec) {
        const { alone, ...rest } = spec;
        const part = capture.part({ role: 'content', kind: 'text', ...rest });
        return {
          index: part.index,
          write: (chunk) => capture.write(part, chunk, alone !== true),
          flush: () => capture.flush(part),
          end: (notes = []) => capture.end(part, notes),
        };
      },
      finish: async (end) => this.#answers.one(await this.#captures.close(begun, end), options.window),
    };
  }

  /**
   * Records a result and projects nothing: for whoever keeps a history and projects when it is
   * sent. `not_stored` if it cannot be kept.
   */
  async record<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated' | 'policy'> = {},
  ): Promise<RecordedOutput> {
    const closed = await this.#captures.take(call, result, options, null);
    const sealed = await this.#captures.keep(closed);
    return 'failure' in closed ? { ...sealed, failure: closed.failure } : sealed;
  }

  /**
   * The same for a conversation that has to go on: what cannot be stored is held in memory, told as
   * not stored, and stored under the same handle as soon as the store can be written again.
   * `strict` throws instead.
   */
  async recordOrHold<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated'> = {},
  ): Promise<RecordedOutput> {
    if (this.#held === null) return this.record(call, result as unknown as TextResult, options);
    return this.#held.take(call, result, options);
  }

  /** The projection of a stored output: the frozen one, or one made now and frozen. */
  async project(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#projections.first(this.#store, await this.#find(name), options)).projection;
  }

  /** A new projection in place of the frozen one. */
  async reproject(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    const record = await this.#find(name);
    return (await this.#projections.make(this.#store, record, options, 'replace')).projection;
  }

  /** What the projection would be under these settings. Freezes nothing. */
  async preview(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#projections.preview(this.#store, await this.#find(name), options)).projection;
  }

  /**
   * Why each block that a projection under these settings shows is kept, by part. Freezes nothing.
   */
  async reasons(name: OutputName, options: ProjectOptions = {}): Promise<readonly PartReasons[]> {
    return (await this.#projections.preview(this.#store, await this.#find(name), options)).reasons;
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
    return this.#projections.together(this.#store, records, options);
  }

  /** Keeps what an audience was sent of an output, unless it was sent something before. */
  async freeze(
    output: OutputRecord,
    projection: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
  ): Promise<ProjectionRecord> {
    return this.#projections.freeze(this.#store, output, projection, mode);
  }

  /**
   * What a projection says about itself, read back from its text; null if it is none. A tool can
   * print a notice of ours: it is believed only with the handle that belongs to the output.
   * `artifactId` is that handle (`metadata.artifact_id`). Without it, only handles count that this
   * Spillway told itself, with the total it told.
   */
  parse(text: string, artifactId?: ArtifactId): ParsedProjection | null {
    for (const dialect of this.#dialects) {
      const parsed = parseProjection(text, dialect, artifactId);
      if (parsed === null || parsed.gaps.length === 0) continue;
      if (artifactId !== undefined || this.#projector.hasTold(parsed)) return parsed;
    }
    return null;
  }

  /** The store that outputs are kept in. Throws `store_unavailable` where nothing is stored. */
  get store(): Store {
    return this.#store;
  }

  /** Tokens of a text, as budgets count them. */
  countTokens(text: string): number {
    return (this.#options.tokens ?? estimateTokens)(text);
  }

  /**
   * One page of a stored output. `args` are those of the tool `get_artifact`: untrusted. A `survey`
   * goes through outputs that nobody asked for by name, and is not told the ledger.
   */
  async retrieve(args: unknown, scope: string, purpose: 'fetch' | 'survey' = 'fetch'): Promise<FetchedPage> {
    const request = parseRequest(args, this.#options.formats);
    const record = await this.#find({ scope, id: request.id });
    const { pageLimit } = this.#policies.of(record).policy;
    const page = await this.#pages.fetch(this.#store, record, request, pageLimit);
    if (purpose === 'fetch')
      await this.#noteFetch(record, { chars: page.body.length, by: wayOf(request.want), ...rangeOf(page) });
    return page;
  }

  /** The exact bytes of what a request asks for, streamed. */
  async readRaw(args: unknown, scope: string): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args, this.#options.formats);
    const record = await this.#find({ scope, id: request.id });
    await this.#noteFetch(record, { by: 'raw' });
    return readRaw(this.#store, record, request);
  }

  /** The text parts of a stored output in the order in which their bytes arrived, run by run. */
  async interleaved(name: OutputName): Promise<AsyncIterable<ArrivedRun>> {
    const record = await this.#find(name);
    await this.#noteFetch(record, { by: 'interleaved' });
    return interleaved(this.#store, record);
  }

  /**
   * The content parts of a stored output in order, or one of them by its index; read a part before
   * asking for the next.
   */
  async *contents(record: OutputRecord, index?: number): AsyncGenerator<ContentPart> {
    const parts = new StoredParts(this.#store, record);
    for await (const stored of parts.content((known) => index === undefined || known.index === index)) {
      const reading = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
      yield { part: stored.part, bytes: reading.pieces };
    }
  }

  /**
   * The first line of a stored output that speaks of failure, cleaned; of one that failed, at least
   * its first line. Null if there is none.
   */
  async firstError(record: OutputRecord): Promise<string | null> {
    return firstError(record, this.contents(record));
  }

  /**
   * Adds an event to the ledger and tells whoever observes. A store that cannot take it is no
   * error.
   */
  async note(event: LedgerEvent): Promise<void> {
    await this.#ledger.note(event);
  }

  /**
   * Ends a session: its handles no longer resolve; with `purge` its records go too. `retention`
   * decides unless told.
   */
  async endSession(scope: string, session: string, how?: 'revoke' | 'purge'): Promise<RetireResult> {
    this.#policies.configureSession(session, null);
    return this.#upkeep.retire({ how: how ?? this.#upkeep.how, scope, session, endSession: true });
  }

  /** Revokes handles or purges outputs, and removes their plain copies. */
  async retire(order: Omit<RetireRequest, 'at'>): Promise<RetireResult> {
    return this.#upkeep.retire(order);
  }

  /** Waits until everything that was answered is stored as well. */
  async settled(): Promise<void> {
    await this.#captures.settled();
  }

  /** Waits for what is under way, then closes the store. */
  async close(): Promise<void> {
    await this.settled();
    await this.#options.store?.close();
  }

  #holding(capturing: ConstructorParameters<typeof Captures>[0]): HeldCaptures | null {
    const { standby } = this;
    if (standby === null) return null;
    // What is only held is told as not stored, which the first attempt has done.
    const ledger = new Ledger({ store: standby.memory, clock: capturing.clock, onEvent: () => {} });
    const inMemory = { ...capturing, store: standby.memory, ledger, onStored: async () => {} };
    return new HeldCaptures({
      standby,
      captures: this.#captures,
      held: new Captures(inMemory),
      project: async ({ scope, id }) => {
        await this.project({ scope, id });
      },
    });
  }

  get #upkeep(): Upkeep {
    this.#keeping ??= new Upkeep({
      store: this.#store,
      copies: this.#options.plainCopies ?? null,
      retention: this.#options.retention ?? 'durable',
      maxAgeDays: this.#options.maxAgeDays,
      clock: this.#options.clock ?? Date.now,
      note: (event) => this.#ledger.note(event),
    });
    return this.#keeping;
  }

  get #store(): Store {
    if (this.#options.store === null)
      throw new SpillwayError('store_unavailable', 'Nothing is stored here: open Spillway with a store.');
    return this.#options.store;
  }

  async #noteFetch(record: OutputRecord, data: EventData): Promise<void> {
    await this.#ledger.note(this.#ledger.event('fetched', record, record.id, data));
  }

  async #find({ scope, id }: OutputName): Promise<OutputRecord> {
    const found = await this.#store.find({ scope, id });
    if (found === undefined)
      throw new SpillwayError('not_found', `There is no artifact ${id} here. Do not retry.`);
    if ('purgedAt' in found)
      throw new SpillwayError('gone', `Artifact ${id} is no longer kept. Do not retry.`);
    if (found.revokedAt !== undefined)
      throw new SpillwayError(
        'gone',
        `Artifact ${id} can no longer be fetched: its handle was revoked. Do not retry.`,
      );
    return found;
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
