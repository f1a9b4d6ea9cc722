/**
 * Makes projections, of parts that have just streamed by or are read back: both go through the same
 * tables and give the same text. Also resolves the policy of a call or stored output. A fetched
 * page has the limit of pages, because it was made to fit already.
 */
import { readsFile } from '../capture/call-purpose.ts';
import { requestedRange } from '../capture/range.ts';
import { FORMATS } from '../formats/index.ts';
import { type About, boundedAbout } from '../model/about.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { Dialect } from '../model/dialect.ts';
import { SpillwayError } from '../model/errors.ts';
import { projectedEvent } from '../model/events.ts';
import { spellCall } from '../model/fetch.ts';
import type { Format } from '../model/format.ts';
import type { MessageDraft } from '../model/message.ts';
import { endedBadly } from '../model/outcome.ts';
import type { Call, OutputRecord } from '../model/output.ts';
import { isShown, type PartSpec } from '../model/part.ts';
import type { PartText } from '../model/part-text.ts';
import type { Policy, PolicyPatch, SettingsInput } from '../model/policy.ts';
import { type Audience, type ProjectionRecord, RENDERER_VERSION } from '../model/projection.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { Strategy } from '../model/strategy.ts';
import type { ProjectOptions } from '../options.ts';
import { type ContextWindow, ownLimit, shareBatch } from '../policy/adaptive.ts';
import { Settings } from '../policy/levels.ts';
import { type Effective, forRange, withInlineLimit, withPageLimit } from '../policy/resolve.ts';
import { parseSettings } from '../policy/settings.ts';
import { Gathering } from '../projection/gathering.ts';
import { type OutputFacts, type Projected, project } from '../projection/project.ts';
import type { Section } from '../projection/section.ts';
import { type StoredPart, StoredParts } from '../retrieval/stored-parts.ts';
import { didYouMean } from '../text/nearest.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { isBlank, storedPieces } from '../text/pieces.ts';
import { redactText, type SecretPattern } from '../text/secrets.ts';
import { estimateTokens } from '../text/tokens.ts';
import {
  type OwnPatterns,
  standardVocabulary,
  type Vocabulary,
  vocabularyWith,
} from '../vocabulary/vocabulary.ts';
import { standard } from '../wording/dialects/standard.ts';
import type { ParsedProjection } from '../wording/parse-projection.ts';
import { type Baseline, findBaseline } from './baseline.ts';
import { artifactIn, inputOf, type RecordedPage, recordedPage, smallerPage } from './recorded-page.ts';
import { type Setup, storeFor } from './setup.ts';
import { errorName, TextPart } from './text-part.ts';

interface CallFacts {
  readonly tool: string;
  readonly input: unknown;
  readonly about?: About | undefined;
}

interface StoredFacts extends WaitOptions {
  readonly about?: About | undefined;
  readonly seen?: ((bytes: number) => void) | undefined;
}

interface OutputView extends Pick<OutputFacts, 'paged'> {
  /** Null if the part is not text to be shown. */
  readonly text: (spec: PartSpec) => PartText | null;
  readonly gathering: Gathering;
}

interface StoredPolicy {
  readonly effective: Effective;
  readonly page: RecordedPage | null;
}

/** How several stored outputs are projected for one request. */
export interface TogetherOptions extends ProjectOptions {
  /** The window that the results share; without it each has its own limit. */
  readonly window?: ContextWindow;
  /** How short a full window may make a result. Default: `usual`. */
  readonly floor?: 'usual' | 'lowest';
}

/** Spelled here, so that a text that is shown whole loads no strategy. */
const BUILT_IN = ['head', 'tail', 'head_tail', 'size_limit', 'lines', 'reading', 'smart_summary', 'none'];
const MOST_REMEMBERED = 10_000;

export class Projector {
  /** The settings of this installation; may be changed while it runs. */
  readonly settings: Settings;
  readonly #setup: Setup;
  readonly #strategies: ReadonlyMap<string, Strategy>;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  #formats: readonly Format[] | undefined;
  readonly #sessions = new Map<string, PolicyPatch>();
  readonly #totals = new Map<ArtifactId, number>();
  #own: OwnPatterns | undefined;
  #vocabulary: Vocabulary | undefined;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#strategies = new Map(setup.strategies.map((strategy) => [strategy.name, strategy]));
    this.#dialects = new Map(setup.dialects.map((dialect) => [dialect.name, dialect]));
    this.#own = setup.ownPatterns;
    this.settings = new Settings({
      strategies: [...new Set(['auto', ...BUILT_IN, ...this.#strategies.keys(), 'element'])],
      dialects: [...this.#dialects.keys()],
    });
  }

  get secrets(): readonly SecretPattern[] {
    return this.#own?.secrets ?? [];
  }

  /** Applies from the next output on. */
  set own(own: OwnPatterns) {
    this.#own = own;
    this.#vocabulary = undefined;
  }

  /** Built for the first text that needs it; most are shown as they are. */
  get vocabulary(): Vocabulary {
    this.#vocabulary ??= this.#own === undefined ? standardVocabulary() : vocabularyWith(this.#own);
    return this.#vocabulary;
  }

  /** Gives a session settings of its own; null takes them away. */
  configureSession(session: string, settings: SettingsInput | null): void {
    if (settings === null) this.#sessions.delete(session);
    else this.#sessions.set(session, parseSettings(settings));
  }

  /** By name alone. */
  policyOf(
    { tool, session }: { readonly tool: string; readonly session?: string | undefined },
    policy?: SettingsInput,
  ): Effective {
    const own = session === undefined ? undefined : this.#sessions.get(session);
    return this.settings.ofCall(tool, own, policy);
  }

  /**
   * A message as it is stored, or as a model reads it: secrets in the arguments of its calls are
   * replaced where the settings for the tool say so.
   */
  withoutSecrets<M extends Pick<MessageDraft, 'parts'>>(
    message: M,
    session: string,
    use: 'stored' | 'read',
  ): M {
    const parts = message.parts.map((part) => {
      if (part.type !== 'call') return part;
      const { redact } = this.policyOf({ tool: part.tool, session }).policy;
      const isKept = redact === 'off' || (redact === 'projection' && use === 'stored');
      return isKept ? part : { ...part, input: redactText(part.input, this.secrets) };
    });
    return parts.every((part, i) => part === message.parts[i]) ? message : { ...message, parts };
  }

  async policyOfCall(call: Call, options: ProjectOptions): Promise<Effective> {
    const effective = this.policyOf(call, options.policy);
    if (!isForModel(options) || !this.fetches(call)) return effective;
    // A limit given for this call is exact.
    if (effective.origins.inlineLimit.source === 'call') return effective;
    return withPageLimit(effective, await this.#pageLimitOf(call.scope, artifactIn(call.input), options));
  }

  /** For stored outputs; a recorded page is also recognised by its text. */
  async policyOfStored(record: OutputRecord, options: ProjectOptions): Promise<StoredPolicy> {
    const effective = this.policyOf(record, options.policy);
    if (effective.policy.strategy === 'none' || !isForModel(options) || this.#setup.store === null)
      return { effective, page: null };
    const page = await recordedPage(storeFor(this.#setup, options), record);
    if (page === null) return { effective, page };
    const limit = await this.#pageLimitOf(record.scope, page.source, options);
    // Larger than any page: not made by us, so it is bounded like any result.
    if (page.part.chars > Math.max(limit, effective.policy.inlineLimit)) return { effective, page: null };
    return { effective: withPageLimit(effective, limit), page };
  }

  /** Whether a call fetches from an artifact, by its arguments or by its tool. */
  fetches({ input, tool }: Call): boolean {
    const { hint } = this.#setup;
    return artifactIn(input) !== null || (hint.kind === 'tool' && tool === hint.name);
  }

  async #pageLimitOf(scope: string, id: ArtifactId | null, { signal }: WaitOptions): Promise<number> {
    const wait = signal === undefined ? {} : { signal };
    const finding = id === null ? undefined : this.#setup.store?.find({ scope, id }, wait);
    const found = await finding?.catch(() => undefined);
    signal?.throwIfAborted();
    const named = found === undefined || 'purgedAt' in found ? { tool: 'get_artifact' } : found;
    return this.policyOf(named).policy.pageLimit;
  }

  get #listed(): readonly Format[] {
    this.#formats ??= [...this.#setup.formats, ...FORMATS];
    return this.#formats;
  }

  /**
   * One output under one policy: makes the text of each part, and gathers them. A call for a range
   * (a file from line 200 on) gets that range from its start under any policy, and the notice names
   * the call that continues (`paged`).
   */
  view(effective: Effective, call: CallFacts): OutputView {
    const { tool, input } = call;
    const range = effective.policy.strategy === 'none' ? null : requestedRange(input);
    const isRange = range !== null;
    const { policy, origins } = isRange ? forRange(effective) : effective;
    const isFile = readsFile(tool, input);
    const reachChars = policy.strategy === 'none' ? Number.POSITIVE_INFINITY : limitOf(policy, true);
    const shared = {
      ...call,
      ...{ policy, isFile, reachChars },
      isDefaultStrategy: origins.strategy.level === 'user',
      // Files are shown exactly, unless cleaning is always on.
      cleans:
        policy.clean === 'when_cut'
          ? policy.strategy !== 'none' && !isRange && !isFile
          : policy.clean === 'always',
      // Loaded for the first text that needs them: one that is shown whole does not.
      vocabulary: () => this.vocabulary,
      formats: () => this.#listed,
      added: (name: string) => this.#strategies.get(name),
    };
    const textOf = (spec: PartSpec) => new TextPart({ ...shared, spec });
    // Where errors matter, many blocks are judged together.
    const joins = !isRange && policy.perPartLimit === null && looksForErrors(policy);
    return {
      paged: isRange ? (shown) => spellCall(tool, range.next(shown)) : null,
      text: (spec) => (spec.role !== 'content' || spec.kind === 'binary' ? null : textOf(spec)),
      gathering: new Gathering(reachChars, joins ? textOf : null),
    };
  }

  project(facts: OutputFacts, sections: readonly Section[], { policy, hash }: Effective): Projected {
    if ('id' in facts.storage) this.#remember(facts.storage.id, sections);
    const { hint, tokens, paths } = this.#setup;
    const answers = (argument: string) => argument !== 'json_path' || paths !== null;
    const dialect = this.#dialect(policy.dialect);
    const job = { ...facts, sections, policy, policyHash: hash, dialect, hint, answers, tokens };
    try {
      return project(job);
    } catch (thrown) {
      // A dialect or tokenizer of the host threw: use our own.
      return project({ ...job, dialect: standard, tokens: estimateTokens, error: errorName(thrown) });
    }
  }

  #dialect(name: string): Dialect {
    const found = this.#dialects.get(name);
    if (found !== undefined) return found;
    const known = [...this.#dialects.keys()];
    throw new SpillwayError(
      'invalid_policy',
      `${JSON.stringify(name)} is not known.${didYouMean(name, known)} Known: ${known.join(', ')}.`,
    );
  }

  #remember(id: ArtifactId, sections: readonly Section[]): void {
    if (this.#totals.size >= MOST_REMEMBERED) {
      const [oldest] = this.#totals.keys();
      if (oldest !== undefined) this.#totals.delete(oldest);
    }
    this.#totals.set(id, totalOf(sections, 'chars'));
  }

  /** Whether a notice names an output projected here, with its true total. */
  hasShown({ artifactId, totalChars }: Pick<ParsedProjection, 'artifactId' | 'totalChars'>): boolean {
    return artifactId !== null && totalChars !== null && this.#totals.get(artifactId) === totalChars;
  }

  record(
    output: ArtifactId,
    audience: Audience,
    { policy }: Effective,
    { projection, selections }: Projected,
    about?: About,
  ): ProjectionRecord {
    const kept = boundedAbout(about);
    return {
      ...{ output, audience, at: this.#setup.clock(), policy, rendererVersion: RENDERER_VERSION },
      ...{ selections, projection, disclosed: projection.metadata.artifact_id !== null },
      ...(kept === undefined ? {} : { about: kept }),
    };
  }

  /**
   * Reads a stored output once and projects it under several policies. A failed one is compared
   * with its baseline.
   */
  async projectStored(
    store: Store,
    record: OutputRecord,
    policies: readonly Effective[],
    { about, signal, seen }: StoredFacts = {},
  ): Promise<Projected[]> {
    const looks = policies.some(({ policy }) => looksForErrors(policy));
    const baseline = looks ? await baselineOf(store, record) : null;
    const parts = new StoredParts(store, record);
    const input = await inputOf(store, record);
    const call = { tool: record.tool, input, about };
    const views = policies.map((effective) => ({
      ...this.view(effective, call),
      effective,
      known: looksForErrors(effective.policy) ? baseline : null,
    }));
    for await (const stored of parts.content(() => true)) {
      if (!isShown(stored.part)) continue;
      const texts = views.map((view) => {
        const { known } = view;
        const text = view.text(stored.part);
        if (known !== null) text?.compare(known.isNew);
        return text;
      });
      const blank = await replay(parts, stored, texts, { signal, seen });
      for (const [i, { gathering }] of views.entries())
        gathering.add({ part: stored.part, text: texts[i] ?? null, blank });
    }
    const notStored = this.#setup.standby?.whyNotStored(record.id) ?? null;
    const storage = notStored === null ? { id: record.id } : { notStored };
    return views.map(({ gathering, paged, known, effective }) => {
      const { sections } = gathering;
      // For joined blocks, the joined text is compared.
      if (known !== null) for (const { text } of sections) text?.compare(known.isNew);
      const facts = { ...record, storage, savedPath: null, paged, comparedWith: known?.id ?? null };
      return this.project(facts, sections, effective);
    });
  }

  /** The frozen projection of a stored output, or one made now and frozen. */
  async first(record: OutputRecord, options: ProjectOptions): Promise<ProjectionRecord> {
    const frozen = await storeFor(this.#setup, options).frozen(record.id, options.audience ?? 'model');
    return frozen ?? this.again(record, options, 'first');
  }

  /** A new projection, in place of the frozen one. */
  async again(
    record: OutputRecord,
    options: ProjectOptions,
    mode: 'first' | 'replace' = 'replace',
  ): Promise<ProjectionRecord> {
    const { effective } = await this.policyOfStored(record, options);
    const { audience = 'model' } = options;
    const store = storeFor(this.#setup, options);
    const about = options.about ?? (await store.frozen(record.id, audience))?.about;
    const [projected] = await this.projectStored(store, record, [effective], { about });
    const made = this.record(record.id, audience, effective, projected as Projected, about);
    return this.freeze(record, made, mode, options);
  }

  /** Keeps what an audience was sent of an output, unless it was sent something before. */
  async freeze(
    output: OutputRecord,
    projection: ProjectionRecord,
    mode: 'first' | 'replace',
    wait: WaitOptions = {},
  ): Promise<ProjectionRecord> {
    wait.signal?.throwIfAborted();
    const kept = await storeFor(this.#setup, wait).freeze(projection, mode);
    await this.#setup.ledger.note(projectedEvent(output, kept));
    return kept;
  }

  async preview(record: OutputRecord, options: ProjectOptions): Promise<Projected> {
    const { effective } = await this.policyOfStored(record, options);
    const { about } = options;
    const [made] = await this.projectStored(storeFor(this.#setup, options), record, [effective], { about });
    return made as Projected;
  }

  async together(records: readonly OutputRecord[], options: TogetherOptions): Promise<ProjectionRecord[]> {
    options.signal?.throwIfAborted();
    const all: (StoredPolicy & { readonly record: OutputRecord })[] = [];
    for (const record of records) all.push({ record, ...(await this.policyOfStored(record, options)) });
    const needs = all.map(({ record, effective: { policy }, page }) => ({
      size: record.parts.reduce((sum, part) => sum + (isShown(part) ? part.chars : 0), 0),
      limit: page !== null ? policy.inlineLimit : limitOf(policy, record.outcome.status !== 'ok'),
      policy,
    }));
    const shares = shareBatch(needs, options.window, options.floor);
    const made: ProjectionRecord[] = [];
    for (const [i, { record, effective, page }] of all.entries())
      made.push(
        page === null
          ? await this.#within(record, withInlineLimit(effective, shares[i] ?? 0, 'window'), options)
          : await this.#pageWithin(record, effective, page, shares[i] ?? 0, options),
      );
    return made;
  }

  async #within(
    record: OutputRecord,
    effective: Effective,
    { audience = 'model', about, ...wait }: ProjectOptions,
  ): Promise<ProjectionRecord> {
    const [made] = await this.projectStored(storeFor(this.#setup, wait), record, [effective], { about });
    return this.record(record.id, audience, effective, made as Projected, about);
  }

  /** A recorded page, or its beginning with the call that continues, if there is no room for it. */
  async #pageWithin(
    record: OutputRecord,
    effective: Effective,
    page: RecordedPage,
    chars: number,
    { audience = 'model', ...wait }: ProjectOptions,
  ): Promise<ProjectionRecord> {
    const store = storeFor(this.#setup, wait);
    const [whole] = await this.projectStored(store, record, [effective]);
    const isSmall = page.part.chars <= chars;
    const smaller = isSmall
      ? null
      : await smallerPage(this.#setup, store, record, page, whole as Projected, chars);
    return this.record(record.id, audience, effective, smaller ?? (whole as Projected));
  }
}

/** Before the window is considered. */
export function limitOf({ inlineLimit, failingFactor }: Policy, failed: boolean, distinct = 1): number {
  return ownLimit({ limit: inlineLimit, failed, failingFactor, distinct });
}

export function totalOf(sections: readonly Section[], unit: 'chars' | 'lines'): number {
  return sections.reduce((sum, { part, text }) => sum + (text === null ? 0 : part[unit]), 0);
}

export function looksForErrors({ strategy, preserveErrors, salientShare }: Policy): boolean {
  return strategy === 'smart_summary' || (preserveErrors && salientShare > 0 && strategy !== 'none');
}

/** Pages are for models; streams and screens have limits of their own. */
function isForModel({ audience = 'model' }: ProjectOptions): boolean {
  return audience === 'model';
}

/** Reads a part once for all policies; returns whether it is blank. */
async function replay(
  parts: StoredParts,
  stored: StoredPart,
  texts: readonly (PartText | null)[],
  { signal, seen }: Pick<StoredFacts, 'seen'> & { readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const busy = texts.filter((text) => text !== null);
  if (busy.length === 0) return false;
  const { at, pieces } = await parts.open(stored).read({ bytes: 0 });
  let blank = true;
  for await (const piece of storedPieces(at, pieces)) {
    blank &&= isBlank(piece);
    for (const text of busy) text.push(piece);
    // No pause for a single piece.
    if (piece.start.bytes > 0) await pauseAtTimes();
    seen?.(piece.bytes.length);
    signal?.throwIfAborted();
  }
  return blank;
}

async function baselineOf(store: Store, record: OutputRecord): Promise<Baseline | null> {
  const input = record.parts.find(({ role }) => role === 'input')?.hash;
  if (input === undefined || !endedBadly(record.outcome)) return null;
  const { scope, tool, startedAt } = record;
  return findBaseline(store, { scope, tool, input, before: startedAt });
}
