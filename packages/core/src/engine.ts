/**
 * The whole path: capture → canonical write → projection, and retrieval. With intake.ts and recording.ts (the way in) and projector.ts
 * (the way out) the only files that know more than one stage. Clock, randomness and the store are given; nothing here is global.
 */
import { randomBytes } from 'node:crypto';
import { checkCall } from './capture/call.ts';
import { holdable } from './capture/holding.ts';
import {
  failurePart,
  type NotProjected,
  outcomeOf,
  partsOf,
  type TextResult,
  type ToolResult,
} from './capture/result.ts';
import { firstError } from './first-error.ts';
import { type Closed, Intake, type Processed } from './intake.ts';
import type { ArtifactId } from './model/artifact.ts';
import type { Dialect } from './model/dialect.ts';
import { SpillwayError } from './model/errors.ts';
import { type LedgerEvent, projectedEvent } from './model/events.ts';
import type { FetchHint } from './model/fetch.ts';
import { outcomeOfFailure } from './model/outcome.ts';
import type { Call, OutputRecord } from './model/output.ts';
import { isShown } from './model/part.ts';
import type { PatternEngine } from './model/pattern.ts';
import { MIN_CHARS, type PolicyPatch } from './model/policy.ts';
import type { Audience, Projection, ProjectionRecord } from './model/projection.ts';
import type { RetireRequest, RetireResult, Store } from './model/store.ts';
import type {
  BatchItem,
  ContentPart,
  OpenCapture,
  OutputName,
  ProcessOptions,
  ProjectOptions,
  RecordedOutput,
  SpillwayOptions,
} from './options.ts';
import {
  atLeastMinimum,
  batchAllowance,
  checkWindow,
  lastAllowance,
  ownLimit,
  type Window,
} from './policy/adaptive.ts';
import type { Settings } from './policy/levels.ts';
import { type Effective, withInlineLimit, withPageLimit } from './policy/resolve.ts';
import { parseSettings } from './policy/settings.ts';
import type { PartReasons, Projected } from './projection/project.ts';
import { type CallSettings, Projector } from './projector.ts';
import { artifactIn, asSmallerPage, type RecordedPage, recordedPage } from './recorded-page.ts';
import type { FetchedPage } from './retrieval/fetched.ts';
import { type ArrivedRun, interleaved } from './retrieval/interleaved.ts';
import { type FetchRequest, parseRequest, type Want } from './retrieval/request.ts';
import { readRaw, retrieve } from './retrieval/retrieve.ts';
import { StoredParts } from './retrieval/stored-parts.ts';
import { StandbyStore } from './stores/standby.ts';
import { lines } from './strategies/lines.ts';
import { none } from './strategies/none.ts';
import { POSITIONAL } from './strategies/positional.ts';
import { reading } from './strategies/reading/reading.ts';
import { smartSummary } from './strategies/smart/smart.ts';
import type { OwnPatterns } from './strategies/smart/words.ts';
import { allocate } from './text/allocate.ts';
import { estimateTokens } from './text/tokens.ts';
import { Upkeep } from './upkeep.ts';
import { plain } from './wording/dialects/plain.ts';
import { spill } from './wording/dialects/spill.ts';
import { standard } from './wording/dialects/standard.ts';
import { type ParsedProjection, parseProjection } from './wording/parse-projection.ts';

const MAX_CAPTURE = 2 * 1024 ** 3;
const RAW_CHARS = 65_536;

/** The tool-output layer: everything a tool said goes in, what a model can read comes out. */
export class Spillway {
  readonly #options: SpillwayOptions;
  readonly #projector: Projector;
  readonly #intake: Intake;
  readonly #holding: Intake;
  readonly #dialects: readonly Dialect[];
  readonly #sessions = new Map<string, PolicyPatch>();
  #keeping: Upkeep | undefined;

  /** Holds what a conversation says while the store cannot be written; null where that throws, or nothing is stored. */
  readonly standby: StandbyStore | null;

  constructor(options: SpillwayOptions) {
    const { store, strict = false } = options;
    this.standby = store === null || strict ? null : new StandbyStore(store);
    this.#options = this.standby === null ? options : { ...options, store: this.standby };
    this.#dialects = [standard, spill, plain, ...(options.dialects ?? [])];
    const clock = options.clock ?? Date.now;
    this.#projector = new Projector({
      strategies: (lexicon) => [
        ...POSITIONAL,
        lines,
        reading,
        smartSummary(lexicon),
        none,
        ...(options.strategies ?? []),
      ],
      own: options.ownPatterns,
      dialects: this.#dialects,
      hint: this.#hint,
      tokens: options.tokens ?? estimateTokens,
      clock,
      whyNotStored: (id) => this.standby?.whyNotStored(id) ?? null,
    });
    const intake = {
      store: this.#options.store,
      projector: this.#projector,
      plainCopies: options.plainCopies ?? null,
      strict,
      maxCapture: options.maxCapture ?? MAX_CAPTURE,
      clock,
      random: options.random ?? randomBytes,
      onEvent: options.onEvent ?? (() => {}),
      onStored: (scope: string) => this.#upkeep.lookAfter(scope),
    };
    this.#intake = new Intake(intake);
    const memory = this.standby?.memory ?? null;
    // What is only held is told as not stored, which the first attempt has done.
    this.#holding = new Intake({ ...intake, store: memory, onEvent: () => {}, onStored: async () => {} });
  }

  /** Replaces the patterns of lines that tell of an error or a warning, from the next output on. */
  setOwnPatterns(own: OwnPatterns): void {
    this.#projector.own = own;
  }

  /** The settings of this installation. A valid change applies to the next call; an invalid one throws and changes nothing. */
  get settings(): Settings {
    return this.#projector.settings;
  }

  /** Gives a session settings of its own, above those of its tools; null takes them away. */
  configureSession(session: string, settings: CallSettings | null): void {
    if (settings === null) this.#sessions.delete(session);
    else this.#sessions.set(session, parseSettings(settings));
  }

  /** The policy that a call would have, and where each field comes from. */
  explain(
    tool: string,
    options: { readonly session?: string; readonly policy?: CallSettings } = {},
  ): Effective {
    return this.#projector.effective(
      tool,
      options.session === undefined ? undefined : this.#sessions.get(options.session),
      options.policy,
    );
  }

  /** Records a result, then projects it. */
  async process<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: ProcessOptions = {},
  ): Promise<Processed> {
    checkWindow(options.window);
    return this.#answerOne(await this.#record(call, result, options), options.window);
  }

  /** Records a result and projects nothing: for whoever keeps a history and projects when it is sent. `not_stored` if it cannot be kept. */
  async record<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated' | 'policy'> = {},
  ): Promise<RecordedOutput> {
    const closed = await this.#record(call, result, options, null);
    const sealed = await this.#intake.keep(closed);
    return 'failure' in closed ? { ...sealed, failure: closed.failure } : sealed;
  }

  /**
   * The same for a conversation that has to go on: what cannot be stored is held in memory, told as not stored, and
   * stored under the same handle as soon as the store can be written again. `strict` throws instead.
   */
  async recordOrHold<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated'> = {},
  ): Promise<RecordedOutput> {
    const { standby } = this;
    if (standby === null) return this.record(call, result as unknown as TextResult, options);
    await standby.restore();
    const reading = holdable(result);
    const closed = await this.#record(call, reading.result, options, null);
    const kept = await this.#intake.keepIfPossible(closed);
    const failed = 'failure' in closed ? { failure: closed.failure } : {};
    if ('record' in kept) return { ...kept, ...failed };
    const again = reading.again();
    const held = await this.#record(
      call,
      again.result,
      {
        outcome: closed.facts.outcome,
        sourceTruncated: closed.facts.sourceTruncated || !again.whole,
        policy: { on_over_max: 'store' },
      },
      null,
      this.#holding,
    );
    const sealed = await this.#holding.keep(held);
    const earlier = await this.#sameStored(sealed.record);
    if (earlier !== null) return { record: earlier, existing: true, ...failed };
    if (!sealed.existing)
      await standby.hold(sealed.record, kept.why, kept.cause !== undefined, async (record) => {
        await this.project({ scope: record.scope, id: record.id });
      });
    return { ...sealed, ...failed, notStored: kept.why };
  }

  /** Records results that are read together; what the window has room for is shared over them by need. Answers come in order. */
  async processBatch(
    items: readonly BatchItem[],
    options: { readonly window?: Window } = {},
  ): Promise<Processed[]> {
    checkWindow(options.window);
    const closed = await Promise.all(
      items.map(({ call, result, options: own = {} }) => this.#record(call, result, own)),
    );
    const { window } = options;
    if (window === undefined) return Promise.all(closed.map((one) => this.#answerOne(one, undefined)));
    const limits = closed.map((one) => limitOf(one, true));
    const compactAt = Math.min(...closed.map(({ capture }) => capture.effective.policy.compactAt));
    const needs = closed.map((one, i) => ({
      size: Math.min(charsOf(one), limits[i] ?? 0),
      limit: limits[i] ?? 0,
      preferred: false,
    }));
    const shares = allocate(batchAllowance(window, compactAt), needs);
    return Promise.all(
      closed.map((one, i) => {
        if (this.#isPage(one)) return this.#answerOne(one, window);
        const chars = atLeastMinimum(shares[i] ?? 0, limits[i] ?? 0);
        return this.#intake.answer(one, { chars, source: 'window' });
      }),
    );
  }

  /** Begins a capture that is fed piece by piece. */
  async open(
    call: Call,
    options: Omit<ProcessOptions, 'outcome' | 'sourceTruncated'> = {},
  ): Promise<OpenCapture> {
    checkCall(call);
    checkWindow(options.window);
    const effective = await this.#effectiveOfCall(call, options);
    const capture = await this.#intake.begin(call, effective, options.audience ?? 'model');
    const { recording } = capture;
    return {
      id: capture.id,
      part(spec) {
        const { alone, ...rest } = spec;
        const part = recording.part({ role: 'content', kind: 'text', ...rest });
        return {
          index: part.index,
          write: (chunk) => recording.write(part, chunk, alone !== true),
          flush: () => recording.flush(part),
          end: (notes = []) => recording.end(part, notes),
        };
      },
      finish: async (end) => this.#answerOne(await this.#intake.close(capture, end), options.window),
    };
  }

  /** The projection of a stored output: the frozen one, or one made now and frozen. */
  async project(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    const record = await this.#find(name);
    const frozen = await this.#store.frozen(record.id, options.audience ?? 'model');
    return (frozen ?? (await this.#freeze(record, options, 'first'))).projection;
  }

  /**
   * What stored outputs would look like that are read together: what the window has room for is
   * shared over them by need, at least 1,000 chars each, or as little as there can be with the
   * `lowest` floor. Freezes nothing; `freeze` keeps what was really sent.
   */
  async projectTogether(
    records: readonly OutputRecord[],
    options: ProjectOptions & { readonly window?: Window; readonly floor?: 'usual' | 'lowest' } = {},
  ): Promise<ProjectionRecord[]> {
    checkWindow(options.window);
    const all: { record: OutputRecord; effective: Effective; page: RecordedPage | null }[] = [];
    for (const record of records) all.push({ record, ...(await this.#effectiveOfStored(record, options)) });
    const limits = all.map(({ record, effective: { policy }, page }) =>
      page === null
        ? ownLimit({
            limit: policy.inlineLimit,
            failingFactor: policy.failingFactor,
            failed: record.outcome.status !== 'ok',
            distinct: 1,
          })
        : policy.inlineLimit,
    );
    const lowest = options.floor === 'lowest';
    const minimum = lowest ? MIN_CHARS : undefined;
    const share = Math.min(
      1,
      ...all.map(({ effective: { policy } }) => (lowest ? policy.hardAt : policy.compactAt)),
    );
    const allowance = lowest ? lastAllowance : batchAllowance;
    const room = options.window === undefined ? Number.POSITIVE_INFINITY : allowance(options.window, share);
    const needs = all.map(({ record }, i) => {
      const limit = limits[i] ?? 0;
      return { size: Math.min(contentChars(record), limit), limit, preferred: false };
    });
    const shares = allocate(room, needs);
    const made: ProjectionRecord[] = [];
    // One after the other: each reads a whole output back.
    for (const [i, { record, effective, page }] of all.entries()) {
      const chars = atLeastMinimum(shares[i] ?? 0, limits[i] ?? 0, minimum);
      const fitted = withInlineLimit(effective, chars, 'window');
      const projected =
        page === null
          ? await this.#projector.projectStored(this.#store, record, fitted)
          : await this.#projectPage(record, effective, page, chars);
      const audience = options.audience ?? 'model';
      made.push(this.#projector.record(record.id, audience, page === null ? fitted : effective, projected));
    }
    return made;
  }

  /** Keeps what an audience was sent of an output, unless it was sent something before. */
  async freeze(
    output: OutputRecord,
    projection: ProjectionRecord,
    mode: 'first' | 'replace' = 'first',
  ): Promise<ProjectionRecord> {
    const kept = await this.#store.freeze(projection, mode);
    await this.note(projectedEvent(output, kept));
    return kept;
  }

  /** Adds an event to the ledger and tells whoever observes. A store that cannot take it is no error. */
  async note(event: LedgerEvent): Promise<void> {
    await this.#intake.note(event);
  }

  /** The first line of a stored output that speaks of failure, cleaned; of one that failed, at least its first line. Null if there is none. */
  async firstError(record: OutputRecord): Promise<string | null> {
    return firstError(record, this.contents(record));
  }

  /** The content parts of a stored output in order, or one of them by its index; read a part before asking for the next. */
  async *contents(record: OutputRecord, index?: number): AsyncGenerator<ContentPart> {
    const parts = new StoredParts(this.#store, record);
    for await (const stored of parts.content((known) => index === undefined || known.index === index)) {
      const reading = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
      yield { part: stored.part, bytes: reading.pieces };
    }
  }

  /** The store that outputs are kept in. Throws `store_unavailable` where nothing is stored. */
  get store(): Store {
    return this.#store;
  }

  /** Tokens of a text, as budgets count them. */
  countTokens(text: string): number {
    return (this.#options.tokens ?? estimateTokens)(text);
  }

  /** A new projection in place of the frozen one. */
  async reproject(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#freeze(await this.#find(name), options, 'replace')).projection;
  }

  /** What the projection would be under these settings. Freezes nothing. */
  async preview(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#previewed(name, options)).projection;
  }

  /** Why each block that a projection under these settings shows is kept, by part. Freezes nothing. */
  async reasons(name: OutputName, options: ProjectOptions = {}): Promise<readonly PartReasons[]> {
    return (await this.#previewed(name, options)).reasons;
  }

  /**
   * One page of a stored output. `args` are those of the tool `get_artifact`: untrusted. A `survey` goes through outputs that nobody asked for by
   * name, and is not told the ledger.
   */
  async retrieve(args: unknown, scope: string, purpose: 'fetch' | 'survey' = 'fetch'): Promise<FetchedPage> {
    const request = parseRequest(args);
    const record = await this.#find({ scope, id: request.id });
    const page = await this.#page(record, request, this.#effective(record, {}).policy.pageLimit);
    if (purpose === 'fetch')
      await this.#noteFetch(record, { chars: page.body.length, by: request.want.kind, ...rangeOf(page) });
    return page;
  }

  /** The exact bytes of what a request asks for, streamed. */
  async readRaw(args: unknown, scope: string): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args);
    const record = await this.#find({ scope, id: request.id });
    await this.#noteFetch(record, { by: 'raw' });
    return readRaw(this.#store, record, request, RAW_CHARS);
  }

  /** The text parts of a stored output in the order in which their bytes arrived, run by run. */
  async interleaved(name: OutputName): Promise<AsyncIterable<ArrivedRun>> {
    const record = await this.#find(name);
    await this.#noteFetch(record, { by: 'interleaved' });
    return interleaved(this.#store, record);
  }

  /**
   * What a projection says about itself, read back from its text; null if it is none. A tool can print a notice of ours: it is
   * believed only with the handle that belongs to the output. `artifactId` is that handle (`metadata.artifact_id`). Without it, only
   * handles count that this Spillway told itself, with the total it told.
   */
  parse(text: string, artifactId?: ArtifactId): ParsedProjection | null {
    for (const dialect of this.#dialects) {
      const parsed = parseProjection(text, dialect, artifactId);
      if (parsed === null || parsed.gaps.length === 0) continue;
      if (artifactId !== undefined || this.#projector.hasTold(parsed)) return parsed;
    }
    return null;
  }

  /** Ends a session: its handles no longer resolve; with `purge` its records go too. `retention` decides unless told. */
  async endSession(scope: string, session: string, how?: 'revoke' | 'purge'): Promise<RetireResult> {
    this.#sessions.delete(session);
    return this.#upkeep.retire({ how: how ?? this.#upkeep.how, scope, session, endSession: true });
  }

  /** Revokes handles or purges outputs, and removes their plain copies. */
  async retire(order: Omit<RetireRequest, 'at'>): Promise<RetireResult> {
    return this.#upkeep.retire(order);
  }

  /** Waits until everything that was answered is stored as well. */
  async settled(): Promise<void> {
    await this.#intake.settled();
  }

  /** Waits for what is under way, then closes the store. */
  async close(): Promise<void> {
    await this.settled();
    await this.#options.store?.close();
  }

  get #upkeep(): Upkeep {
    this.#keeping ??= new Upkeep({
      store: this.#store,
      copies: this.#options.plainCopies ?? null,
      retention: this.#options.retention ?? 'durable',
      maxAgeDays: this.#options.maxAgeDays,
      clock: this.#options.clock ?? Date.now,
      note: (event) => this.#intake.note(event),
    });
    return this.#keeping;
  }

  get #store(): Store {
    if (this.#options.store === null)
      throw new SpillwayError('store_unavailable', 'Nothing is stored here: open Spillway with a store.');
    return this.#options.store;
  }

  async #page(record: OutputRecord, request: FetchRequest, pageLimit: number): Promise<FetchedPage> {
    const context = {
      store: this.#store,
      hint: this.#hint,
      patterns: await this.#patterns(request.want.kind),
      paths: this.#options.paths ?? null,
      pageLimit,
    };
    return retrieve(context, record, request);
  }

  /** A recorded page in so many chars: as it is, or the beginning of it with the call that goes on. */
  async #projectPage(
    record: OutputRecord,
    effective: Effective,
    page: RecordedPage,
    chars: number,
  ): Promise<Projected> {
    const whole = await this.#projector.projectStored(this.#store, record, effective);
    if (page.part.chars <= chars) return whole;
    const smaller = await this.#smallerPage(record, page, chars);
    return smaller === null ? whole : asSmallerPage(whole, page, smaller);
  }

  /** The same page with fewer chars; null if it cannot be fetched any more, or not so that it is a beginning of the recorded one. */
  async #smallerPage(
    { scope }: OutputRecord,
    { source, args, header, body }: RecordedPage,
    chars: number,
  ): Promise<FetchedPage | null> {
    if (header === '' || args === null) return null;
    const found = await this.#store.find({ scope, id: source });
    if (found === undefined || 'purgedAt' in found) return null;
    try {
      const smaller = await this.#page(found, parseRequest(args), chars);
      return smaller.body !== '' && body.startsWith(smaller.body) ? smaller : null;
    } catch (error) {
      if (error instanceof SpillwayError) return null;
      throw error;
    }
  }

  /** Only what needs patterns waits for the engine behind them. */
  async #patterns(want: Want['kind']): Promise<PatternEngine | null> {
    const { patterns = null } = this.#options;
    if (typeof patterns !== 'function') return patterns;
    return want === 'pattern' || want === 'json_path' ? patterns() : null;
  }

  get #hint(): FetchHint {
    return this.#options.hint ?? { kind: 'tool', name: 'get_artifact' };
  }

  #effective({ tool, session }: Pick<Call, 'tool' | 'session'>, { policy }: ProjectOptions): Effective {
    return this.#projector.effective(tool, this.#sessions.get(session), policy);
  }

  /** What comes back from fetching an artifact has the limit of its pages. */
  async #effectiveOfCall(call: Call, options: ProjectOptions): Promise<Effective> {
    const effective = this.#effective(call, options);
    if (!isForModel(options) || !this.#fetches(call)) return effective;
    // A limit that was given for this very call is meant.
    if (effective.origins.inlineLimit.source === 'call') return effective;
    return withPageLimit(effective, await this.#pageLimitOf(call.scope, artifactIn(call.input)));
  }

  /** Whether a call fetches from an artifact, by its arguments or by the name of the tool for it: what comes back was made to fit already. */
  #fetches({ input, tool }: Call): boolean {
    const hint = this.#hint;
    return artifactIn(input) !== null || (hint.kind === 'tool' && tool === hint.name);
  }

  #isPage({ capture: { call, audience } }: Closed): boolean {
    return audience === 'model' && this.#fetches(call);
  }

  /** The same for what is stored: a recorded page is known by what it says, too. */
  async #effectiveOfStored(
    record: OutputRecord,
    options: ProjectOptions,
  ): Promise<{ readonly effective: Effective; readonly page: RecordedPage | null }> {
    const effective = this.#effective(record, options);
    if (effective.policy.strategy === 'none' || !isForModel(options)) return { effective, page: null };
    const page = await recordedPage(this.#store, record);
    if (page === null) return { effective, page };
    const limit = await this.#pageLimitOf(record.scope, page.source);
    // More than a page can have was not made by us, or under other settings: it is bounded like any result.
    if (page.part.chars > Math.max(limit, effective.policy.inlineLimit)) return { effective, page: null };
    return { effective: withPageLimit(effective, limit), page };
  }

  /** The chars that a page of an artifact may have. */
  async #pageLimitOf(scope: string, id: ArtifactId | null): Promise<number> {
    const { store } = this.#options;
    const found = id === null ? undefined : await store?.find({ scope, id }).catch(() => undefined);
    const tool = found === undefined || 'purgedAt' in found ? { tool: 'get_artifact', session: '' } : found;
    return this.#effective(tool, {}).policy.pageLimit;
  }

  async #record(
    call: Call,
    result: ToolResult,
    options: ProcessOptions,
    audience: Audience | null = options.audience ?? 'model',
    intake = this.#intake,
  ): Promise<Closed> {
    checkCall(call);
    const sources = partsOf(result);
    const capture = await intake.begin(call, await this.#effectiveOfCall(call, options), audience);
    const failed = await capture.recording.take(sources);
    if (failed !== null) await capture.recording.take([failurePart(failed.failure)]);
    const ended = failed === null ? outcomeOf(result) : outcomeOfFailure(failed.failure);
    const outcome = failed === null ? (options.outcome ?? ended) : ended;
    const complete = outcome.status === 'ok' || outcome.status === 'error';
    const closed = await intake.close(capture, {
      outcome,
      complete,
      sourceTruncated: options.sourceTruncated ?? false,
    });
    return failed === null ? closed : { ...closed, failure: failed.failure };
  }

  async #answerOne(closed: Closed, window: Window | undefined): Promise<Processed> {
    const { policy } = closed.capture.effective;
    if (this.#isPage(closed))
      return this.#intake.answer(closed, { chars: policy.inlineLimit, source: 'fetched page' });
    const limit = limitOf(closed, window !== undefined);
    if (window === undefined) return this.#intake.answer(closed, { chars: limit, source: 'failing_factor' });
    return this.#intake.answer(closed, {
      chars: atLeastMinimum(batchAllowance(window, policy.compactAt), limit),
      source: 'window',
    });
  }

  /** The output that is stored for the same call with the same content: the result was said before. */
  async #sameStored({ scope, session, callId, parts }: OutputRecord): Promise<OutputRecord | null> {
    if (callId === undefined) return null;
    const found = await this.#store.find({ scope, session, callId }).catch(() => undefined);
    if (found === undefined || 'purgedAt' in found || this.standby?.whyNotStored(found.id) != null)
      return null;
    const isSame =
      found.parts.length === parts.length && found.parts.every((part, i) => part.hash === parts[i]?.hash);
    return isSame ? found : null;
  }

  async #noteFetch(
    { id, tool, session, scope }: OutputRecord,
    data: NonNullable<LedgerEvent['data']>,
  ): Promise<void> {
    await this.#intake.note({
      type: 'fetched',
      at: (this.#options.clock ?? Date.now)(),
      output: id,
      tool,
      session,
      scope,
      data,
    });
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

  async #previewed(name: OutputName, options: ProjectOptions): Promise<Projected> {
    const record = await this.#find(name);
    const { effective } = await this.#effectiveOfStored(record, options);
    return this.#projector.projectStored(this.#store, record, effective);
  }

  async #freeze(record: OutputRecord, options: ProjectOptions, mode: 'first' | 'replace') {
    const { effective } = await this.#effectiveOfStored(record, options);
    const projected = await this.#projector.projectStored(this.#store, record, effective);
    const audience = options.audience ?? 'model';
    return this.freeze(record, this.#projector.record(record.id, audience, effective, projected), mode);
  }
}

/** Pages are made for models; a stream or a screen has limits of its own. */
function isForModel({ audience = 'model' }: ProjectOptions): boolean {
  return audience === 'model';
}

/** The chars a result may have before the window is looked at; repetition counts only where room is short. */
function limitOf({ capture, recorded, facts }: Closed, roomIsShort: boolean): number {
  const { inlineLimit, failingFactor } = capture.effective.policy;
  const distinct = roomIsShort ? recorded.distinct : 1;
  return ownLimit({ limit: inlineLimit, failed: facts.outcome.status !== 'ok', failingFactor, distinct });
}

function charsOf({ recorded }: Closed): number {
  return recorded.sections.reduce((sum, { part }) => sum + part.chars, 0);
}

/** Bundles count as content too. */
function contentChars({ parts }: OutputRecord): number {
  return parts.reduce((sum, part) => sum + (isShown(part) ? part.chars : 0), 0);
}

/** Which part of an output a page showed, for the ledger. */
function rangeOf({ part, lines, chars }: FetchedPage): NonNullable<LedgerEvent['data']> {
  return {
    part,
    ...(lines === null ? {} : { first_line: lines[0], last_line: lines[1] }),
    ...(chars === null ? {} : { first_char: chars[0], last_char: chars[1] }),
  };
}
