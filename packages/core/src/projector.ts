/**
 * Makes projections of outputs, whether their parts have just streamed by or are read back from a store: both go through the same selectors,
 * so both give the same text.
 */

import { readsFile } from './capture/file-read.ts';
import { requestedRange, type ShownSoFar } from './capture/range.ts';
import { detect, isSalientKind } from './detect/detect.ts';
import type { LinesSeen } from './detect/hints.ts';
import { DetectingSelector } from './detecting.ts';
import { codeWith } from './formats/code/keep.ts';
import { diff } from './formats/diff/keep.ts';
import { hits } from './formats/hits/keep.ts';
import { jsonElements, ndjsonElements } from './formats/json/keep/selector.ts';
import { listing } from './formats/listing/keep.ts';
import { rowsWith } from './formats/table/keep.ts';
import { htmlElements, xmlElements } from './formats/xml/keep/selector.ts';
import { findGoodRun, type GoodRun } from './good-run.ts';
import { GuardedSelector } from './guarding.ts';
import type { ArtifactId } from './model/artifact.ts';
import { type ContentKind, SAMPLE_BYTES } from './model/content.ts';
import type { Dialect } from './model/dialect.ts';
import { SpillwayError } from './model/errors.ts';
import { type FetchHint, spellCall } from './model/fetch.ts';
import { endedBadly } from './model/outcome.ts';
import type { OutputRecord } from './model/output.ts';
import { isShown, type PartSpec } from './model/part.ts';
import type { Policy, PolicyPatch, SettingsInput } from './model/policy.ts';
import type { Audience, ProjectionRecord } from './model/projection.ts';
import type { Store } from './model/store.ts';
import type { Known, Selector, Strategy } from './model/strategy.ts';
import { Settings, taskLayer } from './policy/levels.ts';
import { type Effective, withStrategy } from './policy/resolve.ts';
import { Gathering } from './projection/gathering.ts';
import { type Projected, project, RENDERER_VERSION } from './projection/project.ts';
import type { Section } from './projection/section.ts';
import { inputOf } from './recorded-page.ts';
import { type FinishedPart, RecordingPart } from './recording-part.ts';
import { type StoredPart, StoredParts } from './retrieval/stored-parts.ts';
import { CleaningSelector } from './strategies/cleaning.ts';
import { preservingLines } from './strategies/lines.ts';
import { plainEnds, preservingPositions } from './strategies/positional.ts';
import { type Lexicon, lexiconWith, type OwnPatterns, standardLexicon } from './strategies/smart/words.ts';
import { whenFailed } from './strategies/when-failed.ts';
import { didYouMean } from './text/nearest.ts';
import { estimateTokens } from './text/tokens.ts';
import { standard } from './wording/dialects/standard.ts';
import type { ParsedProjection } from './wording/parse-projection.ts';

export interface ProjectorOptions {
  /** Some of them need to know what tells of failure. */
  readonly strategies: (lexicon: () => Lexicon) => readonly Strategy[];
  /** What tells of failure beyond what is known. */
  readonly own?: OwnPatterns | undefined;
  readonly dialects: readonly Dialect[];
  readonly hint: FetchHint;
  readonly clock: () => number;
  /** Why an output is held in memory alone; null if it is stored. */
  readonly whyNotStored: (id: ArtifactId) => string | null;
  /** Counts the tokens of a projection. */
  readonly tokens: (text: string) => number;
}

/** Settings as a call gives them: names as in code or as in files. */
export type CallSettings = SettingsInput | Readonly<Record<string, unknown>>;

/** What is known of an output when it is projected. */
export interface OutputFacts
  extends Pick<OutputRecord, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'> {
  readonly storage: { readonly id: ArtifactId } | { readonly notStored: string };
  readonly savedPath: string | null;
  /** For a result that is itself a requested range: the call that goes on after what is shown. */
  readonly paged: ((shown: ShownSoFar) => string) | null;
  /** The output of the same call that it was compared with. */
  readonly comparedWith?: ArtifactId | null;
}

/** What is known of the call when its result begins to arrive. */
export interface CallFacts {
  readonly tool: string;
  readonly input: unknown;
}

/** What decides on text under `element`, and where a grammar gives up. */
const TEXT_STRATEGY = 'head_tail';
/** Kinds whose grammar decides for every tool, unless somebody chose a strategy. */
const FOR_EVERY_TOOL: ReadonlySet<ContentKind> = new Set(['json', 'ndjson', 'xml', 'html']);
/** Kinds whose text is about something else: words for failure in it are not the command's own. */
const ONLY_SPEAKS_OF_IT: ReadonlySet<ContentKind> = new Set(['code', 'listing', 'hits', 'diff']);
const ELEMENTS: ReadonlyMap<ContentKind, (detail: string | undefined) => Strategy> = new Map([
  ['json', () => jsonElements],
  ['ndjson', () => ndjsonElements],
  ['xml', () => xmlElements],
  ['html', () => htmlElements],
  ['csv', (detail?: string) => rowsWith(detail)],
  ['tsv', (detail?: string) => rowsWith(detail)],
  ['table', (detail?: string) => rowsWith(detail)],
  ['listing', () => listing],
  ['hits', () => hits],
  ['diff', () => diff],
  ['code', (detail?: string) => codeWith(detail)],
]);

/** Outputs whose totals are remembered. */
const MOST_TOLD = 10_000;

export class Projector {
  /** The settings of this installation; may be changed while it runs. */
  readonly settings: Settings;
  readonly #options: ProjectorOptions;
  readonly #strategies: ReadonlyMap<string, Strategy>;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  /** The text strategies that keep lines that speak of failure. */
  readonly #preserving: ReadonlyMap<string, Strategy>;
  #own: OwnPatterns | undefined;
  /** Made with the first text that is looked at: most are shown as they are. */
  #lexicon: Lexicon | undefined;
  /** Totals in chars of the latest outputs that were projected. */
  readonly #told = new Map<ArtifactId, number>();

  constructor(options: ProjectorOptions) {
    const lexicon = () => {
      this.#lexicon ??= this.#own === undefined ? standardLexicon() : lexiconWith(this.#own);
      return this.#lexicon;
    };
    this.#own = options.own;
    this.#options = options;
    this.#strategies = byName(options.strategies(lexicon));
    this.#preserving = byName([...preservingPositions(lexicon), preservingLines(lexicon)]);
    this.#dialects = new Map(options.dialects.map((dialect) => [dialect.name, dialect]));
    this.settings = new Settings({
      strategies: [...this.#strategies.keys(), 'element'],
      dialects: [...this.#dialects.keys()],
    });
  }

  /** Replaces what tells of failure beyond what is known, from the next output on. */
  set own(own: OwnPatterns) {
    this.#own = own;
    this.#lexicon = undefined;
  }

  /** The effective policy of a call, and where each of its fields came from. */
  effective(tool: string, session: PolicyPatch | undefined, call: CallSettings | undefined): Effective {
    return this.settings.effective(tool, [...taskLayer('session', session), ...taskLayer('call', call)]);
  }

  /** A selector for a part that is about to stream by; null if it is not text to be shown. */
  selector(effective: Effective, spec: PartSpec, call: CallFacts, known?: Known): Selector | null {
    if (spec.role !== 'content' || spec.kind === 'binary') return null;
    const { policy } = effective;
    const reachChars = this.reach(policy);
    const { tool, input } = call;
    const all = { ...known, input, isFile: readsFile(tool, input) };
    const start = (seen?: LinesSeen) => this.#start(effective, spec, tool, seen, all);
    return new GuardedSelector(
      policy.strategy,
      () => (cleans(effective, call) ? new CleaningSelector(reachChars, start) : start()),
      plainEnds.start(policy, reachChars),
    );
  }

  /** The strategy of a policy. `seen`: how many lines of the text had formatting that was left out. */
  #start(
    { policy, origins }: Effective,
    spec: PartSpec,
    tool: string,
    seen?: LinesSeen,
    known?: Known,
  ): Selector {
    const reachChars = this.reach(policy);
    const { strategy, preserveErrors, preserveWarnings } = policy;
    const byContent =
      strategy === 'element' ||
      (policy.contentDetection && origins.strategy.level === 'system' && strategy !== 'none');
    const preserves =
      (preserveErrors || preserveWarnings) &&
      policy.salientShare > 0 &&
      (strategy === 'element' || this.#preserving.has(strategy));
    const isSmart = strategy === 'smart_summary';
    if (!byContent && !preserves && !isSmart)
      return named(this.#strategies, strategy).start(policy, reachChars, known);
    const textName = strategy === 'element' ? TEXT_STRATEGY : strategy;
    const isCommand = spec.name === 'stdout' || spec.name === 'stderr' || tool === 'execute_command';
    const plain = named(this.#strategies, textName);
    const hints = { tool, ...(spec.mediaType === undefined ? {} : { mediaType: spec.mediaType }) };
    return new DetectingSelector({
      policy,
      reachChars,
      known,
      sampleBytes: SAMPLE_BYTES,
      binary:
        policy.contentDetection && origins.strategy.source !== 'requested range' ? 'withheld' : 'as text',
      detect: (sample, complete) =>
        detect(sample, { ...hints, complete, ...(seen === undefined ? {} : { seen }) }),
      grammarFor: ({ kind, detail }) =>
        strategy === 'element' || isSmart || (byContent && FOR_EVERY_TOOL.has(kind))
          ? ELEMENTS.get(kind)?.(detail)
          : undefined,
      // A report in JSON or XML may hold what a summary is for; the other shapes only speak of it.
      textFirst: ({ kind }) => isSmart && FOR_EVERY_TOOL.has(kind),
      textName: plain.name,
      textFor: ({ kind }) => {
        const preserving = preserves ? (this.#preserving.get(textName) ?? plain) : plain;
        if (isSalientKind(kind)) return preserving;
        // What a command that failed said may well tell why, whatever it looks like.
        return isCommand && !ONLY_SPEAKS_OF_IT.has(kind) ? whenFailed(preserving, plain) : plain;
      },
    });
  }

  /** The most chars that a projection under this policy may have. */
  reach({ strategy, inlineLimit, failingFactor }: Policy): number {
    return strategy === 'none' ? Number.POSITIVE_INFINITY : Math.floor(inlineLimit * failingFactor);
  }

  project(facts: OutputFacts, sections: readonly Section[], { policy, hash }: Effective): Projected {
    const dialect = named(this.#dialects, policy.dialect);
    if ('id' in facts.storage) this.#remember(facts.storage.id, sections);
    const decider = sections.find((section) => section.selector !== null)?.selector;
    const job = {
      ...facts,
      sections,
      policy,
      policyHash: hash,
      // Asked when it has been decided: what fits as it is needs no decision.
      strategyUsed: () => (facts.paged === null ? (decider?.decidedBy ?? policy.strategy) : 'paged'),
      fallback: () => decider?.fallback ?? null,
      error: () => firstError(sections),
      dialect,
      hint: this.#options.hint,
      tokens: this.#options.tokens,
    };
    try {
      return project(job);
    } catch (error) {
      // Whoever threw, a renderer, a dialect or a tokenizer: the plain ends in our own words cannot.
      for (const { selector } of sections) if (selector instanceof GuardedSelector) selector.giveUp(error);
      return project({ ...job, dialect: standard, tokens: estimateTokens });
    }
  }

  /** Reads a stored output back and projects it. One that failed is compared with the last time the same call ended well. */
  async projectStored(
    store: Store,
    record: OutputRecord,
    effective: Effective,
    savedPath: string | null = null,
  ): Promise<Projected> {
    const good = looksForErrors(effective.policy) ? await goodRunOf(store, record) : null;
    const reach = this.reach(effective.policy);
    const parts = new StoredParts(store, record);
    const early = new Gathering(reach);
    let late: Gathering | undefined;
    const input = await inputOf(store, record);
    const range = effective.policy.strategy === 'none' ? null : requestedRange(input);
    const chosen = range === null ? effective : withStrategy(effective, 'head', 'requested range');
    for await (const stored of parts.content(() => true)) {
      if (!isShown(stored.part)) continue;
      if (stored.isLate) late ??= new Gathering(reach, early.texts);
      (late ?? early).add(await this.#replay(parts, { record, input }, stored, chosen, good ?? {}));
    }
    const paged = range === null ? null : (shown: ShownSoFar) => spellCall(record.tool, range.next(shown));
    const notStored = this.#options.whyNotStored(record.id);
    const storage = notStored === null ? { id: record.id } : { notStored };
    return this.project(
      { ...record, storage, savedPath, paged, comparedWith: good?.id ?? null },
      [...early.sections, ...(late?.sections ?? [])],
      effective,
    );
  }

  /** Whether a notice names an output that was projected here, and its true total. */
  hasTold({ artifactId, totalChars }: Pick<ParsedProjection, 'artifactId' | 'totalChars'>): boolean {
    return artifactId !== null && totalChars !== null && this.#told.get(artifactId) === totalChars;
  }

  #remember(id: ArtifactId, sections: readonly Section[]): void {
    const [oldest] = this.#told.keys();
    if (this.#told.size >= MOST_TOLD && oldest !== undefined) this.#told.delete(oldest);
    const texts = sections.filter(({ selector }) => selector !== null);
    this.#told.set(
      id,
      texts.reduce((sum, { part }) => sum + part.chars, 0),
    );
  }

  record(
    output: ArtifactId,
    audience: Audience,
    { policy }: Effective,
    { projection, selections }: Projected,
  ): ProjectionRecord {
    const disclosed = projection.metadata.artifact_id !== null;
    return {
      output,
      audience,
      at: this.#options.clock(),
      policy,
      rendererVersion: RENDERER_VERSION,
      selections,
      projection,
      disclosed,
    };
  }

  async #replay(
    parts: StoredParts,
    { record, input }: { readonly record: OutputRecord; readonly input: unknown },
    stored: StoredPart,
    effective: Effective,
    known: Known,
  ): Promise<Pick<FinishedPart, 'part' | 'selector' | 'blank'>> {
    const { part } = stored;
    const selector = this.selector(effective, part, { tool: record.tool, input }, known);
    if (selector === null) return { part, selector, blank: false };
    const { index, notes } = part;
    const replayed = new RecordingPart({ index, spec: part, notes, selector, store: async () => {} });
    const reading = await parts.storeFor(stored).read(record.id, index, { bytes: 0 });
    for await (const bytes of reading.pieces) await replayed.push(bytes);
    return { ...(await replayed.finish()), part };
  }
}

/** Whether formatting is left out: never of a file, whose text is shown exactly, unless it is to be clean always. */
function cleans({ policy, origins }: Effective, { tool, input }: CallFacts): boolean {
  if (policy.clean !== 'when_cut') return policy.clean === 'always';
  const isExact = policy.strategy === 'none' || origins.strategy.source === 'requested range';
  return !isExact && !readsFile(tool, input);
}

/** What the first strategy threw that failed. */
function firstError(sections: readonly Section[]): string | null {
  for (const { selector } of sections)
    if (selector instanceof GuardedSelector && selector.error !== null) return selector.error;
  return null;
}

/** Whether a policy keeps lines that speak of failure. */
export function looksForErrors({ strategy, preserveErrors, salientShare }: Policy): boolean {
  return strategy === 'smart_summary' || (preserveErrors && salientShare > 0 && strategy !== 'none');
}

/** The last time the same call ended well, for an output that did not. */
async function goodRunOf(store: Store, record: OutputRecord): Promise<GoodRun | null> {
  const input = record.parts.find(({ role }) => role === 'input')?.hash;
  if (input === undefined || !endedBadly(record.outcome)) return null;
  const { scope, tool, startedAt } = record;
  return findGoodRun(store, { scope, tool, input, before: startedAt });
}

function named<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined)
    throw new SpillwayError(
      'invalid_policy',
      `${JSON.stringify(name)} is not known.${didYouMean(name, map.keys())} Known: ${[...map.keys()].join(', ')}.`,
    );
  return found;
}

function byName(strategies: readonly Strategy[]): ReadonlyMap<string, Strategy> {
  return new Map(strategies.map((strategy) => [strategy.name, strategy]));
}
